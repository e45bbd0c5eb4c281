"""What `selfcheck --json` writes: schema 1; `selfcheck-schema.json` is generated from it."""

from pathlib import Path
from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from afterburner.agent.cli.document_parts import MachinePart
from afterburner.agent.judge.min_effect import HIGHEST, LOWEST
from afterburner.agent.selfcheck.findings import Findings
from afterburner.sandbox.terminal.document import Document


class NoisePart(Document):
    """The noise of one function of the check."""

    subject: str
    call_s: NonNegativeFloat = Field(description="CPU time of one call, the median, seconds.")
    blocks: NonNegativeInt = Field(description="Blocks of samples of identical code.")
    cpu_sd: NonNegativeFloat | None = Field(
        description="Robust standard deviation of the logarithm of a block's ratio of CPU times."
    )
    wall_sd: NonNegativeFloat | None = Field(description="The same for wall time.")
    smallest_gain: float | None = Field(
        ge=1,
        description="Ratio that is found with 95% power; computed from the noise. Null: too little was measured.",
    )


class RatePart(Document):
    """How often identical code was accepted."""

    made: NonNegativeInt = Field(validation_alias="trials")
    accepted: NonNegativeInt = Field(validation_alias="hits")
    upper_bound: float = Field(
        ge=0, le=1, description="Of the rate of false accepts: one-sided, 95%, exact (Clopper and Pearson)."
    )


class KnownGainPart(Document):
    """Decisions on a gain of known size."""

    subject: str
    gain: float = Field(ge=1)
    found: NonNegativeInt
    trials: PositiveInt


class SelfcheckDocument(Document):
    """The result of `afterburner-agent selfcheck --json`."""

    schema_: Literal[1] = Field(alias="schema", description="Version of this contract.")
    interrupted: bool = Field(description="Whether the check was interrupted; nothing is stored then.")
    machine: MachinePart | None = Field(description="Where it was measured; null if interrupted before that was known.")
    noise: list[NoisePart] = Field(description="Of each function of the check.")
    decided_at: float = Field(description="The minimum effect that the decisions were made with.")
    decisions: RatePart = Field(description="Decisions on identical code, best of six, as a run decides.")
    tests: RatePart = Field(description="Tests of identical code against itself, at the least minimum effect.")
    failed_comparisons: NonNegativeInt = Field(description="Comparisons that did not finish.")
    known_gain: KnownGainPart | None = Field(description="Null if there was no time for such decisions.")
    min_effect: float | None = Field(
        ge=LOWEST, le=HIGHEST, description="What follows for this machine; null if too little was measured."
    )
    stored_in: str | None = Field(description="The file that later runs read it from.")
    elapsed_s: NonNegativeFloat


def document_of(findings: Findings, stored: Path | None, *, interrupted: bool) -> SelfcheckDocument:
    """The document of a check."""
    return SelfcheckDocument.model_validate(
        {
            "schema": 1,
            "interrupted": interrupted,
            "machine": findings.machine,
            "noise": findings.floors,
            "decided_at": findings.decided_at,
            "decisions": findings.offered,
            "tests": findings.accepted,
            "failed_comparisons": findings.failed,
            "known_gain": findings.known,
            "min_effect": findings.min_effect,
            "stored_in": None if stored is None else str(stored),
            "elapsed_s": findings.elapsed_s,
        }
    )
