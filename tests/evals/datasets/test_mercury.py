"""Mercury: its converters beside the solution, its evaluator in a process of its own, and our strict rule."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.evals import datasets
from afterburner.evals.datasets.files import records_of_file
from afterburner.evals.datasets.mercury import read_mercury
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.errors import RecordError
from afterburner.evals.problems import BenchmarkProblem
from afterburner.sandbox import Verdict
from afterburner.sandbox.errors import CheckerError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem

    Judge = Callable[[Problem, str], Verdict]

SAMPLES = Path(datasets.__file__).parent / "samples" / "mercury.jsonl"
RECORDS = {each.name: each for each in records_of_file(SAMPLES) if isinstance(each, Record)}
CONTEXT = ReadingContext(dataset="mercury")
COUNTED = "class Solution:\n    def counted(self, numbers):\n"


def _read(name: str, **changed: object) -> BenchmarkProblem:
    return read_mercury(Record({**RECORDS[name].values, **changed}), CONTEXT)


def _counted(evaluate: str, tests: list[dict[str, object]], convert: str = "return case") -> BenchmarkProblem:
    """A problem of a method `counted`, which may change its inputs."""
    return _read("evens-first", **_fields(evaluate, tests, convert))


def _fields(evaluate: str, tests: list[dict[str, object]], convert: str = "return case") -> dict[str, object]:
    return {
        "entry_point": "counted",
        "convert_offline": f"def convert_offline(case):\n    {convert}\n",
        "evaluate_offline": f"def evaluate_offline(inputs, outputs, expected):\n    {evaluate}\n",
        "test_cases": json.dumps(tests),
    }


def test_reads_a_record() -> None:
    """Without a sandbox, for nothing of it has to be run; the times are what LeetCode told."""
    doubled = _read("double-the-list")

    assert doubled.id == doubled.problem.name == "double-the-list"
    assert doubled.difficulty == "easy"
    assert doubled.tags == ("Linked List",)
    assert doubled.problem.description.startswith("Given the head")
    assert doubled.measured_on == "LeetCode"
    assert [each.figures.wall_time_s for each in doubled.measured if each.figures] == [0.036, 0.052]
    assert all(math.isnan(each.figures.peak_memory_kib) for each in doubled.measured if each.figures)
    assert [case.name for case in doubled.problem.test_cases] == ["all 3 test cases"]
    assert doubled.strict is not None
    assert len(doubled.strict.cases) == 3
    assert b"10" not in doubled.problem.test_cases[0].stdin
    assert BenchmarkProblem.from_json(doubled.to_json()).problem == doubled.problem


@pytest.mark.parametrize("name", RECORDS)
def test_accepts_known_solutions(judge: Judge, name: str) -> None:
    """Of linked lists, which are converted, and of a list that is changed in place; by both rules."""
    found = _read(name)
    assert found.strict is not None
    for reference in found.references:
        assert judge(found.problem, reference.code) is Verdict.ACCEPTED
        assert judge(found.strict, reference.code) is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "body",
    [
        "return head",
        "return None",
        "return [2, 4]",
        "print([2, 4])",
        "import os; os._exit(0)",
        "import os; os.write(1, b'[[2,4],[-6],[0,10,0]]\\n'); os._exit(0)",
        "head.next = head; return head",
        "raise ValueError",
        "global evaluate_offline, convert_offline; evaluate_offline = convert_offline = None; return head",
        "lctk.linkedList2Arr = lambda head: [2, 4]; return head",
        "return type('ListNode', (), {'val': 2, 'next': None, '__eq__': lambda *given: True})()",
        "import sys; sys.modules['inside.mercury'].encode = lambda value: '[]'; return head",
    ],
)
def test_refuses_wrong_solutions_and_those_that_cheat(judge: Judge, body: str) -> None:
    """What is returned is evaluated where nothing of the solution is."""
    found = _read("double-the-list")
    code = f"class Solution:\n    def doubled(self, head):\n        {body}\n"

    assert found.strict is not None
    assert judge(found.problem, code) is not Verdict.ACCEPTED
    assert judge(found.strict, code) is not Verdict.ACCEPTED


def test_hands_what_is_expected_to_the_checker_alone(judge: Judge) -> None:
    """Neither the process of a solution nor the inputs that it is given hold the answers."""
    found = _counted("return outputs == expected", [{"input": [1], "expected": "a secret answer"}])
    code = f"""{COUNTED}
        import gc
        needle = "rewsna terces a"[::-1]
        for each in gc.get_objects():
            texts = each.values() if isinstance(each, dict) else each if isinstance(each, (list, tuple)) else ()
            if any(isinstance(text, str) and needle in text for text in list(texts)):
                return needle
        return open("/proc/self/cmdline").read()
