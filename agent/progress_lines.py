"""The words for what happens: one line for each kind of event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.events import EventKind as Kind
from afterburner.agent.usage import counted, told
from afterburner.agent.wording import count, format_ratio
from afterburner.sandbox.terminal.formatting import format_seconds
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.events import ProgressEvent

_OF_MODELS = frozenset({Kind.ANSWERED, Kind.ANSWERED_FROM_CACHE, Kind.ASKING_ANOTHER, Kind.RETRYING})


def line_of(event: ProgressEvent) -> str:
    """One line for a person: `1.3 rules: join-strings: promising: 1.8x (1.7 to 1.9)`, scrubbed."""
    place = f"[{event.number} of {event.targets}] {event.target}: " if event.number else ""
    return scrub_line(place + _LINES[event.kind](event))


def message_of(event: ProgressEvent) -> str:
    """`iteration 2: 2.1 rules: promising: 3.1x (2.8x to 3.4x) · best 3.1x · 12 s · $0.0031`."""
    parts = [line_of(event)]
    if event.iteration:
        parts[0] = f"iteration {event.iteration}: {parts[0]}"
    if event.best_ratio and event.best_ratio > 1:
        parts.append(f"best {format_ratio(event.best_ratio)}")
    parts.append(f"{event.elapsed_s:.0f} s")
    if event.usage.requests:
        parts.append(told(event.usage))
    return " · ".join(parts)


def spent_of(event: ProgressEvent) -> str:
    """What language models have used so far, where the event is one of theirs: `3 requests, 4,210 tokens, $0.0031`."""
    return told(event.usage) if event.kind in _OF_MODELS else ""


def _asking(event: ProgressEvent) -> str:
    return f"asking {event.subject}" + (f", from {event.candidate} again" if event.candidate else "")


def _judged(event: ProgressEvent) -> str:
    form = f" ({event.answer_form})" if event.answer_form else ""
    decision = event.decision.value.replace("_", " ") if event.decision else ""
    return f"{event.candidate} {event.proposer}{form}: {decision}: {event.detail}"


def _found_target(event: ProgressEvent) -> str:
    if not event.detail:
        return f"{event.subject} comes next"
    return f"{event.subject} {'uses the most CPU time' if event.detail == 'time' else 'holds the most memory'}"


def _command(event: ProgressEvent) -> str:
    return f"python {event.subject}" if event.subject else "the project's tests"


def _identical(event: ProgressEvent) -> str:
    said = f"CANDIDATE {event.candidate} IS OFFERED" if event.candidate else "nothing is offered"
    return f"{event.subject}: {said} ({event.count} of {event.most} decisions so far)"


_LINES: dict[Kind, Callable[[ProgressEvent], str]] = {
    Kind.STAGING: lambda event: f"staging {event.subject}",
    Kind.STAGING_VERSIONS: lambda _: "staging both versions",
    Kind.MAKING_ENVIRONMENT: lambda event: f"environment: {event.detail}",
    Kind.RESUMING: lambda event: f"resuming run {event.run_id}",
    Kind.INPUTS_LEFT_OUT: lambda event: f"{event.subject}: {event.detail}",
    Kind.OTHER_MACHINE: lambda event: f"resuming on another machine: the minimum effect here is {event.ratio:g}",
    Kind.PROFILING_FILE: lambda _: "profiling the file to find the function to optimise",
    Kind.PROFILING_PROJECT: lambda event: f"profiling {_command(event)}",
    Kind.FOUND_TARGET: _found_target,
    Kind.RUNNING_CASES: lambda event: f"running the program on {count(event.count or 0, 'case')}",
    Kind.RUNNING_COMMAND: lambda event: f"running python {event.subject}",
    Kind.RUNNING_FILE_AND_TESTS: lambda _: (
        "running the file's __main__ block, its doctests and the tests that mention the function"
    ),
    Kind.RUNNING_CALLS_FILE: lambda event: f"running {event.subject}",
    Kind.ASKING_FOR_CALLS: lambda event: f"nothing calls the function: asking {event.subject} for calls",
    Kind.CALLS_WRITTEN: lambda event: f"using {count(event.count or 0, 'call')} written by {event.subject}",
    Kind.GENERATING_INPUTS: lambda _: "generating inputs from type hints",
    Kind.DERIVING_INPUTS: lambda _: "deriving edge cases",
    Kind.REPLAYING_CALLS: lambda event: f"replaying {count(event.count or 0, 'call')}",
    Kind.MEASURING_ORIGINAL: lambda _: "measuring the original",
    Kind.PROFILING_LINES: lambda event: f"profiling {event.candidate} line by line",
    Kind.LINE_PROFILE_PARTIAL: lambda event: f"the line profile covers only a part of the run: {event.detail}",
    Kind.LINE_PROFILE_MISSING: lambda event: f"no line profile: {event.detail}",
    Kind.ASKING: _asking,
    Kind.ANSWERED: lambda event: f"{event.subject} answered",
    Kind.ANSWERED_FROM_CACHE: lambda event: f"using the stored answer of {event.subject} to this request",
    Kind.ASKING_ANOTHER: lambda event: f"{event.detail} Asking {event.subject} instead.",
    Kind.RETRYING: lambda event: f"{event.detail} Trying again in {counted(round(event.seconds or 0), 'second')}.",
    Kind.JUDGING: lambda event: f"judging {count(event.count or 0, 'candidate')}",
    Kind.TIMING: lambda event: f"timing {count(event.count or 0, 'candidate')}",
    Kind.JUDGED: _judged,
    Kind.KEPT: lambda event: f"{event.candidate} {event.proposer} is kept",
    Kind.GIVEN_UP: lambda event: f"nothing better in {count(event.count or 0, 'round')}: the search ends",
    Kind.CONFIRMING: lambda event: f"testing {event.candidate} against the original on held-out inputs",
    Kind.CONFIRMED: lambda event: f"{event.candidate}: {event.detail}",
    Kind.DOUBTING: lambda event: f"asking {event.subject} for calls on which {event.candidate} may differ",
    Kind.SEARCHING_DIFFERENCE: lambda event: f"trying made inputs on {event.candidate} and the original",
    Kind.MEASURING_AS_USED: lambda _: "timing first and later calls in fresh processes",
    Kind.SAMPLING_AGAIN: lambda event: f"sampling {count(event.count or 0, 'other candidate')} again",
    Kind.COUNTING_INSTRUCTIONS: lambda _: "counting instructions under valgrind",
    Kind.MEASURING_LARGER_INPUTS: lambda event: (
        f"measuring {format_ratio(event.ratio)} again on larger inputs"
        if event.ratio is not None
        else "looking for a slow-down on larger inputs"
    ),
    Kind.BLOCKS_TAKEN: lambda event: f"{event.count} blocks of fresh runs, at most {event.most}",
    Kind.MEASURING_GROWTH: lambda _: "measuring how time grows with the input",
    Kind.FUNCTION_DONE: lambda event: event.detail,
    Kind.RUNNING_ALL_OFFERS: lambda event: f"running {_command(event)} with all offers in place",
    Kind.RUNNING_BEFORE: lambda _: "running BEFORE",
    Kind.COMPARING_BEHAVIOUR: lambda _: "comparing the behaviour of both versions",
    Kind.MEASURING_BOTH: lambda _: "measuring both versions",
    Kind.SHRINKING: lambda _: "found a difference; shrinking the input",
    Kind.AGREED: lambda event: f"the same on {count(event.count or 0, 'input')} so far",
    Kind.RUNNING_RECEIPT: lambda event: f"running the original on {count(event.count or 0, 'input')}",
    Kind.MEASURING_REWRITE: lambda _: "judging and measuring the rewrite against the original",
    Kind.MEASURING_START: lambda _: "measuring the starting code",
    Kind.MEASURING_CANDIDATE: lambda event: f"measuring {event.candidate}",
    Kind.WAITING_FOR_CORE: lambda _: "waiting for a CPU core that another measurement holds",
    Kind.CHOOSING_FUNCTIONS: lambda event: f"choosing functions that take {event.detail}",
    Kind.CHOSE_FUNCTION: lambda event: f"{event.subject}: a call takes {format_seconds(event.seconds or 0)}",
    Kind.LEARNED_NOISE: lambda event: f"{event.subject}, against itself: {event.detail}",
    Kind.DECIDED_ON_IDENTICAL: _identical,
    Kind.TRIED_KNOWN_GAIN: lambda event: (
        f"{event.subject}: a true gain of {format_ratio(event.ratio or 0)} is found {event.count} of {event.most} times"
    ),
}
