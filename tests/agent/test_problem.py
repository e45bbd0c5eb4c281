"""Problems as data: JSON there and back, and calls that the host judges by their JSON text."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent import JsonCall, Problem
from afterburner.sandbox import Limits, Program, TestCase, UsageError, Verdict
from afterburner.sandbox.checkers import Custom, Exact, Floats, Tokens

if TYPE_CHECKING:
    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.sandbox import Sandbox

SHARED = Path(__file__).parents[3] / "shared" / "data" / "livecodebench"
PREAMBLE = "from typing import List\nfrom collections import *\nimport heapq, math\n"  # as the official grader has
SCALED = "class Solution:\n    def scaled(self, values: List[float], by: int) -> List[float]:\n        "


def calls(*cases: JsonCall, checker: Checker | None = None) -> Problem:
    given = {} if checker is None else {"checker": checker}
    return Problem("scaled", "Scale.", cases, function="Solution.scaled", preamble=PREAMBLE, **given)  # type: ignore[arg-type]


PROBLEMS = [
    Problem("sum", "Add.\n", (TestCase(b"1 2", b"3"), TestCase(b"\xff\x00", None, "bytes")), "cpp", start="int main"),
    Problem("near", "Add.", (TestCase(b"1", b"1.0"),), checker=Floats(1e-3, 0.0), references=("a", "b")),
    Problem("odd", "Add.", (TestCase(b"1", b"\xc3\xa9"),), checker=Custom(Program("python", "exit(0)"), Limits(2.0))),
    Problem("exact", "Add.", (TestCase(b"1", b"1"),), checker=Exact(), limits=Limits(3.0), starter_code="x"),
    Problem("run", "Add.", (TestCase(b"1", b"1"),), runner="n = int(input())\n==Code Submission==\nprint(f(n))\n"),
    calls(JsonCall([[1.5, 2], {"a": None}], ["é b", 10**30, True]), JsonCall([], None), checker=Tokens()),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_a_problem_survives_its_json_and_pickle(problem: Problem) -> None:
    assert Problem.from_json(problem.to_json()) == problem
    assert pickle.loads(pickle.dumps(problem)) == problem  # noqa: S301 - our own


def test_the_shortest_json_has_the_defaults() -> None:
    text = '{"name": "sum", "description": "Add.", "cases": [{"stdin": "1 2", "expected_stdout": "3"}]}'
    assert Problem.from_json(text) == Problem("sum", "Add.", (TestCase(b"1 2", b"3"),))


def test_an_expected_output_in_a_file_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "1.out").write_bytes(b"3\n")
    read = Problem.from_json(Problem("sum", "Add.", (TestCase(b"1 2", tmp_path / "1.out"),)).to_json())
    assert read.cases == (TestCase(b"1 2", b"3\n"),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"description": None}, "description: Input should be a valid string"),
        ({"cases": []}, "cases: this is empty"),
        ({"cases": [{"stdin": "1"}, {"arguments": 3, "expected": 1}]}, r"cases\[1\].arguments: Input should be"),
        ({"cases": [{"stdin": "1", "stdout": "1"}]}, r"cases\[0\].stdout: there is no such key"),
        ({"cases": [{"expected_stdout": 1}]}, r"cases\[0\].expected_stdout: Input should be a valid string"),
        ({"cases": [{"stdin": ["1"]}]}, r"cases\[0\].stdin: Input should be a valid string"),
        ({"checker": {"kind": "nearly"}}, "checker: Input tag 'nearly'"),
        ({"limits": {"wall_time_s": -1}}, "limits.wall_time_s: Input should be greater than 0"),
        ({"langauge": "cpp"}, "langauge: there is no such key"),
    ],
)
def test_what_is_wrong_in_the_json_is_said_by_its_field(change: dict[str, Any], message: str) -> None:
    document = {"name": "sum", "description": "Add.", "cases": [{"stdin": "1", "expected_stdout": "1"}]} | change
    with pytest.raises(UsageError, match=message):
        Problem.from_json(json.dumps(document))
    with pytest.raises(UsageError, match=message):
        Problem.from_json(document)
    with pytest.raises(UsageError, match="the whole text: Invalid JSON"):
        Problem.from_json("{")


def test_a_problem_is_refused_where_it_cannot_be_judged() -> None:
    stdin, call = TestCase(b"", b""), JsonCall([], 1)
    with pytest.raises(UsageError, match="no case"):
        Problem("empty", "Nothing.", ())
    with pytest.raises(UsageError, match="does not know the language"):
        Problem("odd", "Something.", (stdin,), "cobol")
    with pytest.raises(UsageError, match="1 calls among its 2 cases, and names the function f"):
        Problem("mixed", "Something.", (stdin, call), function="f")
    with pytest.raises(UsageError, match="1 calls among its 1 cases, and no function"):
        Problem("unnamed", "Something.", (call,))
    with pytest.raises(UsageError, match=r"works in Python alone. In cpp, give cases for stdin"):
        Problem("compiled", "Something.", (call,), "cpp", function="f")
    with pytest.raises(UsageError, match=r"calls 'os.path.join'. Give `name` or `Solution.name`"):
        Problem("deep", "Something.", (call,), function="os.path.join")
    with pytest.raises(UsageError, match="preamble, which is for problems that call a function"):
        Problem("read", "Something.", (stdin,), preamble="import os")
    with pytest.raises(UsageError, match="has a runner and calls a function"):
        Problem("both", "Something.", (call,), function="f", runner="==Code Submission==")
    with pytest.raises(UsageError, match=r"has no place for a solution\. Write ==Code Submission== there"):
        Problem("placeless", "Something.", (stdin,), runner="print(1)")
    with pytest.raises(UsageError, match="JSON has no value for"):
        JsonCall([{1, 2}], 3)
    with pytest.raises(UsageError, match="JSON has no value for set"):
        JsonCall([1], [{3}])


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("return [value * by for value in values]", Verdict.ACCEPTED),
        ("print('noise'); return tuple(float(value * by) for value in values)", Verdict.ACCEPTED),
        ("return values", Verdict.WRONG_ANSWER),
        ("return [bool(value) for value in values]", Verdict.WRONG_ANSWER),
        ("return [value * by + 1e-12 for value in values]", Verdict.WRONG_ANSWER),
        ("print('[ 2 , 5 ]')", Verdict.WRONG_ANSWER),
        ("return {1}", Verdict.RUNTIME_ERROR),
        ("return (", Verdict.RUNTIME_ERROR),
    ],
)
def test_a_call_is_judged_by_what_it_returns(sandbox: Sandbox, body: str, verdict: Verdict) -> None:
    problem = calls(JsonCall([[1, 2.5], 2], [2, 5]), JsonCall([[], 9], []))
    report = sandbox.run(problem.program(SCALED + body), problem.test_cases, checker=problem.checker)
    assert report.verdict is verdict, report.cases


def test_a_solution_is_put_into_the_runner_and_shown_without_it(sandbox: Sandbox) -> None:
    runner = "import math\n==Code Submission==\nprint(Solution().root(int(input())))\n"
    problem = Problem("root", "Take the root.", (TestCase(b"16\n", b"4\n"), TestCase(b"3", b"1")), runner=runner)
    right = "\n\nclass Solution:\n    def root(self, n):\n        return math.isqrt(n)\n\n"
    for code, verdict in ((right, Verdict.ACCEPTED), (right.replace("n)\n\n", "n) + 1"), Verdict.WRONG_ANSWER)):
        assert problem.target(code).source == code
        assert sandbox.run(problem.program(code), problem.test_cases, checker=problem.checker).verdict is verdict
    assert "math" not in problem.task


def test_a_call_may_be_close_where_the_problem_says_so(sandbox: Sandbox) -> None:
    problem = calls(JsonCall([[0.1], 3], [0.3]), checker=Floats())
    for body, verdict in (("* by", Verdict.ACCEPTED), ("* by * 1.01", Verdict.WRONG_ANSWER)):
        program = problem.program(f"{SCALED}return [value {body} for value in values]")
        assert sandbox.run(program, problem.test_cases, checker=problem.checker).verdict is verdict


@pytest.fixture(scope="module")
def graded() -> list[tuple[Problem, str, bool]]:
    """Problems of LiveCodeBench with submissions that the official grader has judged."""
    if not SHARED.is_dir():
        pytest.skip(f"needs {SHARED.name} of the shared data")
    rows = {row["question_id"]: row for row in map(json.loads, (SHARED / "lcb_v1.jsonl").read_text().splitlines())}
    with gzip.open(SHARED / "graded_submissions.jsonl.gz", "rt") as lines:
        submissions = [json.loads(line) for line in lines]
    chosen = {("2727", "o1-preview"), ("2817", "o1-mini"), ("2828", "o1-mini"), ("3292", "o1-mini")}
    found = [each for each in submissions if (each["question_id"], each["model"]) in chosen]
    return [(functional(rows[each["question_id"]]), each["code"], each["official_pass"]) for each in found]


def functional(row: dict[str, Any]) -> Problem:
    tests = json.loads(row["public_test_cases"])
    cases = [
        JsonCall([json.loads(line) for line in test["input"].split("\n")], json.loads(test["output"])) for test in tests
    ]
    function = f"Solution.{json.loads(row['metadata'])['func_name']}"
    return Problem(row["question_id"], row["question_content"], tuple(cases), function=function, preamble=PREAMBLE)


def test_real_problems_are_judged_as_the_official_grader_does(
    sandbox: Sandbox, graded: list[tuple[Problem, str, bool]]
) -> None:
    assert sorted(passed for *_, passed in graded) == [False, False, False, True]
    for problem, code, passed in graded:
        report = sandbox.run(problem.program(code), problem.test_cases, checker=problem.checker)
        assert (report.verdict is Verdict.ACCEPTED) is passed, (problem.name, report.verdict)
