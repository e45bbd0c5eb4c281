"""Doctests, the project's tests, files of calls, inputs from type hints, and edge cases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.build import build_workload
from afterburner.agent.options import BatchPlace, RunSettings
from afterburner.sandbox import UsageError

from .conftest import every_call, of_origin, reasons
from .test_captured_calls import outcome

if TYPE_CHECKING:
    from .conftest import Project


def test_doctests_of_the_function_and_of_what_reaches_it(project: Project) -> None:
    project.write(
        "text.py",
        '"""Text.\n\n>>> clean(" B ")\n\'b\'\n"""\n\n'
        "def clean(line):\n"
        '    """Clean.\n\n    >>> clean("  A b ")\n    \'a b\'\n    >>> clean("C")\n    \'wrong\'\n    """\n'
        "    return line.strip().lower()\n\n"
        "def other():\n"
        '    """Other.\n\n    >>> 1 / 0\n    """\n',
    )
    workload = project.workload("text.py", "clean")
    descriptions = {call.description for call in of_origin(workload, "doctest")}
    assert descriptions == {"clean(' B ')", "clean('  A b ')", "clean('C')"}
    assert "1 of 3 doctest examples fail" in reasons(workload)


def test_doctests_of_what_calls_the_function_and_files_of_doctests(project: Project) -> None:
    project.write(
        "lib/text.py",
        '"""Text.\n\n>>> title(" B ")\n\'B\'\n>>> Page("D").heading()\n\'D\'\n"""\n\n'
        "def clean(line):\n    return line.strip().lower()\n\n"
        "def title(line):\n    return clean(line).upper()\n\n"
        "class Page:\n    def __init__(self, line):\n        self.line = line\n\n"
        "    def heading(self):\n        return title(self.line)\n",
    )
    project.write("pyproject.toml", "")
    project.write("lib/__init__.py", "")
    project.write("tests/text.doctest", ">>> from lib import text\n>>> text.title('FROM A FILE')\n'FROM A FILE'\n")
    workload = project.workload("lib/text.py", "clean")
    assert {call.description for call in of_origin(workload, "doctest")} == {"clean(' B ')", "clean('D')"}
    told = {call.description for call in of_origin(workload, "pytest: tests/text.doctest")}
    assert told == {"clean('FROM A FILE')"}


STRICT = "filterwarnings = ['error', 'ignore::pytest.PytestDeprecationWarning']\n"


def test_the_projects_tests_that_reach_the_function(project: Project) -> None:
    project.write("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--no-such-option'\n" + STRICT)
    project.write("src/lib/__init__.py", "from lib.text import clean\n")
    project.write("src/lib/text.py", "def clean(line):\n    return line.strip().lower()\n")
    project.write("tests/conftest.py", "import pytest\n\n@pytest.fixture\ndef line():\n    return ' FROM A FIXTURE '\n")
    project.write(
        "tests/test_text.py",
        "import pytest\nfrom lib import clean\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_clean(n):\n    assert clean(' X ' * n)\n\n"
        "@pytest.mark.timeout(60)\ndef test_fixture(line):\n    clean(line)\n\n"
        "def test_that_fails():\n    assert clean('Q') == 'no'\n",
    )
    project.write("tests/test_unrelated.py", "raise RuntimeError('never imported')\n")
    project.write("tests/test_broken.py", "from lib import clean\nfrom lib import nothing_of_the_kind\n")
    workload = project.workload("src/lib/text.py", "clean")
    found = of_origin(workload, "pytest: tests/test_text.py")
    assert {call.description for call in found} == {
        "clean(' X ')",
        "clean(' X  X ')",
        "clean(' FROM A FIXTURE ')",
        "clean('Q')",
    }
    told = reasons(workload)
    assert "test_that_fails" in told
    assert "tests/test_broken.py: the test fails here" in told
    assert "test_unrelated" not in told


def test_objects_of_classes_of_a_package_of_tests_are_found_again(project: Project) -> None:
    project.write("pyproject.toml", "")
    project.write("src/lib/__init__.py", "")
    project.write("src/lib/text.py", "def shout(thing):\n    return thing.name.upper()\n")
    project.write("tests/__init__.py", "")
    project.write(
        "tests/test_text.py",
        "import sys\nsys.path.insert(0, 'src')\nfrom lib.text import shout\n\n"
        "class Named:\n    def __init__(self, name):\n        self.name = name\n\n"
        "def test_shout():\n    assert shout(Named('a')) == 'A'\n",
    )
    workload = project.workload("src/lib/text.py", "shout")
    assert [outcome(call)[1] for call in of_origin(workload, "pytest: tests/test_text.py")] == ["A"]
    assert "No module named" not in reasons(workload)


