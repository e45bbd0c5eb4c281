"""What `verify --json` writes: schema 1, described in docs/cli.md; `verify-schema.json` is generated from it."""

from typing import Literal

from pydantic import Field, NonNegativeInt

from afterburner.agent.cli.document_parts import KindPart, MachinePart, SkippedPart, StagePart
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verify import Verification
from afterburner.sandbox.terminal.document import Document


class FunctionPart(Document):
    """The function that was compared."""

    file: str = Field(description="Absolute path.")
    function: str


class RoundingPart(Document):
    """By how much floats differ where nothing else does."""

    largest: float = Field(description="Relative to the larger number; near zero, those within 1e-12 do not count.")
    differing: int = Field(description="Inputs on which they differ.")
    inputs: int = Field(description="Inputs that were compared.")
    advised_tolerance: float = Field(description="For --float-tolerance.")


class CounterexamplePart(Document):
    """An input on which they differ."""

    calls: list[str] = Field(min_length=1, description="In the order in which they are made; they differ in the last.")
    expected: str = Field(description="What FILE's function does.")
    actual: str = Field(description="What OTHER's function does.")
    difference: str = Field(description="The first difference, in one line.")
    kind: str = Field(description="How the input came about.")
    hash_seed: int = Field(description="PYTHONHASHSEED under which they differ.")
    rounding: RoundingPart | None = Field(description="Where only rounding differs; null: something else does.")
    every_time: bool = Field(description="False: they differed once, and not when the same was tried again.")
    shrink_steps: NonNegativeInt = Field(description="How often the input was made smaller.")
    remark: str = Field(description="What is not known: whether they are the same on a condition; else empty.")


class VerifyDocument(Document):
    """The result of `afterburner-agent verify`."""

    schema_: Literal[1] = Field(alias="schema")
    target: FunctionPart
    against: str = Field(description="Absolute path of the other file.")
    decision: Literal["no_difference", "conditional", "different"]
    counterexample: CounterexamplePart | None = Field(description="Null where no such input was found.")
    inputs: list[KindPart] = Field(
        description="Distinct inputs on which both did the same; empty with a counterexample."
    )
    from_project: bool = Field(
        description="False: no call of the project or the user is among the inputs, or was varied for them."
    )
    unreached: list[int] = Field(
        description="Lines of FILE's function that no input is known to have reached; empty with a counterexample."
    )
    untried: list[int] = Field(description="Those of `unreached` whose statements OTHER changes or may skip.")
    unvaried: list[str] = Field(
        description="Parameters of which no other argument could be made than those of the real calls."
    )
    broken_tests: str = Field(
        description="Tests of the project that pass with FILE and fail with OTHER, in words; empty: none is known to."
    )
    beyond_hints: CounterexamplePart | None = Field(
        description="A difference on values that FILE's type hints rule out, which does not count; else null."
    )
    beyond_calls: CounterexamplePart | None = Field(
        description="A difference on elements of kinds that neither a hint nor a real call has, which does not count; "
        "else null."
    )
    exhausted: bool = Field(
        description="Whether no further kind of input was left to try; otherwise the time was over."
    )
    skipped: list[SkippedPart] = Field(description="What was left out, and why.")
    machine: MachinePart
    seed: int
    float_tolerance: float | None = Field(description="Largest relative difference of equal floats; null: none.")
    assume: list[str] = Field(
        description="What is stated of every input, by `--assume` or `Requires:` in the docstring."
    )
    elapsed_s: float
    stages: list[StagePart] = Field(description="Time spent on each step.")


def _decision(result: Verification) -> str:
    if result.broken_tests:
        return "different"
    if isinstance(result.found, Counterexample):
        return "conditional" if result.found.provided else "different"
    return "no_difference"


def document_of(result: Verification, seed: int, float_tolerance: float | None) -> VerifyDocument:
    """The document of a comparison of two functions."""
    found = result.found
    counterexample = found if isinstance(found, Counterexample) else None
    agreement = found if isinstance(found, Agreement) else Agreement()
    return VerifyDocument.model_validate(
        {
            "schema": 1,
            "target": {"file": result.target.path, "function": result.target.function},
            "against": result.against,
            "decision": _decision(result),
            "counterexample": counterexample,
            "inputs": [{"kind": kind, "inputs": number} for kind, number in agreement.by_kind],
            "from_project": not result.invented_inputs,
            "unreached": agreement.unreached,
            "unvaried": agreement.unvaried,
            "untried": result.untried,
            "broken_tests": result.broken_tests,
            "beyond_hints": agreement.beyond_hints,
            "beyond_calls": agreement.beyond_calls,
            "exhausted": agreement.exhausted,
            "skipped": result.skipped,
            "machine": result.machine,
            "seed": seed,
            "float_tolerance": float_tolerance,
            "assume": result.assume,
            "elapsed_s": result.elapsed_s,
            "stages": result.stages,
        }
    )
