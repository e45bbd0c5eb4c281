"""COFFE: tests as data, stress inputs as expressions that the sandbox evaluates, answers by the canonical solution."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.evals import datasets
from afterburner.evals.datasets.coffe import read_coffe
from afterburner.evals.datasets.files import records_of_file
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.errors import RecordError
from afterburner.evals.inside.values import decode
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem
    from afterburner.sandbox import Sandbox

    Judge = Callable[[Problem, str], Verdict]

SAMPLES = Path(datasets.__file__).parent / "samples" / "coffe.jsonl"
REAL = "coffe_function/function.jsonl.gz"
SOME_REAL = ("HumanEval/15", "433")


def _records(path: Path) -> dict[str, Record]:
    return {each.name: each for each in records_of_file(path) if isinstance(each, Record)}


@pytest.fixture(scope="module")
def context(sandbox: Sandbox) -> ReadingContext:
    return ReadingContext(sandbox=lambda: sandbox, dataset="coffe")


def test_makes_cases_of_both_kinds(context: ReadingContext) -> None:
    """Tests with the answers of the record, stress tests with those of the canonical solution."""
    gap = read_coffe(_records(SAMPLES)["HumanEval/900"], context)
    cases = gap.problem.test_cases

    assert [case.name for case in cases] == ["test 0", "test 1", "test 2", "stress 0", "stress 1"]
    assert [decode(case.expected_stdout) for case in cases[:3]] == [2, 0, 4]  # type: ignore[arg-type]
    assert decode(cases[4].stdin).text == "[list(range(20000, 0, -1))]"
    assert decode(cases[4].expected_stdout) == 1  # type: ignore[arg-type]
    assert gap.notes == ()
    assert "largest_gap" in gap.problem.task


def test_takes_the_types_of_answers_from_the_canonical_solution(context: ReadingContext, judge: Judge) -> None:
    """JSON has no tuples: COFFE's rule takes a list for one, ours does not."""
    ends = read_coffe(_records(SAMPLES)["900"], context)
    lists = "def end_points(values):\n    return [min(values), max(values)]"

    assert decode(ends.problem.test_cases[0].expected_stdout) == (1, 3)  # type: ignore[arg-type]
    assert ends.strict is not None
    assert judge(ends.problem, lists) is Verdict.ACCEPTED
    assert judge(ends.strict, lists) is Verdict.WRONG_ANSWER
    for reference in ends.references:
        assert judge(ends.problem, reference.code) is Verdict.ACCEPTED
        assert judge(ends.strict, reference.code) is Verdict.ACCEPTED
    assert not ends.problem.task.rstrip().endswith("```python")


@pytest.mark.parametrize(
    "code",
    [
        "def largest_gap(numbers):\n    return 2",
        "def largest_gap(numbers):\n    return [2, 0, 4, 1, 1]",
        "def largest_gap(numbers):\n    print(2)",
        "import os\ndef largest_gap(numbers):\n    os.write(1, b'2\\n')\n    os._exit(0)",
        "class Any(int):\n    def __eq__(self, other): return True\ndef largest_gap(numbers):\n    return Any(2)",
        "def largest_gap(numbers):\n    numbers.clear()\n    return max(numbers, default=0)",
        "import sys\nsys.modules['inside.calling'].encode = lambda value: '2'\ndef largest_gap(numbers):\n    return 0",
        "raise SystemExit(0)",
        "largest_gap = 2",
    ],
)
def test_refuses_wrong_solutions_and_those_that_cheat(context: ReadingContext, judge: Judge, code: str) -> None:
    """By both rules, whatever a solution does to the process that calls it."""
    gap = read_coffe(_records(SAMPLES)["HumanEval/900"], context)

    assert gap.strict is not None
    assert judge(gap.problem, code) is not Verdict.ACCEPTED
    assert judge(gap.strict, code) is not Verdict.ACCEPTED


def test_leaves_out_stress_tests_that_nobody_can_answer(context: ReadingContext) -> None:
    """An expression that fails, one without plain data, and one that the canonical solution fails on: notes say so."""
    record = _records(SAMPLES)["HumanEval/900"]
    inputs = ["[undefined]", "[[[1], 2]]", "['text', 1]", "__import__('os').listdir('/root')", "[[1, 9]]"]
    stress = [{"input": each, "output": None} for each in inputs]
    found = read_coffe(Record({**record.values, "stress_testcases": stress}), context)

    assert [case.name for case in found.problem.test_cases] == ["test 0", "test 1", "test 2", "stress 4"]
    assert [note.split(" is left out")[0] for note in found.notes] == ["stress 0", "stress 1", "stress 2", "stress 3"]


def test_tells_where_a_record_contradicts_itself(context: ReadingContext, judge: Judge) -> None:
    """A test whose answer is not the canonical solution's stays as it is, and a note says so."""
    record = _records(SAMPLES)["HumanEval/900"]
    found = read_coffe(Record({**record.values, "testcases": [{"input": [[1, 2]], "output": [7]}]}), context)

    assert "another answer" in found.notes[0]
    assert judge(found.problem, found.references[0].code) is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("entry_point", "", "empty"),
        ("canonical_solution", "    return undefined_name(", "failed in the sandbox"),
        ("testcases", [{"input": [1], "output": [1, 2]}], "one value"),
        ("testcases", [{"input": "[1]", "output": [1]}], "a list"),
        ("testcases", [], None),
        ("stress_testcases", "x", "a list"),
        ("canonical_solution", "    import os\n    os._exit(0)", "printed no JSON"),
    ],
)
def test_refuses_broken_records(context: ReadingContext, field: str, value: object, said: str | None) -> None:
    """The error says what is wrong; a record with stress tests alone is not broken."""
    record = Record({**_records(SAMPLES)["HumanEval/900"].values, field: value})
    if said is None:
        assert len(read_coffe(record, context).problem.cases) == 2
    else:
        with pytest.raises(RecordError, match=said):
            read_coffe(record, context)


@pytest.mark.parametrize("name", SOME_REAL)
def test_accepts_real_canonical_solutions(shared_data: Path, context: ReadingContext, judge: Judge, name: str) -> None:
    """Of HumanEval, where they go on from the prompt, and of MBPP, where they are whole."""
    _check_references(_records(shared_data / REAL)[name], context, judge)


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_accepts_every_real_canonical_solution(shared_data: Path, context: ReadingContext, judge: Judge) -> None:
    """All 313 of them, by both rules."""
    records = _records(shared_data / REAL)

    assert len(records) == 313
    for record in records.values():
        _check_references(record, context, judge)


def _check_references(record: Record, context: ReadingContext, judge: Judge) -> None:
    found = read_coffe(record, context)
    assert found.strict is not None
    for rule in (found.problem, found.strict):
        assert judge(rule, found.references[0].code) is Verdict.ACCEPTED, record.name
    wrong = f"def {record.text('entry_point')}(*given):\n    return '?'"
    assert judge(found.problem, wrong) is Verdict.WRONG_ANSWER, record.name