def test_tests_of_installed_packages_are_not_the_projects(project: Project) -> None:
    project.write("report.py", "def total(rows):\n    return sum(rows)\n")
    project.write("test_report.py", "from report import total\n\ndef test_total():\n    assert total([1, 2]) == 3\n")
    project.write("old-venv/pyvenv.cfg", "home = /usr/bin\n")
    project.write("env/conda-meta/history", "")
    for place in ("old-venv/lib/plots", "env/lib/plots", "vendored/site-packages/plots"):
        project.write(f"{place}/tests/conftest.py", "raise ImportError('this is no test of the project')\n")
        project.write(f"{place}/tests/test_plots.py", "import report\nfrom report import total\n")
    workload = project.workload("report.py", "total")
    assert [call.description for call in of_origin(workload, "pytest: test_report.py")] == ["total([1, 2])"]
    assert "plots" not in reasons(workload)


def test_tests_that_call_it_only_through_another_function_of_the_project(project: Project) -> None:
    project.write("pyproject.toml", "")
    project.write("lib/__init__.py", "")
    project.write("lib/spelling.py", "def clean(line):\n    return line.strip().lower()\n")
    project.write(
        "lib/report.py", "from lib.spelling import clean\n\ndef table(lines):\n    return [*map(clean, lines)]\n"
    )
    project.write(
        "tests/test_report.py",
        "from lib.report import table\n\ndef test_table():\n    assert table([' B ']) == ['b']\n",
    )
    project.write("tests/test_unrelated.py", "raise RuntimeError('never imported')\n")
    workload = project.workload("lib/spelling.py", "clean")
    assert [call.description for call in of_origin(workload, "pytest: tests/test_report.py")] == ["clean(' B ')"]
    assert "test_unrelated" not in reasons(workload)


def test_a_file_of_calls_stands_alone(project: Project) -> None:
    project.write("lib.py", 'def scale(n, by=2):\n    return n * by\n\nif __name__ == "__main__":\n    scale(100)\n')
    calls = project.write(
        "my_calls.py",
        "import lib\n\nscale(3)\nlib.scale(4, by=5)\nfrom lib import scale as again\n"
        'if __name__ == "__main__":\n    again("ab")\n',
    )
    workload = project.workload("lib.py", "scale", calls=calls)
    found = of_origin(workload, "--calls my_calls.py")
    assert {call.description for call in found} == {"scale(3)", "scale(4, by=5)", "scale('ab')"}
    assert {call.origin for call in every_call(workload)} == {"--calls my_calls.py", "derived"}


TOTALS = """\
def totals(rows, key, shown=None):
    found = {}
    for row in rows:
        found[key(row)] = found.get(key(row), 0) + row.amount
    if shown is not None:
        shown.note(found)
    return found
"""
CALLS = """\
import sys
from collections import namedtuple
from dataclasses import dataclass
from totals import totals

print("the file of calls runs", file=sys.stderr)
LENGTH = 3
Pair = namedtuple("Pair", "name amount")

@dataclass
class Row:
    name: str
    amount: int

class Noted:
    def __init__(self):
        self.seen = []
    def note(self, found):
        self.seen.append(len(found))

def short(row):
    result = row.name[:LENGTH]
    return result

def upto(length):
    return lambda row: row.name[:length]

rows = [Row("apples", 1), Row("apple pie", 2), Row("pears", 3)]
result = totals(rows, short)
if __name__ == "__main__":
    totals(rows, lambda row: row.name[0])
    totals(rows, upto(2), Noted())
    totals([Pair("x", 1)], key=short)
"""


