"""ENAMEL: tests by its generators and seeds, its own check, and our strict one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.evals import datasets
from afterburner.evals.datasets.enamel import LEFT_OUT, TESTS_AT_LEVELS, read_enamel
from afterburner.evals.datasets.files import records_of_file
from afterburner.evals.datasets.reading import ReadingContext
from afterburner.evals.datasets.records import Record
from afterburner.evals.enamel_levels import level_of, ran_out
from afterburner.evals.errors import RecordError
from afterburner.evals.inside.values import decode
from afterburner.evals.running.measure import measure_codes
from afterburner.sandbox import Verdict
from afterburner.sandbox.cores import divide_cores

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent import Problem
    from afterburner.evals.problems import BenchmarkProblem
    from afterburner.sandbox import Sandbox

    Judge = Callable[[Problem, str], Verdict]

SAMPLES = Path(datasets.__file__).parent / "samples" / "enamel.csv"
TOTALS = """
def running_total(numbers):
    sums, total = [], 0
    for each in numbers:
        total += each
        sums.append(total)
    return sums
"""
WRITES_EVERYWHERE = """
import os
def running_total(numbers):
    for each in range(3, 9):
        try:
            os.write(each, b"[]\\n")
        except OSError:
            pass
    return []
"""
PATCHES_EVERYTHING = """
import sys
for each in list(sys.modules.values()):
    for name in ("check", "judge", "encode", "is_same"):
        if hasattr(each, name):
            setattr(each, name, lambda *given: "[]")
def running_total(numbers):
    return None
"""


def _records(path: Path) -> dict[str, Record]:
    return {each.name: each for each in records_of_file(path) if isinstance(each, Record)}


@pytest.fixture(scope="module")
def context(sandbox: Sandbox) -> ReadingContext:
    return ReadingContext(sandbox=lambda: sandbox, dataset="enamel")


@pytest.fixture(scope="module")
def totals(context: ReadingContext) -> BenchmarkProblem:
    return read_enamel(_records(SAMPLES)["HumanEval/900"], context)


def test_makes_the_tests_of_all_levels(totals: BenchmarkProblem, context: ReadingContext) -> None:
    """Names tell the levels, sizes grow with them, and the same record makes the same tests."""
    cases = totals.problem.test_cases
    again = read_enamel(_records(SAMPLES)["HumanEval/900"], context)

    assert [case.name for case in cases] == [
        f"level {level}, case {case}" for level, tests in enumerate(TESTS_AT_LEVELS) for case in range(tests)
    ]
    assert decode(cases[0].stdin) == ([],)
    assert [len(decode(cases[place].stdin)[0]) for place in (1, 8, 12, 16)] == [20, 100, 1000, 5000]  # type: ignore[index]
    assert again.to_json() == totals.to_json()
    assert totals.strict is not None


@pytest.mark.nightly
def test_accepts_the_references_and_other_right_solutions(context: ReadingContext, judge: Judge) -> None:
    """Of a problem that is compared exactly, and of one whose check has a tolerance."""
    for record in _records(SAMPLES).values():
        found = read_enamel(record, context)
        assert judge(found.problem, found.references[0].code) is Verdict.ACCEPTED
    assert judge(found.problem, found.references[0].code.replace("total / count", "total / count + 1e-6")) is (
        Verdict.ACCEPTED
    )
    assert found.strict is None


def test_draws_as_enamels_own_evaluation_does(context: ReadingContext) -> None:
    """The seed of a test is made of the general one, the number of the problem and that of the test."""
    record = _records(SAMPLES)["HumanEval/900"]
    source = "def generate_input(size, lid, cid):\n    return [random.randrange(10 ** 9), size, lid, cid],\n"
    found = read_enamel(
        Record({**record.values, "input_generator": source, "reference_solution": "    return 1"}), context
    )
    import random  # noqa: PLC0415

    drawn = [decode(case.stdin)[0] for case in found.problem.test_cases]  # type: ignore[index]
    for number, (value, _size, _level, _case) in enumerate(drawn):
        expected = random.Random(998244353 ^ 900 ^ number).randrange(10**9)
        assert value == expected


@pytest.mark.parametrize(
    "code",
    [
        "def running_total(numbers):\n    return list(numbers)",
        TOTALS.replace("return sums", "return tuple(sums)"),
        TOTALS.replace("def running_total", "def another_name"),
        TOTALS.replace("return sums", "print(sums)\n    return sums"),
        "import os\ndef running_total(numbers):\n    os._exit(0)",
        "import os\ndef running_total(numbers):\n    os.write(1, b'[]\\n')\n    os._exit(0)",
        WRITES_EVERYWHERE,
        "class All(list):\n    def __eq__(self, other): return True\ndef running_total(numbers):\n    return All()",
        "class list(list):\n    def __eq__(self, other): return True\ndef running_total(numbers):\n    return list()",
        "import builtins, json\nbuiltins.type = lambda each: list\ndef running_total(numbers):\n    return 0",
        "def __check(*given): return True\n\ndef running_total(numbers):\n    numbers.clear()\n    return []",
        PATCHES_EVERYTHING,
        "def running_total(numbers):\n    return {'t': 1, 'o': 2}",
        "def running_total(numbers):\n    return float('nan')",
        "def running_total(numbers):\n    deep = []\n    for _ in range(10 ** 5): deep = [deep]\n    return deep",
    ],
)
def test_refuses_wrong_solutions_and_those_that_cheat(totals: BenchmarkProblem, judge: Judge, code: str) -> None:
    """Whatever a solution does to its own process, what it returned is judged elsewhere."""
    assert judge(totals.problem, code) is not Verdict.ACCEPTED


def test_judges_by_the_input_as_it_was(context: ReadingContext, judge: Judge) -> None:
    """A check that looks at the input is not misled by a solution that changes it."""
    record = _records(SAMPLES)["HumanEval/900"]
    check = "def __check(input, answer, output):\n    return output == sum(input[0])\n"
    found = read_enamel(
        Record({**record.values, "checker": check, "reference_solution": "    return sum(numbers)"}), context
    )

    assert judge(found.problem, found.references[0].code) is Verdict.ACCEPTED
    assert judge(found.problem, "def running_total(numbers):\n    numbers.clear()\n    return 0") is (
        Verdict.WRONG_ANSWER
    )


@pytest.mark.nightly
def test_is_stricter_by_our_own_rule(context: ReadingContext, judge: Judge) -> None:
    """ENAMEL's check looks at the outer type alone and forbids printing; ours looks at all types, and lets it be."""
    found = read_enamel(_records(SAMPLES)["HumanEval/900"], context)
    floats = TOTALS.replace("total += each", "total += float(each)")
    prints = TOTALS.replace("return sums", "print(sums)\n    return sums")

    assert found.strict is not None
    assert judge(found.problem, floats) is Verdict.ACCEPTED
    assert judge(found.strict, floats) is Verdict.WRONG_ANSWER
    assert judge(found.problem, prints) is Verdict.RUNTIME_ERROR
    assert judge(found.strict, prints) is Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("task_id", "seven", "HumanEval/17"),
        ("task_id", "HumanEval/2", "leaves this problem out"),
        ("input_levels", "1 2 3", "4 sizes"),
        ("input_generator", "def generate_input(size, lid, cid):\n    import os\n    os._exit(0)", "printed no JSON"),
        ("input_generator", "def generate_input(size, lid, cid):\n    return 7", "failed in the sandbox"),
        ("input_generator", "def generate_input(size, lid, cid):\n    return iter([1]),", "no plain data"),
        ("input_generator", "import os\nos.write(3, b'[[1, 2]]\\n')\nos._exit(0)", "something else than tests"),
        ("reference_solution", "    return undefined", "undefined"),
        ("checker", "", "empty"),
        ("prompt", None, "null"),
    ],
)  # fmt: skip
def test_refuses_records_that_make_no_tests(context: ReadingContext, field: str, value: object, said: str) -> None:
    """The error names the field and says what is wrong."""
    record = _records(SAMPLES)["HumanEval/900"]
    with pytest.raises(RecordError, match=said):
        read_enamel(Record({**record.values, field: value}), context)


