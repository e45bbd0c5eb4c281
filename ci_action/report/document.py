"""What `afterburner-agent ci` found, as it travels from the job that measures to the job that comments.

The second job has a token, and the first one may be a stranger's: so the fields say what each value may be, and
`reading` takes nothing else. `ci-schema.json` is the JSON Schema of these models.
"""

import hashlib
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from afterburner.agent.evidence.receipt_parts import DottedName, PathInside

MOST_FUNCTIONS = 200
MOST_LINES = 100_000
LONGEST_BLOCK = 120  # lines that a suggestion may replace


class Mode(StrEnum):
    """What the command looks for."""

    OPTIMIZE = "optimize"  # faster rewrites of what the pull request changes
    REGRESSIONS = "regressions"  # functions that the pull request makes slower
    PROVE = "prove"  # whether the pull request is as fast, and as right, as it says
    SCHEDULE = "schedule"  # faster rewrites of the whole repository, a part each time


class Decision(StrEnum):
    """What is known of a function; of a rewrite, or of the pull request's version against the base's."""

    IMPROVED = "improved"
    CONDITIONAL = "conditional"
    NO_IMPROVEMENT = "no_improvement"
    NOTHING_TO_PROPOSE = "nothing_to_propose"
    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"
    DIFFERENT = "different"
    TOO_NOISY = "too_noisy"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    NOT_REACHED = "not_reached"


Words = Annotated[str, Field(max_length=2_000)]
Sha = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
Figure = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Line = Annotated[int, Field(ge=1, le=MOST_LINES)]
Code = Annotated[str, Field(max_length=60_000)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class GainPart(_Part):
    """How many times smaller the second figure is: 2.0 means half the time, 0.5 twice the time."""

    ratio: Figure
    low: Figure
    high: Figure | None = Field(description="null: no upper bound.")
    confidence: Annotated[float, Field(ge=0, le=1)]
    figure: Literal["CPU time", "wall time", "peak memory", "memory integral"] | None = Field(
        default=None, description="What the ratio is of; null: a version wrote the report that did not say."
    )


class FiguresPart(_Part):
    """What both versions used. CPU time is of the measured calls together; peak memory is of a process."""

    before_cpu_s: Figure
    after_cpu_s: Figure
    before_peak_kib: Figure | None
    after_peak_kib: Figure | None


class LossPart(_Part):
    """Inputs on which a rewrite is slower, though it is faster on the workload as a whole."""

    inputs: Literal["small", "large"]
    times_slower: Figure


class CounterexamplePart(_Part):
    """An input on which the two versions differ."""

    calls: Annotated[list[Words], Field(max_length=20)]
    before: Words
    after: Words


class EditPart(_Part):
    """Whole lines in place of others, in the file of the head commit."""

    first: Line = Field(description="The first line that changes.")
    last: Annotated[int, Field(ge=0, le=MOST_LINES)] = Field(
        description="The last line that changes; first - 1: the text is put in before `first`."
    )
    text: Code

    @model_validator(mode="after")
    def _lines_in_order(self) -> Self:
        if self.last < self.first - 1:
            raise ValueError("its last line stands before its first")
        return self


class RewritePart(_Part):
    """A proven rewrite."""

    patch: Code = Field(description="A unified diff, with paths from the repository's root.")
    edits: Annotated[list[EditPart], Field(max_length=200)]
    block: EditPart | None = Field(
        description="All edits as one block of lines, for a suggestion; null: they are too far apart."
    )
    merged: bool = Field(description="Whether it is one of those that were tested together, which the patch holds.")
    is_executable: bool = Field(description="Of the file, as git knows it.")
    receipt: Annotated[str, Field(max_length=300, pattern=r"^receipts/[A-Za-z0-9_.-]+$")] | None = Field(
        description="The file of the receipt, beside the report."
    )


class FunctionPart(_Part):
    """A function, and what is known of it."""

    file: PathInside = Field(description="From the repository's root, at the head commit.")
    function: DottedName
    line: Line = Field(description="The first line of the function at the head commit.")
    last_line: Line
    blob: Sha = Field(description="The git blob of the file that was measured.")
    source_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] = Field(
        description="Of the function's text: what a later run remembers it by."
    )
    decision: Decision
    reason: Words
    share: Annotated[float, Field(ge=0, le=1)] | None = Field(
        description="What a rewrite could save at best, in all profiled CPU time; null: nothing was profiled."
    )
    gain: GainPart | None
    losses: Annotated[list[LossPart], Field(max_length=2)]
    figures: FiguresPart | None
    caveat: Words = Field(default="", description="What has to be known before the rewrite is taken; empty: nothing.")
    real_kinds_alone: bool = Field(
        default=False,
        description="By `prove`: whether the versions differ on elements of kinds that no real call holds and no type "
        "hint rules out, as the caveat tells.",
    )
    larger_inputs: Words = Field(
        default="",
        description="By `regressions`: how large the inputs were on which a slow-down was looked for, or why there "
        "were none larger than the real ones; empty if nothing was measured.",
    )
    evidence: Annotated[list[Words], Field(max_length=20)] = Field(description="What the decision rests on.")
    left_out_requirements: Annotated[list[Words], Field(max_length=20)] = Field(
        default=[],
        description="Which lines below `Requires:` in the docstring state nothing, and why, such as words.",
    )
    counterexample: CounterexamplePart | None
    rewrite: RewritePart | None
    cut_short: bool = Field(
        default=False, description="Whether more time might have given a rewrite to offer, or an answer."
    )
    elapsed_s: Figure

    @property
    def is_of_real_kinds(self) -> bool:
        """Whether it is proven only for elements of the kinds that real calls hold."""
        return self.real_kinds_alone and self.decision in (Decision.FASTER, Decision.SAME)

    @property
    def is_proven_in_part(self) -> bool:
        """Whether the versions are the same only on a condition, or only for elements of the kinds of real calls."""
        return self.is_of_real_kinds or self.decision is Decision.CONDITIONAL

    @property
    def key(self) -> str:
        """What remembers the function across runs: its file, its name and its text."""
        return function_key(self.file, self.function, self.source_sha256)


