"""The agent's words: objective, target, workload, candidate, comparison, run."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.sandbox import Measurement, Verdict

OF_A_PROBLEM = "cases of the problem"  # where cases come from that are data, and no files


class Objective(StrEnum):
    """What is to become smaller: the paper's efficiency instruction."""

    TIME = "time"
    MEMORY = "memory"
    INTEGRAL = "integral"


class Decision(StrEnum):
    """What became of a candidate."""

    IMPROVED = "improved"  # passed, and in its confirmation the lower bound cleared the minimum effect
    PROMISING = "promising"  # passed, and screening ranks it above the incumbent; that decides nothing yet
    TOO_NOISY = "too_noisy"  # passed, and the samples do not tell: never an offer
    NOT_BETTER = "not_better"  # passed, but no proven gain
    CONDITIONAL = "conditional"  # right as long as an assumption holds that held in every real call: never written
    WRONG = "wrong"  # behaved differently from the original
    REFUSED = "refused"  # not run, or not believed: unparsable, a duplicate, tampered timing


@dataclass(frozen=True, slots=True)
class Target:
    """The place in a user's code that is to be optimised.

    `path` is absolute. `source` is the whole file as text with its line ends as they are on disk. `function` is
    None when the whole program is the target (stdin/stdout programs), else `name` or `Class.name`. `module` is the
    import name and `import_root` the folder that has to be on `sys.path` for it. Lines count from 1, inclusive, and
    include decorators.
    """

    path: str
    source: str
    function: str | None
    module: str
    import_root: str
    project_root: str
    encoding: str = "utf-8"
    first_line: int = 1
    last_line: int = 1
    notes: tuple[str, ...] = ()  # what the user should know about it: "pairs is defined twice; …"
    language: str = "python"  # a name of the sandbox's table; in any other the whole program is the target


@dataclass(frozen=True, slots=True)
class Rewrite:
    """What a proposer wants in place of the target's function.

    `function` is the new definition, dedented, decorators included (for a whole program: the whole new text).
    `imports` are statements for the top of the module, `helpers` are module-level definitions that go right before the
    function (or its class).
    """

    function: str
    imports: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkloadCall:
    """One call of the target: an opaque blob from the sandbox, and where it came from in words for the user."""

    blob: bytes
    origin: str  # "captured from __main__", "doctest", "pytest: tests/test_report.py", "written by MODEL", "derived", …
    description: str  # "call 3: pairs([1, 2, …], 7)", bounded, scrubbed
    cpu_time_s: float  # of the original, when it was found
    expected: bytes = b""  # canonical encoding of the original's outcome
    position: int = 0  # in the order in which the calls were found; state that lives across calls shows only in it
    is_probing: bool = False  # made, and beyond what hints and real calls show of the function's contract
    is_ruled_out: bool = False  # of these: by type hints
    taken: int | None = None  # items that its caller took of the generator; None: all there were, or not known


@dataclass(frozen=True, slots=True)
class WorkloadCase:
    """One stdin/stdout case: `NAME.in` and `NAME.out`."""

    name: str
    stdin: bytes
    expected_stdout: bytes
    origin: str
    cpu_time_s: float = 0.0  # of the original