def test_functions_and_classes_of_the_file_of_calls_are_arguments(project: Project) -> None:
    project.write("totals.py", TOTALS)
    calls = project.write("calls/my_calls.py", CALLS)
    workload = project.workload("totals.py", "totals", calls=calls)
    found = of_origin(workload, "--calls my_calls.py")
    assert len(found) == 4, reasons(workload)
    told = [call.expected for call in found]
    assert any(b'"app"' in outcome for outcome in told)
    assert all(b"the file of calls runs" not in outcome for outcome in told)


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("scale(3\n", UsageError, "not valid Python"),
        ("x = 1\n", WorkloadError, r"it is never called\. Let it import lib and call the function"),
        (
            "import nothing_here\nscale(1)\n",
            WorkloadError,
            "line 1: .*No module named 'nothing_here'",
        ),
        ("x = 1\ndef f():\n    raise ValueError('x')\nf()\n", WorkloadError, r"line 3: ValueError: x .*x\)\.$"),
    ],
)
def test_a_bad_file_of_calls(project: Project, text: str, error: type[Exception], said: str) -> None:
    project.write("lib.py", "def scale(n: int):\n    return n * 2\n")
    calls = project.write("bad.py", text)
    with pytest.raises(error, match=said):
        project.workload("lib.py", "scale", calls=calls)


def test_a_file_of_calls_that_cannot_be_read(project: Project) -> None:
    project.write("lib.py", "def scale(n):\n    return n * 2\n")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        project.workload("lib.py", "scale", calls=project.root / "gone.py")
    (project.root / "latin.py").write_bytes("scale('é')".encode("latin-1"))
    with pytest.raises(UsageError, match="not UTF-8"):
        project.workload("lib.py", "scale", calls=project.root / "latin.py")


HINTS = """\
from __future__ import annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

@dataclass
class Item:
    name: str
    price: float
    tags: list[str]

def dedupe(items: list[tuple[int, str]]) -> list[tuple[int, str]]:
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return seen

def common(a: Sequence[str], b: Iterable[str], limit: Optional[int] = None) -> list[str]:
    return [x for x in a if x in b][:limit]

def primes(n: int) -> int:
    return sum(all(x % d for d in range(2, x)) for x in range(2, n))

def slow_fibonacci(n: int) -> int:
    return n if n < 2 else slow_fibonacci(n - 1) + slow_fibonacci(n - 2)

def dearest(items: list[Item], count: int) -> list[str]:
    return [sorted(items, key=lambda item: item.price)[-n].name for n in range(1, min(count, len(items)) + 1)]

def look_up(table: dict[str, int], keys: Optional[list[str]]) -> int:
    return sum(value for key in keys or [] for name, value in table.items() if name == key)

class Stack:
    def __init__(self, items: list[int]) -> None:
        self.items = items

    def inversions(self) -> int:
        return sum(a > b for i, a in enumerate(self.items) for b in self.items[i:])

def consume(stream: Iterator[NoSuchThing]) -> None:
    pass
"""


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "function", ["dedupe", "common", "primes", "slow_fibonacci", "dearest", "look_up", "Stack.inversions"]
)
def test_inputs_grow_from_type_hints_until_they_can_be_measured(project: Project, function: str) -> None:
    project.write("hints.py", HINTS)
    workload = project.workload("hints.py", function)
    generated = of_origin(workload, "generated")
    assert len(generated) >= 6
    # Ten milliseconds were asked for. Which sizes that takes, and which of the calls are held out, differs with the
    # machine and from run to run; a call of one item takes some microseconds.
    for part in (workload.calls, workload.held_out_calls):
        assert max(call.cpu_time_s for call in part) > 0.0005
    assert max(call.cpu_time_s for call in every_call(workload)) < 3
    assert "generated" not in reasons(workload)


@pytest.mark.nightly
def test_generated_inputs_depend_on_the_seed_alone(project: Project) -> None:
    project.write("small.py", "def ends(items: list[int]) -> list[int]:\n    return items[:1] + items[-1:]\n")
    first, again, other = (
        {call.blob for call in of_origin(project.workload("small.py", "ends", seed=seed), "generated")}
        for seed in (1, 1, 2)
    )
    assert first & again
    assert len(first ^ again) <= 6  # the grown size depends on the clock; what is drawn does not
    assert first != other


def test_what_a_class_refuses_for_its_constructor_is_passed_over(project: Project) -> None:
    project.write(
        "parts.py",
        "class Part:\n    def __init__(self, size: float):\n        self.size = int(size)\n\n"
        "class Never:\n    def __init__(self, size: int):\n        raise ValueError('never')\n\n"
        "def sizes(parts: list[Part]) -> list[int]:\n    return [part.size for part in parts]\n\n"
        "def none(part: Never) -> int:\n    return 0\n",
    )
    generated = of_origin(project.workload("parts.py", "sizes"), "generated")
    assert len(generated) >= 6, "although `int` of an infinity raises"
    with pytest.raises(WorkloadError, match="never"):
        project.workload("parts.py", "none")


