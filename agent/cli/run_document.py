"""What `run --json` writes: schema 1, described in docs/run-json.md; `run-schema.json` is generated from it."""

from dataclasses import asdict, replace
from typing import Any, Literal

from pydantic import Field, NonNegativeInt

from afterburner.agent.cli.document_parts import (
    CandidatePart,
    GainPart,
    MachinePart,
    MeasurementPart,
    SkippedPart,
    StagePart,
    UsagePart,
)
from afterburner.agent.cli.offer import weigh
from afterburner.agent.evidence.pareto import pareto_front
from afterburner.agent.loop.results import RunDecision, RunResult
from afterburner.agent.loop.right_candidates import right_candidates
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Objective
from afterburner.sandbox.terminal.document import Document, Number


class TargetPart(Document):
    """What was to be optimised."""

    file: str = Field(description="Absolute path of the file.")
    function: str | None = Field(description="`name` or `Class.name`; null when the whole program is the target.")
    language: str = Field(description="A language of the sandbox; of any but Python the whole program is the target.")


class HeldOutPart(Document):
    """The inputs that were never used to select."""

    inputs: NonNegativeInt = Field(description="How many.")
    passed: bool = Field(description="Whether the winner behaved like the original on them.")
    gain: GainPart | None = Field(description="The gain on these inputs alone; null if it was not measured.")


class OfferPart(Document):
    """Whether the improvement is offered."""

    offered: bool = Field(description="False without an improvement, or below --min-gain-per-line.")
    reason: str = Field(description="Why not; empty if offered.")
    gain_per_line: Number = Field(
        description="(gain.ratio - 1) / readability.lines_added; null without a gain or an added line."
    )
    applied: bool = Field(description="Whether the rewrite was written to the file.")


class ReadabilityPart(Document):
    """What the rewrite costs its reader."""

    lines_added: NonNegativeInt
    lines_removed: NonNegativeInt
    branches_added: int = Field(description="Change of the cyclomatic complexity; may be negative.")


class OriginPart(Document):
    """How many inputs came from where."""

    origin: str = Field(description="In words.")
    inputs: NonNegativeInt = Field(description="How many.")


class WrittenCallsPart(Document):
    """Calls that a language model wrote, as nothing else calls the function."""

    model: str = Field(description="The model that answered.")
    code: str = Field(description="Its Python, as it came. It is not to be trusted: only a sandbox has run it.")


class WorkloadPart(Document):
    """What the run was judged on."""

    origins: list[OriginPart]
    from_project: bool = Field(
        description="False: no input comes from the project or the user; a model wrote them, or they were made."
    )
    written: WrittenCallsPart | None = Field(description="Null if no call of a model is among the inputs.")
    skipped: list[SkippedPart] = Field(description="Inputs that could not be used.")


class FitPart(Document):
    """The class of growth that was told."""

    class_: str = Field(
        validation_alias="name",
        serialization_alias="class",
        description="`n²`, `n log n`, …; `unclear` if it could not be told.",
    )
    rivals: list[str] = Field(description="Classes that could not be told apart.")
    exponent: Number = Field(description="Slope of log time over log size, over the larger sizes.")
    error: Number = Field(description="Root mean square of the relative error of the fit.")
    reason: str = Field(description="Why it is unclear, if not for rivals.")


class GrowthPointPart(Document):
    """CPU seconds of one call of a size."""

    size: NonNegativeInt
    original_s: Number
    rewrite_s: Number = Field(validation_alias="winner_s", description="Null where it was not measured.")


class GrowthPart(Document):
    """How CPU time grows with the input."""

    sentence: str = Field(description="`n² → n log n`; empty if nothing was measured.")
    scaled: str = Field(description="What a size counts: `len(items)`.")
    like: str = Field(description="The largest call that was timed: other kinds of calls may grow in another way.")
    original: FitPart | None = Field(description="Null if nothing was measured.")
    rewrite: FitPart | None = Field(validation_alias="winner", description="Likewise.")
    points: list[GrowthPointPart] = Field(description="What was measured.")
    note: str = Field(description="What is missing, and why.")
    disagreement: str = Field(description="Where the rewrite did something else than the original; empty if nowhere.")


class ParetoPart(Document):
    """The original, or a candidate that is the same on the workload."""

    id: str = Field(description="Of the candidate, or `original`.")
    on_front: bool = Field(description="Whether nothing else is both faster and leaner.")
    cpu_time_s: Number
    peak_memory_kib: Number
    memory_integral_kib_s: Number


class GainRangePart(Document):
    """The gain on small inputs and on large ones: the thirds that take the original the least and the most time."""

    small: Number
    large: Number