@pytest.mark.parametrize(
    ("body", "ends_as_it_may", "last_level"),
    [
        ("", False, 3),
        ("if len(numbers) > 999: raise MemoryError\n    ", True, 2),
        ("if len(numbers) > 999: raise OverflowError('large')\n    ", True, 2),
        ("if len(numbers) > 999: raise ValueError('MemoryError')\n    ", False, 2),
        ("if len(numbers) > 99: return 'wrong'\n    ", False, 1),
        ("if len(numbers) == 20: raise MemoryError\n    ", False, 0),
    ],
)
def test_running_out_at_a_later_level_is_no_failure(
    totals: BenchmarkProblem, sandbox: Sandbox, body: str, ends_as_it_may: bool, last_level: int
) -> None:
    """As in ENAMEL's own evaluation; at level 0 it is one, and so is a wrong output at any level."""
    code = TOTALS.replace("sums, total", f"{body}sums, total", 1)
    (run,) = measure_codes(sandbox, divide_cores(), totals.problem, [code], repeats=1, seed=0)
    names = [each.name for each in totals.problem.test_cases]

    assert ran_out(run.verdict, run.detail, names) is ends_as_it_may
    assert level_of(names[len(run.case_wall_times_s) - 1]) == last_level


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("number", [0, 32, 38, 47, 75])
def test_accepts_real_references(shared_data: Path, context: ReadingContext, judge: Judge, number: int) -> None:
    """Records as ENAMEL has them: an exact check, one that calls a function of the prompt, and a tolerance."""
    record = _records(shared_data / "enamel" / "enamel.csv")[f"HumanEval/{number}"]
    _check_reference(record, context, judge)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_accepts_every_real_reference(shared_data: Path, sandbox: Sandbox, judge: Judge) -> None:
    """All 164 references pass the checks of their records, by both rules; 22 are not in ENAMEL's own evaluation."""
    records = _records(shared_data / "enamel" / "enamel.csv")
    context = ReadingContext(sandbox=lambda: sandbox, dataset="enamel", configuration="all")

    assert len(records) == 164
    assert len(LEFT_OUT) == 164 - 142
    for record in records.values():
        _check_reference(record, context, judge)


def _check_reference(record: Record, context: ReadingContext, judge: Judge) -> None:
    found = read_enamel(record, context)
    for rule in (found.problem, found.strict):
        assert rule is None or judge(rule, found.references[0].code) is Verdict.ACCEPTED, record.name
    wrong = f"def {record.text('entry_point')}(*given):\n    return '?'"
    assert judge(found.problem, wrong) is not Verdict.ACCEPTED, record.name
