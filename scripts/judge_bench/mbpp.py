"""MBPP+ (EvalPlus, Apache-2.0): functions with a few base inputs, and many plus inputs that are held out here."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "mbpp" / "MbppPlus.jsonl.gz"
_MOST_PLUS = 150  # inputs of a problem; most have about 100
_LARGEST = 20_000  # characters of an input


@dataclass(frozen=True, slots=True)
class MbppProblem:
    """One problem. Inputs are lists of arguments, as JSON has them: its tuples are lists."""

    name: str
    function: str
    source: str
    base: tuple[list[Any], ...]
    plus: tuple[list[Any], ...]


def read_problems(path: Path = DATA) -> list[MbppProblem]:
    """All problems, in the order of the file.

    Raises:
        OSError: the file is not there.
    """
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_problem(json.loads(line)) for line in lines]


def _problem(found: dict[str, Any]) -> MbppProblem:
    plus = [each for each in found["plus_input"] if len(str(each)) < _LARGEST]
    return MbppProblem(
        found["task_id"].replace("/", "-").lower(),
        found["entry_point"],
        found["canonical_solution"].strip() + "\n",
        tuple(found["base_input"]),
        tuple(plus[:_MOST_PLUS]),
    )


def hints_for(problem: MbppProblem) -> tuple[str, ...]:
    """A type hint for each parameter that fits all base inputs: what the baselines are told of the function."""
    return tuple(_hint(values) for values in zip(*problem.base, strict=False))


def _hint(values: tuple[Any, ...]) -> str:
    kinds = sorted({_kind(value) for value in values})
    return " | ".join(kinds)


def _kind(value: Any) -> str:
    match value:
        case list():
            inner = sorted({_kind(each) for each in value})
            return f"list[{' | '.join(inner)}]" if inner else "list[int]"
        case dict():
            keys, held = ({_kind(each) for each in part} for part in (value.keys(), value.values()))
            return f"dict[{' | '.join(sorted(keys)) or 'str'}, {' | '.join(sorted(held)) or 'int'}]"
        case None:
            return "None"
    return type(value).__name__