@dataclass(frozen=True, slots=True)
class Skipped:
    """An input that could not be used, and why: nothing is left out in silence."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class WrittenCalls:
    """The calls that a language model wrote for a function that nothing calls: its Python, as it came."""

    model: str
    code: str


@dataclass(frozen=True, slots=True)
class Workload:
    """What a target is judged and measured on; `held_out` is never used for selection, only to confirm the winner."""

    calls: tuple[WorkloadCall, ...] = ()
    held_out_calls: tuple[WorkloadCall, ...] = ()
    cases: tuple[WorkloadCase, ...] = ()
    held_out_cases: tuple[WorkloadCase, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    float_tolerance: float | None = None  # how calls are judged: see `CallCase`
    fixed_clock: bool = False  # likewise; what the original does depends on the time
    assume: tuple[str, ...] = ()  # what the user says of every input: Python expressions over the parameters
    written: WrittenCalls | None = None  # where calls among these are a model's
    more_calls: tuple[WorkloadCall, ...] = ()  # recorded ones that are compared on and never timed

    @property
    def held_out_count(self) -> int:
        """How many inputs were kept from selection."""
        return len(self.held_out_calls) + len(self.held_out_cases)

    def calls_in_order(self) -> tuple[WorkloadCall, ...]:
        """All calls in the order in which they were found."""
        return tuple(sorted((*self.calls, *self.held_out_calls), key=lambda call: call.position))

    def origins(self) -> list[str]:
        """Where each input came from, held-out ones included."""
        calls = (*self.calls, *self.held_out_calls)
        return [call.origin for call in calls] + [case.origin for case in (*self.cases, *self.held_out_cases)]


@dataclass(frozen=True, slots=True)
class Gain:
    """How many times smaller the candidate's figure is: 2.0 means half the time. 1.0 is no difference.

    `low` and `high` bound the ratio at `confidence`, from a signed-rank test turned round
    (`judge/measuring/sequential.py`). Of a candidate that was only screened they are the range of its blocks, at
    confidence 0. `pairs` counts the blocks of interleaved samples of both sides behind it.
    """

    ratio: float
    low: float
    high: float
    confidence: float
    pairs: int


@dataclass(frozen=True, slots=True)
class GainRange:
    """The gains (ratios) on the third of the inputs that takes the original the least time, and on the dearest."""

    small: float
    large: float


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """What a model was sent and what came back, for evaluation and training. Secret values are hidden in both.

    One request may bring several answers; what it used then stands with the first of them.
    """

    model: str
    messages: tuple[Mapping[str, str], ...]  # the prompt as sent; empty: it is not known, as in a recording
    text: str  # the answer as it came
    finish_reason: str  # "stop"; "length": the limit of tokens ended it
    prompt_tokens: int | None = None  # None: not said, or counted with an earlier answer
    completion_tokens: int | None = None
    cost_usd: float | None = None  # None: there is no price
    cached: bool = False  # whether it is a stored answer, which costs nothing now

    def __post_init__(self) -> None:
        """Make the messages a tuple again, which a checkpoint brings back as a list."""
        object.__setattr__(self, "messages", tuple(self.messages))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed rewrite that waits to be judged. `error` is set, and `source` empty, where it cannot be run."""

    id: str  # "1.3": iteration 1, third candidate
    iteration: int
    proposer: str  # "rules: join-strings", "openai/gpt-…", "replay:answers.jsonl"
    source: str = field(default="", kw_only=True)  # the whole file with the rewrite in place
    reasoning: str = field(default="", kw_only=True)
    error: str = field(default="", kw_only=True)
    answer_form: str = field(default="", kw_only=True)  # how a model's answer was read: "strict", "no tags"; or empty
    answer: AnswerRecord | None = field(default=None, kw_only=True)  # None: no model wrote it


@dataclass(frozen=True, slots=True)
class JudgedCandidate(Candidate):
    """A candidate and what became of it; the row of the report's table."""

    verdict: Verdict | None  # None: it was never run
    decision: Decision
    reason: str  # one sentence for the user
    gain: Gain | None = None  # over the incumbent of its iteration
    measurement: Measurement | None = None
    counterexample: str | None = None  # `f([1, 1]) returned 2 instead of 1`: a call, and how it differs there
    told_to_models: str | None = None  # the same without anything that the candidate chose
    counterexample_test: str = ""  # a function for pytest, where one was asked for
    over_original: Gain | None = None  # the latest gain over the original, where it was compared with it once more
    figure: str = ""  # that `gain` is of, where that is not the objective's own: "wall time"
    over_original_figure: str = ""  # likewise of `over_original`: "wall time", "instructions"

    @classmethod
    def of(
        cls,
        candidate: Candidate,
        verdict: Verdict | None,
        decision: Decision,
        reason: str,
        *,
        gain: Gain | None = None,
        measurement: Measurement | None = None,
        counterexample: str | None = None,
        told_to_models: str | None = None,
        counterexample_test: str = "",
        figure: str = "",
    ) -> JudgedCandidate:
        """The candidate with what became of it."""
        proposed = {each.name: getattr(candidate, each.name) for each in fields(Candidate)}
        return cls(
            verdict=verdict,
            decision=decision,
            reason=reason,
            gain=gain,
            measurement=measurement,
            counterexample=counterexample,
            told_to_models=told_to_models,
            counterexample_test=counterexample_test,
            figure=figure,
            **proposed,
        )


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What the winner did on inputs that were never used to select it."""

    inputs: int
    passed: bool
    gain: Gain | None


@dataclass(frozen=True, slots=True)
class Readability:
    """What a rewrite costs its reader."""

    lines_added: int
    lines_removed: int
    branches_added: int  # if, for, while, except, boolean operators, comprehensions: as cyclomatic complexity counts


@dataclass(frozen=True, slots=True)
class Machine:
    """Where the figures come from; seconds do not travel to another machine, ratios do."""

    system: str  # "Linux 6.18 x86_64"
    cpu_model: str
    cpus: int
    memory_kib: int
    python: str  # version of the interpreter that ran the code
    backend: str  # "bubblewrap 0.8.0"
    tier: str  # "rlimits"
    toolchain: str = ""  # of a program in another language: "g++ (Debian 12.2.0-14) 12.2.0"
