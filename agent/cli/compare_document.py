"""What `compare --json` writes; `compare-schema.json` beside this file is the JSON Schema of these models.

Readers ignore keys that they do not know: new ones may appear without a new schema number.
"""

from collections import Counter
from dataclasses import asdict
from typing import Literal

from pydantic import Field

from afterburner.agent.cli.document_parts import KindPart, SkippedPart, StagePart
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.judge.version_comparison import ComparisonDecision
from afterburner.agent.session.compare import ComparisonResult
from afterburner.agent.types import Objective
from afterburner.sandbox.terminal.document import Document


class VersionDocument(Document):
    """One version."""

    file: str = Field(description="Absolute path.")
    revision: str | None = Field(description="The git commit; null: the file as it is on the disk.")


class GainDocument(Document):
    """How many times smaller AFTER's figure is: 2.0 means half, 0.5 twice as much."""

    ratio: float
    low: float = Field(description="Lower bound of the interval.")
    high: float | None = Field(description="Upper bound; null: none.")
    confidence: float
    blocks: int = Field(validation_alias="pairs", description="How many blocks of samples are behind it.")


class FiguresDocument(Document):
    """What the calls of one version used, by the median of the samples."""

    cpu_time_s: float
    wall_time_s: float


class MemoryDocument(Document):
    """What one version needed in a process of its own; one sample."""

    peak_memory_kib: int
    memory_integral_kib_s: float


class SidesDocument(Document):
    """Times of both versions."""

    before: FiguresDocument
    after: FiguresDocument


class MemorySidesDocument(Document):
    """Memory of both versions."""

    before: MemoryDocument
    after: MemoryDocument


class CounterexampleDocument(Document):
    """An input on which they differ."""

    calls: list[str]
    before: str = Field(validation_alias="expected")
    after: str = Field(validation_alias="actual")
    difference: str
    kind: str
    hash_seed: int
    every_time: bool


class GrowthPointDocument(Document):
    """CPU seconds of one call of a size."""

    size: int
    before_s: float = Field(validation_alias="original_s")
    after_s: float | None = Field(validation_alias="winner_s")


class GrowthDocument(Document):
    """How time grows with the input."""

    scaled: str
    like: str = Field(description="The largest call that was timed: other kinds of calls may grow in another way.")
    before: str | None
    after: str | None
    points: list[GrowthPointDocument]
    note: str


class ComparisonDocument(Document):
    """The result of `afterburner-agent compare`."""

    schema_: Literal[1] = Field(alias="schema")
    decision: ComparisonDecision
    reason: str
    caveat: str | None = Field(
        description="What has to be known of the gain or loss: on which inputs alone it holds, what a first call "
        "takes, what is gained with made inputs or on the real calls alone, on which call AFTER loses, or how much "
        "larger a loss is on larger inputs."
    )
    objection: str | None = Field(description="Why a gate does not believe what was measured; then: too_noisy.")
    function: str | None
    before: VersionDocument
    after: VersionDocument
    changed_files: list[str] = Field(description="Other files that differ, from the project's root.")
    objective: Objective
    gain: GainDocument | None = Field(
        description="On the real calls alone where `all_inputs` is given. null: not measured, as where AFTER alone "
        "reaches a time limit, or where only comments differ."
    )
    all_inputs: GainDocument | None = Field(
        description="The gain on all timed inputs, made ones included, on which the test decided; null: it is `gain`."
    )
    figures: SidesDocument | None = Field(description="Of the inputs that `gain` is of.")
    memory: MemorySidesDocument | None
    growth: GrowthDocument | None
    larger_inputs: str | None = Field(
        description="Whether a slow-down was looked for on larger inputs, how large these were, or why there are none."
    )
    counterexample: CounterexampleDocument | None
    beyond_calls: CounterexampleDocument | None = Field(
        description="A difference on elements of kinds that neither a hint nor a real call has, which does not count."
    )
    inputs: dict[str, int] = Field(description="How many inputs of the workload came from where.")
    made_inputs: list[KindPart] = Field(description="Inputs made to find a difference, on which none was found.")
    skipped: list[SkippedPart]
    min_effect: float
    min_effect_source: str
    float_tolerance: float | None
    assume: list[str] = Field(
        description="What is stated of every input, by `--assume` or `Requires:` in the docstring."
    )
    seed: int
    machine: dict[str, str | int]
    elapsed_s: float
    stages: list[StagePart] = Field(description="Time spent on each step.")


def document_of(result: ComparisonResult) -> ComparisonDocument:
    """The document of a comparison."""
    compared = result.compared
    measured = compared.before is not None and compared.after is not None
    agreed = compared.agreement.by_kind if compared.agreement else ()
    return ComparisonDocument.model_validate(
        {
            "schema": 1,
            "decision": result.decision,
            "reason": compared.reason,
            "objection": compared.objection or None,
            "caveat": compared.caveat or None,
            "function": result.target.function,
            "before": {"file": result.target.path, "revision": result.before_revision or None},
            "after": {"file": result.after_path, "revision": result.after_revision or None},
            "changed_files": result.changed_files,
            "objective": result.objective,
            "gain": compared.gain,
            "all_inputs": compared.all_inputs,
            "figures": {"before": compared.before, "after": compared.after} if measured else None,
            "memory": result.memory,
            "growth": result.growth and _growth(result.growth),
            "larger_inputs": compared.on_larger or None,
            "counterexample": compared.counterexample,
            "beyond_calls": compared.agreement and compared.agreement.beyond_calls,
            "inputs": Counter(result.workload_origins),
            "made_inputs": [{"kind": kind, "inputs": number} for kind, number in agreed],
            "skipped": result.skipped,
            "min_effect": result.min_effect.value,
            "min_effect_source": result.min_effect.source,
            "float_tolerance": result.float_tolerance,
            "assume": result.assume,
            "seed": result.seed,
            "machine": asdict(result.machine),
            "elapsed_s": result.elapsed_s,
            "stages": result.stages,
        }
    )


def _growth(growth: Growth) -> dict[str, object]:
    return {
        "scaled": growth.scaled,
        "like": growth.like,
        "before": growth.original.text if growth.original else None,
        "after": growth.winner.text if growth.winner else None,
        "points": growth.points,
        "note": growth.note or growth.disagreement,
    }
