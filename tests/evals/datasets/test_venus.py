"""Venus: both layouts are read, and solutions are judged by the record's own evaluator."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.datasets.registry import load_problems, sample_of
from afterburner.evals.datasets.venus import read_raw_venus, read_venus, read_venus_hub
from afterburner.evals.errors import RecordError
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem

    Judge = Callable[[Problem, str], str]

ROWS = {
    name: [json.loads(line) for line in sample_of(name).read_text("utf-8").splitlines()]
    for name in ("venus", "venus-hub")
}
CONTEXT = ReadingContext(dataset="venus")


def row(place: int, **changes: Any) -> Record:
    return Record(ROWS["venus"][place] | changes, "venus.jsonl, record 1")


def test_a_record_becomes_a_problem_with_its_passing_solutions() -> None:
    read = read_venus(row(0), CONTEXT)
    assert (read.dataset, read.id, read.difficulty, read.tags) == ("venus", "1", "easy", ("array",))
    assert (read.problem.name, len(read.problem.cases), read.private) == ("spread", 3, None)
    assert (read.problem.limits.wall_time_s, read.problem.limits.memory_kib) == (90.0, 1_048_576)
    assert "generate_test_cases" in read.generator
    fast, slow = read.references  # the third one did not pass
    assert fast.figures is not None
    assert slow.figures is not None
    assert (fast.figures.wall_time_s, fast.figures.peak_memory_kib) == (0.8125, 11264.0)
    assert math.isnan(fast.figures.memory_integral_kib_s)
    assert "sums over samples" in read.notes[0]
    assert BenchmarkProblem.from_json(read.to_json()).problem == read.problem


def test_what_was_not_measured_is_no_figure() -> None:
    for unknown in (None, math.inf, math.nan):
        solution = {"code": "x", "status": "done", "passed": True, "time": unknown, "memory": unknown}
        read = read_venus(row(0, solutions=[solution]), CONTEXT)
        assert [each.figures for each in read.references] == [None]
        assert (read.measured_on, read.notes) == ("", ())


def test_solutions_of_a_class_are_run_by_the_runner(judge: Judge) -> None:
    problem = read_venus(row(0), CONTEXT).problem
    fast, slow, wrong = (each["code"] for each in ROWS["venus"][0]["solutions"])
    assert [judge(problem, code) for code in (fast, slow, wrong)] == ["accepted", "accepted", "wrong_answer"]


@pytest.mark.parametrize(
    ("code", "official", "strict"),
    [
        ("print(float(input()) ** 0.5)", "accepted", "wrong_answer"),  # 4.0, where 4 is stored
        ("print(round(float(input()) ** 0.5, 3))", "wrong_answer", "wrong_answer"),
        ("print('many')", "wrong_answer", "wrong_answer"),  # `evaluate` raises
        ("print({'2': '1.4142135623730951', '16': '4'}[input()])", "accepted", "accepted"),
    ],
)
def test_the_evaluator_decides_and_the_strict_rule_compares_lines(
    judge: Judge, code: str, official: str, strict: str
) -> None:
    read = read_venus(row(1), CONTEXT)
    assert read.strict is not None
    assert (judge(read.problem, code), judge(read.strict, code)) == (official, strict)


def test_the_evaluator_is_given_the_expected_output_first(judge: Judge) -> None:
    evaluator = (
        "def evaluate(expected_output, program_output):\n    return program_output.startswith(expected_output)\n"
    )
    cases = json.dumps([{"input": "2", "output": "1.41"}])
    problem = read_venus(row(1, test_case_evaluator=evaluator, test_cases=cases), CONTEXT).problem
    assert judge(problem, "print('1.41 and more')") == "accepted"
    assert judge(problem, "print('1.4', end='')") == "wrong_answer"


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ("[1, 2.0]", "accepted"),
        ("__import__('os')._exit(0)", "wrong_answer"),
        ("type('', (), {'__eq__': lambda *given: True})()", "wrong_answer"),
    ],
)
def test_an_evaluator_that_calls_eval_reads_literals_alone(judge: Judge, output: str, verdict: str) -> None:
    """What a solution prints is never run: it could end the checker, or equal everything."""
    evaluator = "def evaluate(expected, output):\n    return eval(output) == eval(expected)\n"
    cases = json.dumps([{"input": "2", "output": "[1, 2]"}])
    problem = read_venus(row(1, test_case_evaluator=evaluator, test_cases=cases), CONTEXT).problem
    assert judge(problem, f"print({output!r})") == verdict


def test_an_evaluator_that_does_not_load_says_nothing_of_a_solution(judge: Judge) -> None:
    problem = read_venus(row(1, test_case_evaluator="def evaluate(:"), CONTEXT).problem
    with pytest.raises(CheckerError, match="The checker failed"):
        judge(problem, "print(1)")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"test_cases": "[]"}, "test_cases: there are none"),
        ({"test_cases": ""}, "test_cases: it is empty"),
        ({"test_cases": '[{"input": 3, "output": ""}]'}, r"test_cases\[0\].input: this has to be a text"),
        ({"test_cases": "[{}"}, "test_cases: this is no JSON"),
        ({"test_case_evaluator": ""}, "test_case_evaluator: it is empty"),
        ({"test_case_runners": "print(1)"}, "test_case_runners: it has no line ==Code Submission=="),
        ({"question_content": math.nan}, r"question_content: .* it is not a number \(NaN\)"),
        ({"solutions": [{"passed": "yes"}]}, r"solutions\[0\].code: it is missing"),
        ({"solutions": [{"code": "x", "passed": 1}]}, r"solutions\[0\].passed: this has to be true or false"),
        ({"problem_id": None}, "problem_id: it is null"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_by_its_field(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_venus(row(0, **changes), CONTEXT)


def test_runners_may_be_told_for_each_language() -> None:
    read = read_venus(row(0, test_case_runners={"python3": "==Code Submission==\n", "cpp": ""}), CONTEXT)
    assert read.problem.program("print(7)").source.endswith("print(7)\n")
    with pytest.raises(RecordError, match=r"test_case_runners.python3: it is missing"):
        read_venus(row(0, test_case_runners={"cpp": "==Code Submission=="}), CONTEXT)


def test_the_layout_without_tests_is_rejected_and_still_gives_raw_problems() -> None:
    record = Record(ROWS["venus-hub"][0], "hub.jsonl, record 1")
    with pytest.raises(RecordError, match="test_cases: this layout has no tests"):
        read_venus_hub(record, CONTEXT)
    raw = read_raw_venus(record, "python3")
    assert (raw.id, raw.title, raw.language, raw.tags, raw.cases) == ("1", "spread", "python", ("Array",), ())
    assert len(raw.solutions) == 2  # without the one that only reads stdin
    assert all("class Solution" in code for code in raw.solutions)


def test_the_layout_without_tests_is_read_once_somebody_has_added_some(judge: Judge) -> None:
    read = read_venus_hub(Record(ROWS["venus-hub"][1]), CONTEXT)
    first, second = (each.figures for each in read.references)
    assert first is not None
    assert second is not None
    assert (first.wall_time_s, second.peak_memory_kib) == (0.03, 16000.0)
    assert math.isnan(first.peak_memory_kib)
    assert [judge(read.problem, each.code) for each in read.references] == ["accepted", "accepted"]


def test_runtimes_are_texts_that_have_to_be_numbers() -> None:
    rows = [{"code": "class Solution: pass", "runtime": text} for text in ("40 ms", "1.5 s")]
    changed = Record(ROWS["venus-hub"][1] | {"rt_list": rows[1:], "mm_list": []})
    assert read_venus_hub(changed, CONTEXT).references[0].figures.wall_time_s == 1.5  # type: ignore[union-attr]
    broken = Record(ROWS["venus-hub"][1] | {"rt_list": [{"code": "class Solution: pass", "runtime": "fast"}]})
    with pytest.raises(RecordError, match=r"rt_list\[0\].runtime: this has to be a number"):
        read_venus_hub(broken, CONTEXT)


@pytest.mark.parametrize(
    ("configuration", "language"),
    [
        ("python3", "python"),
        ("cpp", "cpp"),
        ("golang", "go"),
        ("java", "java"),
        ("javascript", "javascript"),
        ("rust", "rust"),
    ],
)
def test_every_configuration_of_the_hub_is_a_language_of_the_sandbox(configuration: str, language: str) -> None:
    row = ROWS["venus-hub"][1] | {"code_prompt": "", "test_case_runners": "==Code Submission==\n"}
    read = read_venus_hub(Record(row), ReadingContext(dataset="venus-hub", configuration=configuration))
    assert read.problem.language == language
    assert read_raw_venus(Record(row), configuration).language == language


def test_real_records_are_read_and_the_paper_s_notes_stand(shared_data: Any) -> None:
    source = shared_data / "venus_like" / "codecontests_human.jsonl.gz"
    read = list(load_problems("venus", source=source))
    assert len(read) == 43
    assert not [each for each in read if isinstance(each, Rejected)]
    problems = [each for each in read if isinstance(each, BenchmarkProblem)]
    assert len({each.id for each in problems}) == 43
    assert all(each.strict and each.generator and not each.measured for each in problems)
    assert sum(len(each.references) for each in problems) > 1000


@pytest.mark.slow
def test_a_real_solution_passes_and_a_mutant_of_it_fails(shared_data: Any, judge: Judge) -> None:
    source = shared_data / "venus_like" / "codecontests_human.jsonl.gz"
    read = next(iter(load_problems("venus", source=source, only=["900027"])))
    assert isinstance(read, BenchmarkProblem)
    code = read.references[0].code
    assert judge(read.problem, code) == "accepted"
    assert judge(read.problem, code.replace("print(", "print(1, ")) == "wrong_answer"
