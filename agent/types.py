"""The agent's words (design.md): objective, target, workload, candidate, comparison, run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.evidence.gather import Evidence
    from afterburner.agent.models.requests.usage import Usage
    from afterburner.sandbox import Measurement, Verdict


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
    origin: str  # "captured from __main__", "doctest", "pytest: tests/test_report.py", "generated", "derived"
    description: str  # "call 3: pairs([1, 2, …], 7)", bounded, scrubbed
    cpu_time_s: float  # of the original, when it was found
    expected: bytes = b""  # canonical encoding of the original's outcome
    position: int = 0  # in the order in which the calls were found; state that lives across calls shows only in it


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
class Workload:
    """What a target is judged and measured on; `held_out` is never used for selection, only to confirm the winner."""

    calls: tuple[WorkloadCall, ...] = ()
    held_out_calls: tuple[WorkloadCall, ...] = ()
    cases: tuple[WorkloadCase, ...] = ()
    held_out_cases: tuple[WorkloadCase, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    float_tolerance: float | None = None  # how calls are judged: see `CallCase`
    fixed_clock: bool = False  # likewise; what the original does depends on the time

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

    `low` and `high` bound the ratio at `confidence`, from a signed-rank test turned round (`selection/sequential.py`).
    Of a candidate that was only screened they are the range of its blocks, at confidence 0. `pairs` counts the blocks
    of interleaved samples, several of each side, behind it.
    """

    ratio: float
    low: float
    high: float
    confidence: float
    pairs: int


@dataclass(frozen=True, slots=True)
class JudgedCandidate:
    """A candidate and what became of it; the row of the report's table."""

    id: str  # "1.3": iteration 1, third candidate
    iteration: int
    proposer: str  # "rules: join-strings", "openai/gpt-…", "replay:answers.jsonl"
    verdict: Verdict | None  # None: it was never run
    decision: Decision
    reason: str  # one sentence for the user
    gain: Gain | None = None  # over the incumbent of its iteration
    measurement: Measurement | None = None
    source: str = ""  # the whole file with the rewrite in place
    reasoning: str = ""
    counterexample: str | None = None  # `f([1, 1]) returned 2 instead of 1`: a call, and how it differs there
    answer_form: str = ""  # how the model's answer was read: "strict", "no tags, prose around"; empty: it is none


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


@dataclass(frozen=True, slots=True)
class RunResult:
    """One finished run of the loop on one target. Gains are of the winner against the original, from confirmation."""

    run_id: str
    target: Target
    objective: Objective
    model: str
    improved: bool
    summary: str  # one sentence: what was found, or why nothing is offered
    gain: Gain | None
    original: Measurement
    best: Measurement
    held_out: HeldOut
    candidates: tuple[JudgedCandidate, ...]
    patch: str  # unified diff, empty without an improvement
    best_source: str  # the whole file as offered
    readability: Readability | None
    workload_origins: tuple[tuple[str, int], ...]  # ("captured from __main__", 12), …
    skipped: tuple[Skipped, ...]
    machine: Machine
    elapsed_s: float
    evidence: Evidence | None = None  # of an offer
    notes: tuple[str, ...] = ()  # what the user should know about the offer
    usage: Usage | None = None  # of language models; None: none was asked


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Something a person who waits wants to know."""

    stage: str  # prepare | generate | profile | select | confirm
    message: str  # "1.3 rules: join-strings: 1.8x (1.7 to 1.9)"
    iteration: int = 0
    best_ratio: float | None = None  # of the incumbent over the original, as far as known
    spent: str = ""  # "3 requests, 4,210 tokens, $0.0031": what language models have cost so far


@dataclass(frozen=True)
class RunSettings:
    """What the user asked for; the command line's options, typed."""

    file: str
    function: str | None = None
    objective: Objective = Objective.TIME
    model: str = "rules"
    iterations: int = 4  # rounds of generate, profile, select
    candidates: int = 1  # answers asked of a language model in each iteration
    context_tokens: int = 3_000  # of what a model is told of the project around the function
    allow_imports: tuple[str, ...] = ()  # modules or distributions that a rewrite may newly import; "all"
    calls_file: str | None = None  # a Python file whose execution calls the target
    cases_dir: str | None = None  # NAME.in / NAME.out pairs
    python: str | None = None  # the user's interpreter
    seed: int = 0
    max_seconds: float = 300.0
    min_effect: float = 0.05  # a gain's lower bound must exceed 1 + this
    min_effect_source: str = ""  # who said so; empty: nobody, and what selfcheck found on this machine holds
    float_tolerance: float | None = None  # the largest relative difference of two floats; None: none at all
    deterministic: bool = False  # count instructions under valgrind, too
    min_gain_per_line: float = 0.0  # gain (ratio - 1) per added line below which an offer is only displayed
    tell: str = "all"  # what a language model is told: see `proposers/telling.py`
    fallbacks: tuple[str, ...] = ()  # models that are asked, in this order, where the one before fails
    max_cost_usd: float | None = None  # caps on what language models may use; None: as much as it takes
    max_tokens: int | None = None
    max_requests: int | None = None
    timeout_s: float = 120.0  # for one whole answer of a language model
    retries: int = 3  # of a request that failed for a while
    cache: bool = True  # whether a model's answer that is stored is given again
    record: str | None = None  # where answers are written for `replay:`
    receipt: bool = False  # whether to keep what a receipt is written from
    language: str | None = None  # of the file; None: its suffix tells, else it is Python
    search: str = "adaptive"  # a preset of `afterburner.agent.loop.search_policy`: what the following leave open
    patience: int | None = None  # rounds in a row without a better rewrite that end the search; 0: none do
    restart: int | None = None  # likewise, after which rounds go on from the next best; 0: never
    temperature: str = ""  # "0.7", or "0.2:1.0" of the first round and the last; empty: the model's own
    command: tuple[str, ...] = ()  # what stands behind `python`: its calls of the target are the workload
    command_folder: str = ""  # where it starts
    project_root: str = ""  # of the target; empty: it is found by the file
    top: int = 0  # over so many targets of `file`, which may be a folder; 0: a run on one
    test_files: tuple[str, ...] | None = None  # that reach the target, from the project's root; None: find them
