"""What `compare --json` writes; `compare-schema.json` beside this file is the JSON Schema of these models.

Readers ignore keys that they do not know: new ones may appear without a new schema number.
"""

import json
from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from afterburner.agent.compare import ComparisonResult
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.judge.comparing import ComparisonDecision
from afterburner.agent.judge.verification.outcome import Counterexample
from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement


class Document(BaseModel):
    """One JSON document, or a part of it."""

    model_config = ConfigDict(frozen=True, serialize_by_alias=True, json_schema_serialization_defaults_required=True)

    def to_text(self) -> str:
        """ASCII, with a newline at its end."""
        return json.dumps(self.model_dump(mode="json"), indent=2, allow_nan=False) + "\n"

    @classmethod
    def published_form(cls) -> dict[str, Any]:
        """The JSON Schema of what is written."""
        return cls.model_json_schema(mode="serialization")


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
    blocks: int = Field(description="How many blocks of samples are behind it.")


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
    before: str
    after: str
    difference: str
    kind: str
    hash_seed: int
    every_time: bool


class GrowthPointDocument(Document):
    """CPU seconds of one call of a size."""

    size: int
    before_s: float
    after_s: float | None


class GrowthDocument(Document):
    """How time grows with the input."""

    scaled: str
    before: str | None
    after: str | None
    points: list[GrowthPointDocument]
    note: str


class KindDocument(Document):
    """How many made inputs of a kind agreed."""

    kind: str
    inputs: int


class SkippedDocument(Document):
    """What could not be used, and why."""

    origin: str
    reason: str


class ComparisonDocument(Document):
    """The result of `afterburner-agent compare`."""

    schema_: Literal[1] = Field(alias="schema")
    decision: ComparisonDecision
    reason: str
    objection: str | None = Field(description="Why a gate does not believe what was measured; then: too_noisy.")
    function: str | None
    before: VersionDocument
    after: VersionDocument
    changed_files: list[str] = Field(description="Other files that differ, from the project's root.")
    objective: Objective
    gain: GainDocument | None
    figures: SidesDocument | None
    memory: MemorySidesDocument | None
    growth: GrowthDocument | None
    larger_inputs: str | None
    counterexample: CounterexampleDocument | None
    inputs: dict[str, int] = Field(description="How many inputs of the workload came from where.")
    made_inputs: list[KindDocument] = Field(description="Inputs made to find a difference, on which none was found.")
    skipped: list[SkippedDocument]
    min_effect: float
    min_effect_source: str
    float_tolerance: float | None
    seed: int
    machine: dict[str, str | int]
    elapsed_s: float


def document_of(result: ComparisonResult) -> ComparisonDocument:
    """The document of a comparison."""
    compared, example = result.compared, result.compared.counterexample
    origins = dict.fromkeys(result.workload_origins, 0)
    for origin in result.workload_origins:
        origins[origin] += 1
    agreed = compared.agreement.by_kind if compared.agreement else ()
    return ComparisonDocument(
        schema=1,
        decision=result.decision,
        reason=compared.reason,
        objection=compared.objection or None,
        function=result.target.function,
        before=VersionDocument(file=result.target.path, revision=result.before_revision or None),
        after=VersionDocument(file=result.after_path, revision=result.after_revision or None),
        changed_files=list(result.changed_files),
        objective=result.objective,
        gain=_gain(result),
        figures=_figures(compared.before, compared.after),
        memory=_memory(result),
        growth=_growth(result.growth),
        larger_inputs=compared.larger_inputs or None,
        counterexample=_counterexample(example),
        inputs=origins,
        made_inputs=[KindDocument(kind=kind, inputs=number) for kind, number in agreed],
        skipped=[SkippedDocument(**asdict(each)) for each in result.skipped],
        min_effect=result.min_effect.value,
        min_effect_source=result.min_effect.source,
        float_tolerance=result.float_tolerance,
        seed=result.seed,
        machine=asdict(result.machine),
        elapsed_s=result.elapsed_s,
    )


def _gain(result: ComparisonResult) -> GainDocument | None:
    gain = result.compared.gain
    if gain is None:
        return None
    high = gain.high if gain.high < float("inf") else None
    return GainDocument(ratio=gain.ratio, low=gain.low, high=high, confidence=gain.confidence, blocks=gain.pairs)


def _figures(before: Measurement | None, after: Measurement | None) -> SidesDocument | None:
    if before is None or after is None:
        return None
    sides = [FiguresDocument(cpu_time_s=each.cpu_time_s, wall_time_s=each.wall_time_s) for each in (before, after)]
    return SidesDocument(before=sides[0], after=sides[1])


def _memory(result: ComparisonResult) -> MemorySidesDocument | None:
    if result.memory is None:
        return None
    sides = [
        MemoryDocument(peak_memory_kib=each.peak_memory_kib, memory_integral_kib_s=each.memory_integral_kib_s)
        for each in (result.memory.before, result.memory.after)
    ]
    return MemorySidesDocument(before=sides[0], after=sides[1])


def _growth(growth: Growth | None) -> GrowthDocument | None:
    if growth is None:
        return None
    return GrowthDocument(
        scaled=growth.scaled,
        before=growth.original.text if growth.original else None,
        after=growth.winner.text if growth.winner else None,
        points=[
            GrowthPointDocument(size=each.size, before_s=each.original_s, after_s=each.winner_s)
            for each in growth.points
        ],
        note=growth.note or growth.disagreement,
    )


def _counterexample(found: Counterexample | None) -> CounterexampleDocument | None:
    if found is None:
        return None
    return CounterexampleDocument(
        calls=list(found.calls),
        before=found.expected,
        after=found.actual,
        difference=found.difference,
        kind=found.kind,
        hash_seed=found.hash_seed,
        every_time=found.every_time,
    )
