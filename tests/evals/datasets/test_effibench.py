"""EffiBench and EffiBench-X: scripts of asserts, and programs in several languages with a reversed evaluator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent import JsonCall
from afterburner.evals.datasets.effibench import read_asserts, read_effibench
from afterburner.evals.datasets.effibench_x import read_effibench_x
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import sample_of
from afterburner.evals.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem
    from afterburner.evals.problems import BenchmarkProblem

    Judge = Callable[[Problem, str], str]

ROWS = [json.loads(line) for line in sample_of("effibench").read_text("utf-8").splitlines()]
ROWS_X = [json.loads(line) for line in sample_of("effibench-x").read_text("utf-8").splitlines()]


def read(place: int, **changes: Any) -> BenchmarkProblem:
    return read_effibench(Record(ROWS[place] | changes), ReadingContext(dataset="effibench"))


def read_x(place: int, configuration: str = "", **changes: Any) -> BenchmarkProblem:
    context = ReadingContext(dataset="effibench-x", configuration=configuration)
    return read_effibench_x(Record(ROWS_X[place] | changes), context)


def test_small_tests_are_public_and_scores_are_on_all(judge: Judge) -> None:
    problem = read(0)
    assert problem.private is not None
    assert problem.strict is not None
    only_positive = "class Solution:\n    def triple(self, number):\n        return 3 * max(number, 1)\n"
    verdicts = [judge(each, only_positive) for each in (problem.problem, problem.private, problem.strict)]
    assert verdicts == ["accepted", "runtime_error", "wrong_answer"]
    verdicts = [judge(each, problem.references[0].code) for each in (problem.problem, problem.private, problem.strict)]
    assert verdicts == ["accepted", "accepted", "accepted"]


@pytest.mark.parametrize(
    "code",
    [
        "def triple(number): return 3 * number",  # no class
        "class Solution:\n    def triple(self, number): return 4 * number",
        "raise SystemExit(0)",  # it ends well, and its asserts were never run
        "print('passed')\nraise SystemExit(0)",
        "class Solution:\n    def triple(self, number) return 3 * number",
    ],
)
def test_a_script_that_does_not_reach_its_end_is_wrong(judge: Judge, code: str) -> None:
    problem = read(0)
    assert problem.private is not None
    assert problem.strict is not None
    assert judge(problem.private, code) != "accepted"
    assert judge(problem.strict, code) != "accepted"


def test_solutions_know_nodes_and_the_usual_imports_and_may_print(judge: Judge) -> None:
    problem = read(1)
    assert problem.private is None
    assert judge(problem.problem, problem.references[0].code) == "accepted"
    noisy = "print('passed')\nclass Solution:\n    def first(self, head: Optional[ListNode]):\n        print(1)\n"
    assert judge(problem.problem, f"{noisy}        return Counter([head.val]).most_common()[0][0]\n") == "accepted"
    assert problem.strict is None
    assert "not all asserts on literals" in problem.notes[0]


@pytest.mark.parametrize(
    ("script", "calls"),
    [
        ("assert solution.f([1], 'a') == {'b': None}", [("f", [[1], "a"], {"b": None})]),
        ("solution = Solution()\nassert solution.f(-1) == (1, 2)", [("f", [-1], (1, 2))]),
        ("assert solution.f(1) == 2\nassert solution.f(2) == 3", [("f", [1], 2), ("f", [2], 3)]),
        ("assert solution.f(x) == 2", None),
        ("assert solution.f(open('/etc/passwd').read()) == 2", None),
        ("assert solution.f(n=1) == 2", None),
        ("assert solution.f(1) != 2", None),
        ("assert other.f(1) == 2", None),
        ("assert solution.f(1)", None),
        ("assert 0 < solution.f(1) == 2", None),
        ("import os", None),
        ("assert (", None),
        ("", None),
    ],
)
def test_asserts_are_parsed_and_never_run(script: str, calls: object) -> None:
    assert read_asserts(script) == calls


def test_strict_cases_are_calls_and_only_where_json_keeps_the_arguments() -> None:
    strict = read(0).strict
    assert strict is not None
    assert strict.cases == (JsonCall([1], 3), JsonCall([-7], -21), JsonCall([0], 0))
    for script, reason in (
        ("assert solution.f((1, 2)) == 3", "what JSON would change"),
        ("assert solution.f({1: 2}) == 3", "what JSON would change"),
        ("assert solution.f({1}) == 3", "JSON has no value"),
        ("assert solution.f(1) == 3\nassert solution.g(1) == 3", "for one method"),
    ):
        problem = read(0, test_case=script)
        assert problem.strict is None
        assert reason in problem.notes[0], script


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_case": " "}, "test_case: it is empty"),
        ({"problem_idx": None}, "problem_idx: it is null"),
        ({"canonical_solution": 3}, "canonical_solution: this has to be a text"),
        ({"description": None, "markdown_description": ""}, "description: it is null"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_by_its_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read(0, **changes)


def test_effibench_x_runs_classes_and_programs(judge: Judge) -> None:
    for place in (0, 1):
        problem = read_x(place)
        assert problem.strict is not None
        code = problem.references[0].code
        assert (judge(problem.problem, code), judge(problem.strict, code)) == ("accepted", "accepted")
        assert judge(problem.problem, code.replace("max(", "min(").replace("input()", "1")) == "wrong_answer"
    assert (problem.problem.limits.wall_time_s, problem.problem.limits.memory_kib) == (2.0, 262_144)


def test_effibench_x_gives_its_evaluator_the_output_first_and_cleaned(judge: Judge) -> None:
    evaluator = "def evaluate(one, other):\n    return one == other + '!'\n"
    problem = read_x(1, evaluator=evaluator).problem
    assert judge(problem, "print('\\x1b[1m' + input() + '!\\r')") == "accepted"
    assert judge(problem, "print(input()[:-1])") == "wrong_answer"


@pytest.mark.slow
def test_effibench_x_is_read_for_other_languages(judge: Judge) -> None:
    problem = read_x(1, "cpp")
    assert problem.problem.language == "cpp"
    assert judge(problem.problem, problem.references[0].code) == "accepted"


@pytest.mark.parametrize(
    ("place", "configuration", "changes", "message"),
    [
        (0, "cpp", {}, "test_runners.cpp: it is missing"),
        (0, "", {"test_runners": {"python3": "print(1)"}}, "test_runners.python3: it has no line ==Code Submission=="),
        (0, "", {"type": "other"}, "type: this has to be functional or io"),
        (0, "", {"generated_tests": "[]"}, "generated_tests: there are none"),
        (0, "", {"time_limit_nanos": 0}, "time_limit_nanos: the limits have to be positive"),
        (0, "", {"time_limit_nanos": float("nan")}, "time_limit_nanos: this has to be a finite number"),
        (0, "", {"evaluator": ""}, "evaluator: it is empty"),
    ],
)
def test_what_is_wrong_with_a_record_of_effibench_x_is_said_by_its_field(
    place: int, configuration: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RecordError, match=message):
        read_x(place, configuration, **changes)
