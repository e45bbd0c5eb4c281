"""What a job tells while it works: typed facts. Whoever shows them finds the words (`progress_lines.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from afterburner.agent.usage import NOTHING_USED

if TYPE_CHECKING:
    from afterburner.agent.types import Decision, Gain
    from afterburner.agent.usage import Usage


class Stage(StrEnum):
    """The part of a job that an event belongs to."""

    PREPARE = "prepare"
    GENERATE = "generate"
    PROFILE = "profile"
    SELECT = "select"
    CONFIRM = "confirm"
    COMPARE = "compare"
    VERIFY = "verify"
    REPLAY = "replay"
    WAIT = "wait"
    NOISE = "noise"  # this one and the next two are of selfcheck
    IDENTICAL = "identical"
    KNOWN = "known"


class EventKind(StrEnum):
    """What happens; behind each, the fields of `ProgressEvent` that say more."""

    STAGING = "staging"  # subject: the project
    STAGING_VERSIONS = "staging_versions"
    MAKING_ENVIRONMENT = "making_environment"  # detail: what the image's builder or installer does
    RESUMING = "resuming"
    INPUTS_LEFT_OUT = "inputs_left_out"  # subject: where they come from, or the function that has none; detail: why
    OTHER_MACHINE = "other_machine"  # ratio: the minimum effect here
    PROFILING_FILE = "profiling_file"
    PROFILING_PROJECT = "profiling_project"  # subject: the command; empty: the project's tests
    FOUND_TARGET = "found_target"  # subject: the function; detail: by what it stands out; empty: it comes next
    RUNNING_CASES = "running_cases"  # count: of the program's cases
    RUNNING_COMMAND = "running_command"  # subject: behind `python`
    RUNNING_FILE_AND_TESTS = "running_file_and_tests"
    RUNNING_CALLS_FILE = "running_calls_file"  # subject: the file's name
    ASKING_FOR_CALLS = "asking_for_calls"  # subject: the model
    CALLS_WRITTEN = "calls_written"  # subject: the model; count: of those that can be used
    GENERATING_INPUTS = "generating_inputs"
    DERIVING_INPUTS = "deriving_inputs"
    REPLAYING_CALLS = "replaying_calls"  # count
    MEASURING_ORIGINAL = "measuring_original"
    PROFILING_LINES = "profiling_lines"  # candidate: which one
    LINE_PROFILE_PARTIAL = "line_profile_partial"  # detail: why
    LINE_PROFILE_MISSING = "line_profile_missing"  # detail: why
    ASKING = "asking"  # subject: the proposer; candidate: from which one it starts again, if it does
    ANSWERED = "answered"  # subject: the model
    ANSWERED_FROM_CACHE = "answered_from_cache"  # subject: the model
    ASKING_ANOTHER = "asking_another"  # subject: the next model; detail: the last one's error
    RETRYING = "retrying"  # detail: the error; seconds: to wait
    JUDGING = "judging"  # count: of candidates
    TIMING = "timing"  # count: of candidates
    JUDGED = "judged"  # candidate, proposer, decision, detail: the reason, gain
    KEPT = "kept"  # candidate, proposer
    GIVEN_UP = "given_up"  # count: of rounds without anything better
    CONFIRMING = "confirming"  # candidate
    CONFIRMED = "confirmed"  # candidate, decision, detail: the reason, gain
    DOUBTING = "doubting"  # subject: the model that is asked for calls; candidate
    SEARCHING_DIFFERENCE = "searching_difference"  # candidate
    MEASURING_AS_USED = "measuring_as_used"
    SAMPLING_AGAIN = "sampling_again"  # count: of candidates
    COUNTING_INSTRUCTIONS = "counting_instructions"
    MEASURING_LARGER_INPUTS = "measuring_larger_inputs"  # ratio: the gain that is hard to believe, if any
    BLOCKS_TAKEN = "blocks_taken"  # count, most
    MEASURING_GROWTH = "measuring_growth"
    FUNCTION_DONE = "function_done"  # of a run over many; detail: the decision and its reason
    RUNNING_ALL_OFFERS = "running_all_offers"  # subject: the command; empty: the project's tests
    RUNNING_BEFORE = "running_before"
    COMPARING_BEHAVIOUR = "comparing_behaviour"
    MEASURING_BOTH = "measuring_both"
    SHRINKING = "shrinking"
    AGREED = "agreed"  # count: of inputs
    RUNNING_RECEIPT = "running_receipt"  # count: of inputs
    MEASURING_REWRITE = "measuring_rewrite"
    MEASURING_START = "measuring_start"
    MEASURING_CANDIDATE = "measuring_candidate"  # candidate
    WAITING_FOR_CORE = "waiting_for_core"
    CHOOSING_FUNCTIONS = "choosing_functions"  # detail: how long each takes
    CHOSE_FUNCTION = "chose_function"  # subject; seconds: of a call
    LEARNED_NOISE = "learned_noise"  # subject; detail: what the test said
    DECIDED_ON_IDENTICAL = "decided_on_identical"  # subject; candidate: the one that was offered; count of most offered
    TRIED_KNOWN_GAIN = "tried_known_gain"  # subject; ratio: the gain; count of most found


OUTCOMES = frozenset(  # events that tell what came of something, and not what is being done
    {
        EventKind.INPUTS_LEFT_OUT,
        EventKind.OTHER_MACHINE,
        EventKind.FOUND_TARGET,
        EventKind.CALLS_WRITTEN,
        EventKind.LINE_PROFILE_PARTIAL,
        EventKind.LINE_PROFILE_MISSING,
        EventKind.ANSWERED,
        EventKind.ANSWERED_FROM_CACHE,
        EventKind.JUDGED,
        EventKind.KEPT,
        EventKind.GIVEN_UP,
        EventKind.CONFIRMED,
        EventKind.FUNCTION_DONE,
        EventKind.AGREED,
        EventKind.CHOSE_FUNCTION,
        EventKind.LEARNED_NOISE,
        EventKind.DECIDED_ON_IDENTICAL,
        EventKind.TRIED_KNOWN_GAIN,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressEvent:
    """One thing that happens. The fields from `run_id` on are filled in for whoever listens to a job."""

    kind: EventKind
    stage: Stage = Stage.PREPARE
    subject: str = ""
    detail: str = ""  # an error, or a reason, in its own words
    count: int | None = None
    most: int | None = None
    ratio: float | None = None
    seconds: float | None = None
    candidate: str = ""  # "1.3"
    proposer: str = ""
    answer_form: str = ""  # how the answer was read where it was not in the format that it was asked for
    decision: Decision | None = None
    gain: Gain | None = None
    iteration: int = 0
    best_ratio: float | None = None  # of the incumbent over the original, as far as known
    run_id: str = ""  # of a comparison or a verification, too, which keep nothing
    job: str = ""  # "/srv/shop.py::Stock.value"
    target: str = ""  # the function that a run over many targets is at
    number: int = 0  # of that target, from 1
    targets: int = 0  # how many turns there will be, as far as known
    fraction: float = 0.0  # of the work that is done; it never falls, and stays below 1: the end is the result
    usage: Usage = NOTHING_USED  # of language models so far
    elapsed_s: float = 0.0  # since this process began or resumed the job

    def __str__(self) -> str:
        """What this event tells, without what all events of a job have in common: `prepare: staging subject=shop`."""
        told = {
            each.name: value
            for each in fields(self)
            if each.name not in _IN_ALL and (value := getattr(self, each.name)) != each.default
        }
        details = "".join(f" {name}={value}" for name, value in told.items())
        return f"{self.stage.value}: {self.kind.value}{details}"


_IN_ALL = {"kind", "stage", "run_id", "job", "usage", "elapsed_s"}


OnEvent = Callable[[ProgressEvent], None]


def ignore_event(_event: ProgressEvent) -> None:
    """For jobs of whose progress nobody wants to hear."""


def in_stage(on_event: OnEvent, stage: Stage) -> OnEvent:
    """Pass events on as those of a stage."""
    return lambda event: on_event(replace(event, stage=stage))


def waiting_for_core(on_event: OnEvent) -> Callable[[], None]:
    """What tells that a run waits for the core that another one times on."""
    return lambda: on_event(ProgressEvent(kind=EventKind.WAITING_FOR_CORE, stage=Stage.WAIT))
