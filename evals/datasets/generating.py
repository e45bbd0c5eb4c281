"""Test cases made by the generator that a record has; it is third-party code, and runs in the sandbox alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from afterburner.evals.datasets.asking import DATASET_LIMITS, answer_of, is_text
from afterburner.evals.errors import RecordError
from afterburner.evals.inside import generate

if TYPE_CHECKING:
    from afterburner.sandbox import Limits, Sandbox

FIELD = "test_case_generator"


class GeneratedCase(TypedDict):
    """What a generator made: a text for stdin, and what it says has to be printed; None: it does not say."""

    input: str
    output: str | None


def run_generator(
    sandbox: Sandbox, source: str, num_cases: int, seed: int = 42, limits: Limits = DATASET_LIMITS
) -> list[GeneratedCase]:
    """Make test cases by `generate_test_cases(num_cases, seed=seed)` of a Python source.

    Args:
        sandbox: where it runs.
        source: of the generator; it may be hostile.
        num_cases: how many are wanted.
        seed: of its chance.
        limits: for the run.

    Returns:
        As many as it made, at least one; at most `num_cases`.

    Raises:
        RecordError: it failed, never ended, or made something else than test cases.
        AfterburnerError: as `Sandbox.run`.
    """
    program = f"{_generating()}\n\ngenerate({source!r})\n"
    made = answer_of(sandbox, program, {"num_cases": num_cases, "seed": seed}, FIELD, limits)
    if not isinstance(made, list) or not made:
        raise RecordError(FIELD, f"it made no list of test cases, but {_kind(made)}")
    return [_case(number, each) for number, each in enumerate(made[:num_cases], start=1)]


def _case(number: int, made: object) -> GeneratedCase:
    if not isinstance(made, dict):
        raise RecordError(FIELD, f'case {number} that it made is {_kind(made)}, not {{"input": …, "output": …}}')
    given, expected = made.get("input"), made.get("output")
    if not is_text(given) or not (expected is None or is_text(expected)):
        raise RecordError(
            FIELD, f"case {number} that it made has {_kind(given)} as input and {_kind(expected)} as output, not texts"
        )
    return {"input": given, "output": expected}


def _kind(value: object) -> str:
    return "an empty list" if value == [] else f"a {type(value).__name__}"


@cache
def _generating() -> str:
    return Path(generate.__file__).read_text("utf-8")