def test_a_file_tests_py_holds_tests(project: Project) -> None:
    project.write("caps.py", "def caps(text):\n    return text.upper()\n")
    project.write(
        "tests.py", "from caps import caps\n\ndef test_it():\n    assert caps('a') == 'A'\n    assert caps('bc')\n"
    )
    described = {call.description for call in of_origin(project.workload("caps.py", "caps"), "pytest: tests.py")}
    assert described == {"caps('a')", "caps('bc')"}


def test_unusable_hints_are_named(project: Project) -> None:
    project.write("hints.py", HINTS)
    with pytest.raises(WorkloadError, match=r"type hint of `stream` cannot be resolved.*NoSuchThing"):
        project.workload("hints.py", "consume")


def test_real_calls_that_can_be_measured_are_not_joined_by_invented_ones(project: Project) -> None:
    project.write(
        "sums.py",
        "def slow(items: list[int]) -> int:\n    return sum(a * b for a in items for b in items)\n\n"
        'if __name__ == "__main__":\n    slow(list(range(1500)))\n    slow(list(range(1200)))\n',
    )
    workload = project.workload("sums.py", "slow")
    assert not of_origin(workload, "generated")
    assert not {"slow([])", "slow([0])"} & {call.description for call in every_call(workload)}, (
        "no real call is so short"
    )
    assert all(part for part in (workload.calls, workload.held_out_calls))


def test_edge_cases_are_like_the_real_calls(project: Project) -> None:
    project.write(
        "sums.py",
        "def slow(items):\n    return sum(a * b for a in items for b in items)\n\n"
        'if __name__ == "__main__":\n    slow([0] * 400)\n    slow([])\n    slow([7])\n',
    )
    derived = of_origin(project.workload("sums.py", "slow"), "derived")
    assert 0 < len(derived) <= 12
    assert "slow([0])" in {call.description for call in derived}


def test_an_edge_case_on_which_the_original_hangs_is_dropped_and_reported(project: Project) -> None:
    project.write(
        "halve.py",
        "def steps(n, by):\n    count = 0\n    while n > 0:\n        n -= by\n        count += 1\n    return count\n\n"
        'if __name__ == "__main__":\n    steps(100, 2)\n    steps(90, 3)\n',
    )
    workload = project.workload("halve.py", "steps")
    assert "the original takes longer than" in reasons(workload)
    assert "steps(100, 0)" in reasons(workload)
    assert "steps(0, 2)" not in {call.description for call in every_call(workload)}, "all real ones are positive"


DEEP = (
    "def depth(n: int) -> int:\n    return 0 if n == 0 else 1 + depth(n - 2)\n\n"
    'if __name__ == "__main__":\n    depth(100)\n    depth(80)\n'
)


@pytest.mark.parametrize(("text", "origin"), [(DEEP, "derived"), (DEEP.partition("if __")[0], "generated")])
def test_a_made_input_on_which_the_original_has_no_room_is_not_judged_by(
    project: Project, text: str, origin: str
) -> None:
    """A rewrite without recursion does better on odd numbers."""
    project.write("deep.py", text)
    made = of_origin(project.workload("deep.py", "depth"), origin)
    assert made
    assert not any(b"RecursionError" in call.expected for call in made)


def test_a_method_without_parameters_gets_edge_cases_from_its_object(project: Project) -> None:
    project.write(
        "stack.py",
        "class Stack:\n"
        "    def __init__(self, items):\n        self.items = items\n\n"
        "    def inversions(self):\n"
        "        return sum(a > b for i, a in enumerate(self.items) for b in self.items[i:])\n\n"
        'if __name__ == "__main__":\n    print(Stack([3, 1, 2, 5, 4]).inversions())\n',
    )
    workload = project.workload("stack.py", "Stack.inversions")
    assert [call.origin for call in workload.calls].count("captured from __main__") == 1
    assert {call.origin for call in workload.held_out_calls} == {"derived"}