"""
    assert b"secret" not in found.problem.test_cases[0].stdin
    assert "a secret answer" not in found.problem.program("").source
    assert judge(found.problem, f"{COUNTED}        return 'a secret answer'\n") is Verdict.ACCEPTED
    assert judge(found.problem, code) is Verdict.WRONG_ANSWER
    known = code.replace("import gc", "import gc; known = ['a secret answer']")
    assert judge(found.problem, known) is Verdict.ACCEPTED  # so the search would have found it


def test_evaluates_what_mercurys_evaluator_takes_as_true(judge: Judge) -> None:
    """A tuple is a list only where the evaluator says so; ours wants True itself."""
    tests: list[dict[str, object]] = [{"input": [[1, 2]], "expected": [1, 2]}]
    exact = _counted("return outputs == expected", tests)
    lenient = _counted("return list(outputs) == expected and 'yes'", tests)
    tuples, lists = (f"{COUNTED}        return {kind}(numbers)\n" for kind in ("tuple", "list"))

    assert judge(exact.problem, lists) is Verdict.ACCEPTED
    assert judge(exact.problem, tuples) is Verdict.WRONG_ANSWER
    assert judge(lenient.problem, tuples) is Verdict.ACCEPTED
    assert lenient.strict is not None
    assert judge(lenient.strict, lists) is Verdict.WRONG_ANSWER


@pytest.mark.parametrize(
    ("body", "official", "strict"),
    [
        ("return [number for number in numbers if number > 1]", "accepted", "accepted"),
        ("numbers.clear(); return []", "accepted", "wrong_answer"),
        ("return numbers", "wrong_answer", "wrong_answer"),
    ],
)
def test_strict_evaluates_with_the_inputs_as_they_were(judge: Judge, body: str, official: str, strict: str) -> None:
    """A solution that empties its input meets every condition on it by Mercury's own rule."""
    evaluate = "return sorted(outputs) == sorted(number for number in inputs[0] if number > 1)"
    tests: list[dict[str, object]] = [{"input": [[3, 1, 2]], "expected": []}]
    description = {"pretty_content": ["Return those above 1."], "prompt": "def counted(self, numbers: List[int]):"}
    found = _read("evens-first", **description, **_fields(evaluate, tests))

    assert found.strict is not None
    code = f"{COUNTED}        {body}\n"
    assert (judge(found.problem, code), judge(found.strict, code)) == (official, strict)


def test_strict_sees_changed_inputs_where_a_problem_is_to_change_them(judge: Judge) -> None:
    """LeetCode says so in the signature or in the text."""
    tests: list[dict[str, object]] = [{"input": [[3, 1, 2]], "expected": [1, 2, 3]}]
    found = _counted("return inputs[0] == expected", tests)

    assert found.strict is not None
    assert judge(found.strict, f"{COUNTED}        numbers.sort()\n") is Verdict.ACCEPTED
    assert judge(found.strict, f"{COUNTED}        return sorted(numbers)\n") is Verdict.WRONG_ANSWER


def test_makes_all_calls_on_one_instance_as_mercury_does(judge: Judge) -> None:
    """A solution that remembers calls fails by Mercury's rule; by ours, each case has an instance of its own."""
    tests: list[dict[str, object]] = [{"input": [[0]], "expected": 1}, {"input": [[5]], "expected": 1}]
    found = _counted("return outputs == expected", tests)
    code = "class Solution:\n    n = 0\n    def counted(self, numbers):\n        self.n += 1\n        return self.n\n"

    assert found.strict is not None
    assert judge(found.problem, code) is Verdict.WRONG_ANSWER
    assert judge(found.strict, code) is Verdict.ACCEPTED


def test_knows_the_names_that_mercury_imports(judge: Judge) -> None:
    """What the harness imports before a solution, `lctk` included; printing does nothing."""
    names = "heappush, collections.Counter, bisect_left, zip_longest, inf, lru_cache, cache, List, lctk, re, maxsize"
    code = (
        "class Solution:\n    @cache\n    def counted(self, numbers: List[int] = None):\n"
        f"        print('x')\n        return len([{names}, OrderedDict, TreeNode, ListNode])\n"
    )
    found = _counted("return outputs == expected", [{"input": [0], "expected": 14}])

    assert judge(found.problem, code) is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "evaluate",
    [
        "return bytearray(8 * 10 ** 9) and True",
        "return outputs.missing",
        "import os, signal\n    os.kill(os.getpid(), signal.SIGSEGV)",
        "raise SystemExit(0)",
        "import os\n    os._exit(0)",
        "import os, time\n    os._exit(0) if os.fork() else time.sleep(30)",
        pytest.param("while outputs: pass\n    return True", marks=pytest.mark.nightly),
    ],
)
def test_counts_an_evaluation_that_fails_as_a_wrong_answer(judge: Judge, evaluate: str) -> None:
    """Or else a solution could make an output that stops the whole evaluation."""
    found = _counted(evaluate, [{"input": [1], "expected": 1}])

    assert judge(found.problem, f"{COUNTED}        return 1\n") is Verdict.WRONG_ANSWER


def test_says_nothing_of_a_solution_where_the_evaluator_is_broken(judge: Judge) -> None:
    """A record whose code does not even compile judges nobody."""
    found = _counted("return (", [{"input": [1], "expected": 1}])

    with pytest.raises(CheckerError, match="the rule is broken"):
        judge(found.problem, f"{COUNTED}        return 1\n")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("entry_point", "x; import os", "name of a method"),
        ("test_cases", "[]", "there are none"),
        ("test_cases", "[1", "no JSON"),
        ("test_cases", '[{"input": [1]}]', "missing"),
        ("test_cases", '[{"input": 1, "expected": 2}]', "a list"),
        ("pretty_content", [], "empty"),
        ("solutions", [{"runtime": "fast", "solution": "x"}], "40 ms"),
        ("solutions", [{"runtime": "4 ms"}], "solution"),
        ("convert_offline", None, "null"),
    ],
)
def test_refuses_broken_records(field: str, value: object, said: str) -> None:
    """The error names what is wrong."""
    with pytest.raises(RecordError, match=said):
        _read("evens-first", **{field: value})
