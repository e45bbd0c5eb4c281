"""Raw problems that lack a field, or have it under nearly the same name: nothing is judged by another rule unsaid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.datasets.raw import RawProblem
from afterburner.evals.datasets.registry import sample_of
from afterburner.evals.problems import Rejected
from afterburner.evals.recipe.builder import LeftOutError
from afterburner.evals.recipe.framing import read_raw_problems

if TYPE_CHECKING:
    from pathlib import Path

KNOWN, _ = (json.loads(line) for line in sample_of("venus").read_text("utf-8").splitlines())
HUB = json.loads(sample_of("venus-hub").read_text("utf-8").splitlines()[0])
MEANT = "unknown field test_case_evaluater. Did you mean test_case_evaluator?"


def read(tmp_path: Path, record: dict[str, Any]) -> RawProblem | Rejected:
    """Read the only record of a file."""
    path = tmp_path / "raw.jsonl"
    path.write_text(json.dumps(record) + "\n", "utf-8")
    (found,) = read_raw_problems(path)
    return found


def renamed(record: dict[str, Any], name: str, other: str) -> dict[str, Any]:
    """The record with a field under another name."""
    return {other if key == name else key: value for key, value in record.items()}


@pytest.mark.parametrize("name", ["test_case_evaluator", "test_case_generator", "test_case_runners", "solutions"])
def test_a_record_without_a_required_field_is_left_out(tmp_path: Path, name: str) -> None:
    """So is one in which it is null."""
    for record, reason in ((renamed(KNOWN, name, "x"), "it is missing"), (KNOWN | {name: None}, "it is null")):
        found = read(tmp_path, record)
        assert isinstance(found, Rejected)
        assert found.without_place == f"{name}: {reason}"


def test_a_field_that_may_be_misspelt_is_named_with_the_reason(tmp_path: Path) -> None:
    found = read(tmp_path, renamed(KNOWN, "test_case_evaluator", "test_case_evaluater"))
    assert isinstance(found, Rejected)
    assert found.without_place == f"test_case_evaluator: it is missing; {MEANT}"


def test_a_field_that_may_be_left_out_is_named_where_it_may_be_misspelt(tmp_path: Path) -> None:
    """Of a solution, the first place counts. A field beside the one that it resembles is none of these.

    A repeated solution stays: the recipe drops it, and counts it.
    """
    solutions = [renamed(each, "passed", "pased") for each in KNOWN["solutions"]] * 2
    record = renamed(KNOWN, "difficulty", "dificulty \ud800") | {"solutions": solutions, "test_case_runner": ""}
    found = read(tmp_path, record)
    assert isinstance(found, RawProblem)
    assert len(found.solutions) == len(solutions)
    assert found.notes == (
        "unknown field dificulty ?. Did you mean difficulty?",
        "unknown field solutions[0].pased. Did you mean passed?",
    )


def test_an_empty_text_and_the_layout_without_these_fields_leave_the_rule_to_the_recipe(tmp_path: Path) -> None:
    empty = read(tmp_path, KNOWN | {"test_case_evaluator": "", "test_case_generator": ""})
    hub = read(tmp_path, HUB)
    for found in (empty, hub):
        assert isinstance(found, RawProblem)
        assert (found.evaluator, found.generator, found.notes) == ("", "", ())


def test_what_is_left_out_later_tells_the_misspelt_field_and_the_rule(sums: Any) -> None:
    """A right answer may have failed by the rule that nobody chose."""
    with pytest.raises(LeftOutError) as left_out:
        sums.builder().build(sums.raw(solutions=("print(1)", "print(2)", "print(3)"), notes=(MEANT,)))
    assert left_out.value.reason == (
        "0 of 3 solutions pass its stored cases (no evaluator: outputs are compared by lines); "
        f"at least 3 are needed; {MEANT}"
    )