@pytest.mark.nightly
def test_tests_of_another_function_of_the_same_name_are_not_run(project: Project) -> None:
    project.write("work.py", "def main(n):\n    return n + 1\n")
    project.write("test_work.py", "import work\n\ndef test_main():\n    work.main(1)\n    work.main(2)\n")
    project.write("test_other.py", "def test_main():\n    raise RuntimeError('this main is another one')\n")
    workload = project.workload("work.py", "main")
    assert of_origin(workload, "pytest: test_work.py")
    assert "another one" not in reasons(workload)
    (project.root / "test_work.py").unlink()
    project.write("other.py", "from work import *\n")
    project.write("test_other.py", "from other import main\n\ndef test_main():\n    main(3)\n    main(4)\n")
    assert of_origin(project.workload("work.py", "main"), "pytest: test_other.py")


@pytest.mark.nightly
def test_edge_cases_of_large_arguments_are_light_but_for_one(project: Project) -> None:
    project.write(
        "rows.py",
        "def longest(rows, least):\n    return max((len(row) for row in rows), default=least)\n\n"
        'if __name__ == "__main__":\n    rows = ["row %d" % n * 9 for n in range(5000)]\n'
        '    longest(rows, 0)\n    longest(rows[1:], 5)\n    longest([], 1)\n    longest(["row"], 2)\n',
    )
    workload = project.workload("rows.py", "longest")
    derived = {call.description: call for call in of_origin(workload, "derived")}
    assert "longest([], 0)" in derived
    assert sum(len(call.blob) > 128 * 1024 for call in derived.values()) <= 1


@pytest.mark.parametrize(
    ("function", "calls", "heavy"),
    [
        (
            "def f(left, right):\n    return [each for each in left if each in right]",
            "f([1, 2, 2, 3], [2, 3, 2])\nf(LONG, LONG[::2])",
            {"f([0, 1, 2, …], [0, 2, 4, …])"},
        ),
        ("def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)", "f(3)\nf(22)", {"f(22)", "f(21)"}),
    ],
    ids=["ascending lists", "a number"],
)
def test_where_one_call_alone_is_heavy_another_is_derived_from_it(
    project: Project, function: str, calls: str, heavy: set[str]
) -> None:
    """So a gain shows on the held-out inputs, too, which are small ones otherwise."""
    project.write("loops.py", f"LONG = list(range(2_000))\n\n\n{function}\n")
    project.write("calls.py", f"from loops import LONG, f\n\n{calls}\n")
    workload = project.workload("loops.py", "f", calls=project.root / "calls.py")
    for part in (workload.calls, workload.held_out_calls):
        assert {call.description for call in part} & heavy, workload


@pytest.mark.slow
def test_test_files_that_only_another_revision_has_are_looked_for_here(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=120.0, cpu_time_s=120.0)  # pytest may start late
    project.write("work.py", "def double(x):\n    return [x, x]\n")
    project.write("tests/test_old.py", "from work import double\n\ndef test_it():\n    double(3), double(4)\n")
    target = project.target("work.py", "double")
    for known in (("tests/test_new.py",), ("tests/test_new.py", "tests/test_old.py")):
        settings = RunSettings(target.path, "double", batch=BatchPlace(test_files=known))
        environment = project.environment(target)
        workload = build_workload(project.sandbox, target, environment, settings, project.limits, project.told.append)
        found = of_origin(workload, "pytest: tests/test_old.py")
        assert {call.description for call in found} == {"double(3)", "double(4)"}, reasons(workload)


def test_a_function_that_the_command_never_calls_is_judged_on_what_its_own_file_does(project: Project) -> None:
    project.write(
        "lib.py",
        'def clean(line):\n    """Clean.\n\n    >>> clean("  A b ")\n    \'a b\'\n    """\n'
        "    return line.strip().lower()\n\n"
        "def used(line):\n    return line\n\n"
        'if __name__ == "__main__":\n    clean(" X ")\n',
    )
    project.write("app.py", "from lib import used\n\nused('a')\n")

    def of_command(words: str) -> set[str]:
        target = project.target("lib.py", "clean")
        batch = BatchPlace(command=(words,), command_folder=str(project.root))
        settings = RunSettings(target.path, "clean", batch=batch)
        environment = project.environment(target)
        workload = build_workload(project.sandbox, target, environment, settings, project.limits, project.told.append)
        return {call.origin for call in every_call(workload)} - {"derived"}

    assert {"doctest", "captured from __main__"} <= of_command("app.py")
    project.write("app.py", "from lib import clean\n\nclean('a'), clean('b')\n")
    assert not {"doctest", "captured from __main__"} & of_command("app.py"), "the command's calls are enough"