class LeftOutPart(_Part):
    """A file or a function that was not looked at, and why."""

    file: PathInside
    function: DottedName | None
    line: Line | None = Field(default=None, description="Where the file has a syntax error.")
    is_unknown: bool = Field(
        default=False, description="Whether nothing is known of what was changed, since the file could not be read."
    )
    beyond_max_functions: bool = Field(
        default=False, description="Whether it was left out because `max-functions` others come before it."
    )
    reason: Words


class CiDocument(_Part):
    """What one run of `afterburner-agent ci` found."""

    schema_: Annotated[Literal[1], Field(alias="schema")] = 1
    version: Annotated[str, Field(max_length=50)] = Field(description="Of Afterburner Agent.")
    mode: Mode
    base: Sha | None = Field(description="The commit that is compared with; null: none, as by a schedule.")
    head: Sha = Field(description="The commit that was measured.")
    objective: Literal["time", "memory", "integral"]
    model: Annotated[str, Field(max_length=300)]
    machine: Words
    min_effect: Figure = Field(description="The least gain that counts: 0.05 means 5%.")
    functions: Annotated[list[FunctionPart], Field(max_length=MOST_FUNCTIONS)]
    left_out: Annotated[list[LeftOutPart], Field(max_length=MOST_FUNCTIONS)]
    notes: Annotated[list[Words], Field(max_length=50)] = Field(description="What else there is to say of the run.")
    patch: Annotated[str, Field(max_length=400_000)] = Field(description="All rewrites that go together, as one diff.")
    tests: Words = Field(description="What the project's tests say with all rewrites in place; empty: nothing to say.")
    cost_usd: Figure | None = Field(description="What models cost; null: none was asked, or it is not known.")
    interrupted: bool = Field(default=False, description="Whether the run was ended before it was done.")
    elapsed_s: Figure

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)

    def of(self, *decisions: Decision) -> list[FunctionPart]:
        """The functions with one of these decisions."""
        return [each for each in self.functions if each.decision in decisions]

    @property
    def considered(self) -> int:
        """How many functions there were to look at. Those count that were left out, but for `max-functions`."""
        left_out = sum(each.function is not None for each in self.left_out)
        return len(self.functions) + left_out - self.beyond_max_functions

    @property
    def beyond_max_functions(self) -> int:
        """How many functions were left out by `max-functions`."""
        return sum(each.beyond_max_functions and each.function is not None for each in self.left_out)

    @property
    def without_answer(self) -> list[FunctionPart]:
        """What the headline counts: the undecided functions, and those of which more time might have shown more."""
        return [each for each in self.functions if self._is_undecided(each) or each.cut_short]

    @property
    def unanswered(self) -> list[FunctionPart]:
        """What `fail-on: no-answer` fails for: the undecided functions, and by `prove` also what is proven in part.

        That is what is the same only on a condition, or only for elements of the kinds that real calls hold.
        """
        is_proof = self.mode is Mode.PROVE
        return [each for each in self.functions if self._is_undecided(each) or (is_proof and each.is_proven_in_part)]

    def _is_undecided(self, function: FunctionPart) -> bool:
        """Whether nothing certain was found out. `regressions` compares no versions that behave differently."""
        if function.decision is Decision.DIFFERENT:
            return self.mode is Mode.REGRESSIONS
        return function.decision in (
            Decision.TOO_NOISY,
            Decision.FAILED,
            Decision.INTERRUPTED,
            Decision.NOT_REACHED,
        )

    @property
    def has_regressions(self) -> bool:
        """Whether a function has become slower, or by `prove` behaves differently."""
        return bool(self.of(Decision.SLOWER)) or (self.mode is Mode.PROVE and bool(self.of(Decision.DIFFERENT)))

    @property
    def not_failed(self) -> list[FunctionPart]:
        """The functions of which something was found out, or would have been with more time."""
        return [each for each in self.functions if each.decision is not Decision.FAILED]

    @property
    def not_looked_at(self) -> list[FunctionPart]:
        """The functions that were not looked at, or not to the end: the time was up, or the run was interrupted."""
        return self.of(Decision.NOT_REACHED, Decision.INTERRUPTED)

    @property
    def best_gain(self) -> GainPart | None:
        """The largest gain of a rewrite, or of the pull request's own version."""
        gains = [each.gain for each in self.of(Decision.IMPROVED, Decision.FASTER) if each.gain is not None]
        return max(gains, key=lambda gain: gain.ratio, default=None)


def function_key(file: str, function: str, source_sha256: str) -> str:
    """A short hash of a function's file, name and text."""
    return hashlib.sha256(f"{file}\0{function}\0{source_sha256}".encode()).hexdigest()[:24]