class RightPart(Document):
    """A candidate that behaved like the original as far as it was tried, and was timed."""

    id: str = Field(description="Of the candidate.")
    over_original: Number = Field(
        description="How many times better than the original: by the latest comparison with it; without one, the gains "
        "over the incumbent and of the incumbent multiplied. Made inputs are included."
    )
    why_not: str = Field(description="Why it is not offered, in plain words; empty if it is the winner.")


class RunDocument(Document):
    """The result of `afterburner-agent run --json`."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this contract.")
    run_id: str = Field(min_length=1, description="Id of the run, under which it is stored.")
    target: TargetPart
    objective: Objective = Field(description="What was to become smaller.")
    model: str = Field(description="The proposer, as given to --model.")
    decision: RunDecision = Field(
        description="Whether a rewrite was proven the same and better; conditional: none was, and a better one is the "
        "same only on a condition, which the reason of its candidate names."
    )
    summary: str = Field(description="One sentence for a person: what was found, or why nothing is offered.")
    gain: GainPart | None = Field(
        description="The winner's proven gain over the original, on the real calls alone where `all_inputs` is given; "
        "null: no improvement."
    )
    all_inputs: GainPart | None = Field(
        description="The gain on all timed inputs, made ones included, on which the test decided; null: it is `gain`."
    )
    gain_by_size: GainRangePart | None = Field(
        description="The gain from small timed inputs to large ones, made ones included; null where they do not differ "
        "in size, or without one."
    )
    original: MeasurementPart = Field(description="The original, its times on the inputs that `gain` is of.")
    best: MeasurementPart = Field(description="The winner likewise; the original again without an improvement.")
    held_out: HeldOutPart
    candidates: list[CandidatePart] = Field(description="Every candidate in the order of the iterations.")
    right: list[RightPart] = Field(
        description="The candidates that were the same on the workload, the winner first, then by their gain; the "
        "winner alone was confirmed."
    )
    notes: list[str] = Field(description="What the user should know about the offer; empty without one.")
    patch: str = Field(description="Unified diff; empty without an improvement.")
    offer: OfferPart
    readability: ReadabilityPart | None = Field(description="Null without an improvement.")
    workload: WorkloadPart
    growth: GrowthPart | None = Field(description="Null if it was not measured.")
    larger_inputs: str = Field(description="What became of a gain above 10x on larger inputs; empty if there was none.")
    pareto: list[ParetoPart] = Field(
        description="The original and every candidate that is the same on the workload, by CPU time."
    )
    machine: MachinePart
    usage: UsagePart | None = Field(description="Null where no language model was to be asked.")
    elapsed_s: float = Field(ge=0, description="Wall time of the whole run, seconds.")
    stages: list[StagePart] = Field(description="Time spent on each step, in the process that finished the run.")
    seed: NonNegativeInt = Field(description="Seed of every random choice.")
    settings: dict[str, Any] = Field(description="The options of the run, by their internal names.")


def document_of(result: RunResult, settings: RunSettings, *, applied: bool = False) -> RunDocument:
    """The document of a finished run; `applied` says whether the rewrite was written to the user's file."""
    evidence, offer = result.evidence, weigh(result, settings.proof.min_gain_per_line)
    target = result.target
    return RunDocument.model_validate(
        {
            "schema": 1,
            "run_id": result.run_id,
            "target": {"file": target.path, "function": target.function, "language": target.language},
            "objective": result.objective,
            "model": result.model,
            "decision": result.decision,
            "summary": result.summary,
            "gain": result.gain if result.improved else None,
            "all_inputs": result.all_inputs,
            "gain_by_size": result.by_size,
            "original": result.original,
            "best": result.best,
            "held_out": result.held_out,
            "candidates": result.candidates,
            "right": right_candidates(result),
            "notes": result.notes,
            "patch": result.patch,
            "offer": {
                "offered": offer.offered,
                "reason": offer.reason,
                "gain_per_line": offer.gain_per_line,
                "applied": applied,
            },
            "readability": result.readability,
            "workload": {
                "origins": [{"origin": origin, "inputs": inputs} for origin, inputs in result.workload_origins],
                "from_project": not result.invented_inputs,
                "written": result.written,
                "skipped": result.skipped,
            },
            "growth": evidence.growth if evidence else None,
            "larger_inputs": evidence.larger_inputs if evidence else "",
            "pareto": [
                {**asdict(point.measurement), "id": point.id, "on_front": point.on_front}
                for point in pareto_front(result.candidates, result.original_on_all)
            ],
            "machine": result.machine,
            "usage": UsagePart.of(result.usage),
            "elapsed_s": result.elapsed_s,
            "stages": result.stages,
            "seed": settings.search.seed,
            "settings": asdict(replace(settings, unsaved=(), problem="")),
        }
    )
