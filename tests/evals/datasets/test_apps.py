"""APPS: programs and calls, judged as leniently as its own grader does, and strictly."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.datasets.apps import read_apps, read_apps_python
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import load_problems, sample_of
from afterburner.evals.errors import RecordError
from afterburner.evals.inside.apps import accepts, accepts_value
from afterburner.evals.problems import BenchmarkProblem

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem

    Judge = Callable[[Problem, str], str]

ROWS = [json.loads(line) for line in sample_of("apps").read_text("utf-8").splitlines()]
CONTEXT = ReadingContext(dataset="apps")


def read(place: int, **changes: Any) -> BenchmarkProblem:
    return read_apps(Record(ROWS[place] | changes), CONTEXT)


def held_tests(**held: Any) -> str:
    return json.dumps(held)


@pytest.mark.parametrize(
    ("output", "answer", "right"),
    [
        ("1 2\n", "1 2", True),
        ("  1 2  \n 3 \n", "1 2\n3", True),  # whitespace at the ends of lines
        ("1\n\n\n2\n", "1\n2", True),  # empty lines
        ("2\n1\n", "1\n2", True),  # lines in another order
        ("2 1\n", "1 2", True),  # tokens in another order
        ("1\n1\n2\n", "1\n2", True),  # a line repeated
        ("1 1 2\n", "1 2", True),  # a token repeated
        ("0.3333\n", "0.3331", True),  # the same when rounded to three places
        ("0.3333\n", "0.3341", False),
        ("100000.5\n", "100001", True),  # 1e-5 of the expected one
        ("100003\n", "100001", False),
        ("1e400\n", "inf", True),
        ("nan\n", "inf", False),
        ("1 2\n3\n", "1\n2 3", False),  # tokens on other lines
        ("YES\n", "yes", False),
        ("", "", True),
        ("", "1", False),
        ("1\n", "", False),
        ("a\x0cb\n", "a\nb", True),  # the grader splits outputs at form feeds, too
    ],
)
def test_outputs_are_judged_as_leniently_as_by_the_official_grader(output: str, answer: str, *, right: bool) -> None:
    assert accepts(output, answer) is right


@pytest.mark.parametrize(
    ("returned", "wanted", "right"),
    [
        (3, 3, True),
        (3, [3], True),  # the value is wrapped in a list in some rows
        ([3], [3], True),
        ([3], [[3]], True),
        (3.0, [3], True),
        (True, [1], True),
        (3.0000001, [3], False),  # no tolerance here
        ([(1, 2)], [[[1, 2]]], True),  # tuples in a list, of a wrapped row
        ([(1, 2)], [[1, 2]], False),  # and of a plain row, as in the official grader
        ([], [[]], True),
        (None, [None], True),
        ("a", ["b"], False),
    ],
)
def test_values_are_judged_as_by_the_official_grader(returned: object, wanted: object, *, right: bool) -> None:
    assert accepts_value(returned, wanted) is right


def test_inputs_may_be_texts_or_lists_of_lines(judge: Judge) -> None:
    problem = read(0)
    assert [case.stdin for case in problem.problem.test_cases] == [b"1\n2\n3\n", b"4\n5"]
    assert judge(problem.problem, problem.references[0].code) == "accepted"
    assert problem.strict is not None
    backwards = "import sys\nfor line in sys.stdin.readlines()[::-1]:\n    print(int(line) ** 2)\n"
    assert (judge(problem.problem, backwards), judge(problem.strict, backwards)) == ("accepted", "wrong_answer")
    assert judge(problem.problem, backwards.replace("** 2", "** 3")) == "wrong_answer"


def test_calls_are_made_by_one_instance_and_judged_by_what_they_return(judge: Judge) -> None:
    problem = read(1)
    assert problem.strict is not None
    code = "class Solution:\n    def ends(self, values: List[int]):\n        return {}\n"
    for body, official, strict in (
        ("[min(values), max(values)]", "accepted", "accepted"),
        ("(min(values), max(values))", "accepted", "accepted"),
        ("[max(values), min(values)]", "wrong_answer", "wrong_answer"),
        ("[values[0] / 0]", "runtime_error", "runtime_error"),
        ("print('[[1,3],[7,7]]')", "wrong_answer", "wrong_answer"),
    ):
        given = code.format(body)
        assert (judge(problem.problem, given), judge(problem.strict, given)) == (official, strict), body
    keeping = (
        "class Solution:\n    seen = ()\n    def ends(self, values):\n"
        "        self.seen += tuple(values)\n        return [min(self.seen), max(self.seen)]\n"
    )
    assert (judge(problem.problem, keeping), judge(problem.strict, keeping)) == ("wrong_answer", "accepted")


def test_functions_without_a_class_are_called_too(judge: Judge) -> None:
    row = {
        "starter_code": "def double(n):\n\t",
        "input_output": held_tests(fn_name="double", inputs=[[2]], outputs=[[4]]),
    }
    problem = read(1, **row)
    assert problem.strict is not None
    for rule in (problem.problem, problem.strict):
        assert judge(rule, "def double(n): return 2 * n") == "accepted"
        assert judge(rule, "def double(n): return [2 * n]") == (
            "accepted" if rule is problem.problem else "wrong_answer"
        )


def test_keys_that_json_made_texts_are_integers_again(judge: Judge) -> None:
    held = held_tests(fn_name="swap", inputs=[[{"1": "2"}]], outputs=[{"2": "1"}])
    problem = read(1, starter_code="", input_output=held)
    code = "def swap(table): return {int(value): str(key) for key, value in table.items() if type(key) is int}"
    assert judge(problem.problem, code) == "accepted"
    assert problem.strict is None
    assert "integers as keys" in problem.notes[0]


def test_numbers_of_numpy_count_as_the_numbers_that_they_are(judge: Judge) -> None:
    held = held_tests(fn_name="total", inputs=[[[1, 2]]], outputs=[3])
    problem = read(1, starter_code="", input_output=held).problem
    pytest.importorskip("numpy")
    assert judge(problem, "import numpy as np\ndef total(values): return np.sum(values)") == "accepted"


def test_an_integer_of_thousands_of_digits_is_read_and_compared(judge: Judge) -> None:
    digits = "7" * 6000
    held = f'{{"fn_name": "same", "inputs": [[{digits}]], "outputs": [[{digits}]]}}'
    problem = read(1, starter_code="", input_output=held)
    assert judge(problem.problem, "def same(n): return n") == "accepted"
    assert judge(problem.problem, "def same(n): return n + 1") == "wrong_answer"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"input_output": ""}, "input_output: it is empty: the problem has no tests"),
        ({"input_output": "{"}, "input_output: this is no JSON"),
        ({"input_output": "[]"}, "input_output: this has to be an object, and it is a list"),
        ({"input_output": held_tests(inputs=[], outputs=[])}, "input_output.inputs: there are none"),
        ({"input_output": held_tests(inputs=["1"], outputs=[])}, "input_output.outputs: there are 0 for 1 inputs"),
        (
            {"input_output": held_tests(inputs=[3], outputs=["1"])},
            r"input_output.inputs\[0\]: this has to be a text, or",
        ),
        (
            {"input_output": held_tests(inputs=["1"], outputs=[[1]])},
            r"input_output.outputs\[0\]: this has to be a text, or",
        ),
        (
            {"input_output": held_tests(fn_name="f", inputs=[3], outputs=[1])},
            r"inputs\[0\]: this has to be the list of arg",
        ),
        ({"input_output": held_tests(fn_name="f()", inputs=[[]], outputs=[1])}, "fn_name: this has to be the name"),
        ({"solutions": "[1]"}, r"solutions\[0\]: this has to be a text"),
        ({"question": None}, "question: it is null"),
        ({"problem_id": math.nan}, "problem_id: .*NaN"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_by_its_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read(0, **changes)


def test_a_configuration_is_a_difficulty() -> None:
    source = sample_of("apps")
    for configuration, wanted in (("", ["1", "2"]), ("all", ["1", "2"]), ("interview", ["2"]), ("competition", [])):
        found = load_problems("apps", source=source, configuration=configuration)
        assert [each.id for each in found if isinstance(each, BenchmarkProblem)] == wanted


@pytest.mark.parametrize(
    ("code", "official", "strict"),
    [
        ("print(sum(map(int, input().split())))", "accepted", "accepted"),
        ("print('', sum(map(int, input().split())), '')", "accepted", "wrong_answer"),
        ("print(float(sum(map(int, input().split()))))", "wrong_answer", "wrong_answer"),
    ],
)
def test_apps_python_compares_but_for_whitespace_at_the_ends(
    judge: Judge, code: str, official: str, strict: str
) -> None:
    row = json.loads(sample_of("apps-python").read_text("utf-8").splitlines()[0])
    problem = read_apps_python(Record(row), CONTEXT)
    assert problem.strict is not None
    assert (judge(problem.problem, code), judge(problem.strict, code)) == (official, strict)
    assert [each.figures is not None for each in problem.references] == [True]


def test_real_records_are_read(shared_data: Any) -> None:
    for name, count in (("apps_train_official.jsonl", 3), ("apps_coffe_stdin.jsonl.gz", 222)):
        found = list(load_problems("apps", source=shared_data / "apps" / name))
        assert len(found) == count
        assert all(isinstance(each, BenchmarkProblem) and each.strict and each.references for each in found)


def test_real_solutions_pass_by_both_rules(shared_data: Any, judge: Judge) -> None:
    for each in load_problems("apps", source=shared_data / "apps" / "apps_train_official.jsonl"):
        assert isinstance(each, BenchmarkProblem)
        assert each.strict is not None
        for reference in each.references[:3]:
            assert (judge(each.problem, reference.code), judge(each.strict, reference.code)) == ("accepted", "accepted")
