"""The file's own `__main__` and the project's tests, run whole with a rewrite in place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import find_target
from afterburner.agent.inputs.harness_answers import Suite
from afterburner.agent.inputs.staging import stage
from afterburner.agent.judge import whole_runs
from afterburner.agent.judge.measuring.workbench import Workbench
from afterburner.agent.judge.whole_runs import (
    ComparedTests,
    WholeRunDifference,
    compared_tests,
    difference_of_whole_runs,
)
from afterburner.agent.types import Decision, Skipped, Workload
from afterburner.sandbox import Limits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from afterburner.sandbox.sandbox import Sandbox

    Judged = Callable[[str, str], WholeRunDifference | None]

LOOK_UP = """\
import logging
import random
import sys
import time
import warnings

log = logging.getLogger(__name__)


def known(names, wanted):
    log.info("%d wanted", len(wanted))
    return [name for name in wanted if name in names]
"""
BY_SET = """\
import logging
import random
import sys
import time
import warnings

log = logging.getLogger(__name__)


def known(names, wanted):
    log.info("%d wanted", len(wanted))
    held = set(names)

    return [name for name in wanted if name in held]
"""
SIZES = "    for size in (3, 40, 500, 600):\n        print(len(known(list(range(size)), list(range(0, size, 2)))))\n"
MAIN = f"\n\nif __name__ == '__main__':\n{SIZES}"


def bench_of(path: Path, sandbox: Sandbox) -> Workbench:
    """The function `known` of a file, without any inputs: whole runs need none."""
    target = find_target(path, "known")
    return Workbench(target, Workload(), sandbox, stage(target, sandbox).environment, Limits(), None)


@pytest.fixture
def judged(tmp_path: Path, sandbox: Sandbox) -> Judged:
    """What whole runs say of a rewrite of `known`."""

    def judge(before: str, after: str) -> WholeRunDifference | None:
        path = tmp_path / "looking.py"
        path.write_text(before, encoding="utf-8")
        return difference_of_whole_runs(bench_of(path, sandbox), after)

    return judge


@pytest.mark.parametrize(
    "shown",
    [
        "    begun = time.perf_counter()\n{sizes}    print(f'took {{time.perf_counter() - begun:.6f} s')\n",
        "    print(random.random(), {'set', 'of', 'texts'})\n{sizes}",
        "    warnings.warn('soon to go')\n{sizes}    print(sys.argv[1:], 'done', file=sys.stderr)\n",
        "    logging.basicConfig(format='%(asctime)s %(lineno)d %(message)s', level=0)\n{sizes}",
        "{sizes}    sys.exit('not so good')\n",
    ],
    ids=["time", "chance", "warnings", "log", "exit"],
)
def test_what_differs_from_run_to_run_is_not_held_against_a_rewrite(judged: Judged, shown: str) -> None:
    main = "\n\nif __name__ == '__main__':\n" + shown.replace("{{", "{").replace("{sizes}", SIZES)
    assert judged(LOOK_UP + main, BY_SET + main) is None


@pytest.mark.parametrize(
    ("main", "old", "new", "reason"),
    [
        (SIZES, "in held]", "in held][:200]", "line 3 of stdout is '200' instead of '250'"),
        (
            f"    logging.basicConfig(level=0)\n{SIZES}",
            '    log.info("%d wanted", len(wanted))\n',
            "",
            "0 lines on stderr instead of 4",
        ),
        (
            f"{SIZES}    sys.exit(len(known([1], [1])))\n",
            "in held]",
            "in held][1:]",
            "exit code 0",
        ),
    ],
)
def test_another_output_of_the_program_is_a_difference(
    judged: Judged, main: str, old: str, new: str, reason: str
) -> None:
    main = f"\n\nif __name__ == '__main__':\n{main}"
    found = judged(LOOK_UP + main, BY_SET.replace(old, new) + main)
    assert found is not None
    assert found.decision is Decision.WRONG
    assert reason in found.reason


WRITES = """\
import os
import pathlib
import tempfile


def known(rows):
    return [f"{row}\\n" for row in rows]


if __name__ == "__main__":
    lines = [known(range(5)), known(range(3))]
    here = pathlib.Path(__file__).parent
    for name, found in zip(("north", "south"), lines):
        with open(here / f"{name}.txt", "a", encoding="utf-8") as file:
            file.writelines(found)
    pathlib.Path("last.txt").write_text(here.joinpath("known.txt").read_text())
    descriptor, name = tempfile.mkstemp(dir=here)
    os.close(descriptor)
    os.remove("old.txt")
"""


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("rows = list(rows)\n    return [f", None),
        ("rows = list(rows)[:4]\n    return [f", "4 lines in the file north.txt instead of 5"),
        ("rows = [4, *rows][:3]\n    return [f", "line 1 of the file north.txt is '4' instead of '0'"),
        (
            "if len(rows) < 4: open('known.txt', 'w').write('other')\n    return [f",
            "line 1 of the file last.txt is 'other' instead of 'known'",
        ),
        (
            "if len(rows) < 4: os.path.exists('old.txt') and os.rename('old.txt', 'kept.txt')\n    return [f",
            "it ends with exit code 1 instead of 0",
        ),
    ],
    ids=["the same", "fewer", "others", "spoilt", "moved"],
)
def test_files_that_the_program_writes_are_compared(
    judged: Judged, tmp_path: Path, new: str, reason: str | None
) -> None:
    """It writes beside itself, below its folder, and under a name drawn by chance; the project stays as it is."""
    for name, text in (("known.txt", "known"), ("old.txt", ""), ("south.txt", "known before\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = judged(WRITES, WRITES.replace("return [f", new))
    assert (found.reason if found else None) == (
        reason and f"the file's own __main__ does something else with it: {reason}"
    )
    assert sorted(tmp_path.glob("*.txt")) == [tmp_path / name for name in ("known.txt", "old.txt", "south.txt")]


@pytest.mark.parametrize("command", [("tool.py", "--all"), ("-m", "tool", "--all")])
def test_the_command_that_was_given_is_run_whole(tmp_path: Path, sandbox: Sandbox, command: tuple[str, ...]) -> None:
    (tmp_path / "looking.py").write_text(LOOK_UP, encoding="utf-8")
    (tmp_path / "tool.py").write_text(
        "import sys\nfrom looking import known\nfor size in range(3, 9):\n"
        "    found = known(list(range(size)), list(range(9)))\nprint(sys.argv[1:], len(found))\n",
        encoding="utf-8",
    )
    bench = replace(bench_of(tmp_path / "looking.py", sandbox), command=command, command_folder=str(tmp_path))
    assert difference_of_whole_runs(bench, BY_SET) is None
    found = difference_of_whole_runs(bench, BY_SET.replace("in held]", "in held][:7]"))
    assert found is not None
    assert "`python " in found.reason
    assert "line 1 of stdout is \"['--all'] 7\" instead of \"['--all'] 8\"" in found.reason


@pytest.mark.nightly
def test_a_test_that_reaches_the_function_through_another_module_counts(judged: Judged, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("import looking\n\n\ndef stock(n):\n    return looking.known([n], [n])\n")
    (tmp_path / "page.py").write_text("from shop import stock\n\n\ndef page():\n    return stock(4)\n")
    (tmp_path / "test_page.py").write_text(
        "from page import page\n\n\ndef test_page():\n    assert page() == [4]\n", encoding="utf-8"
    )
    found = judged(LOOK_UP + MAIN, BY_SET.replace("in held]", "in held or name > 600][:]") + MAIN)
    assert found is None
    found = judged(LOOK_UP + MAIN, BY_SET.replace("in held]", "in held if wanted[0] == 0]") + MAIN)
    assert found == WholeRunDifference(
        Decision.WRONG, "test_page.py::test_page passed with the original and failed with the other version"
    )


@pytest.mark.slow
def test_a_test_that_the_rewrite_breaks_is_named_and_one_that_failed_before_is_not(
    judged: Judged, tmp_path: Path
) -> None:
    (tmp_path / "test_looking.py").write_text(
        "from looking import known\n\n\ndef test_none():\n    assert known([], [[]]) == []\n\n\n"
        "def test_red():\n    assert known([1], [1]) == []\n",
        encoding="utf-8",
    )
    found = judged(LOOK_UP + MAIN, BY_SET + MAIN)
    assert found == WholeRunDifference(
        Decision.WRONG, "test_looking.py::test_none passed with the original and failed with the other version"
    )
    right = BY_SET.replace("set(names)", "names[:]")
    assert judged(LOOK_UP + MAIN, right + MAIN) is None


def test_work_that_the_program_does_not_need_is_no_gain(judged: Judged) -> None:
    """It takes one item of what the function yields."""
    lazy = LOOK_UP.replace("return [name for name in wanted if name in names]", "yield from map(abs, wanted)")
    eager = lazy.replace(
        "yield from map(abs, wanted)", "return iter([abs(n) ** 3 % 7 and n for n in wanted for _ in 'ab'][::2])"
    )
    main = "\n\nif __name__ == '__main__':\n" + SIZES.replace(
        "len(known(list(range(size)), list(range(0, size, 2))))", "next(known([], range(size * 800)))"
    )
    found = judged(lazy + main, eager + main)
    assert found is not None
    assert found.decision is Decision.NOT_BETTER
    assert "of CPU time with it" in found.reason


@pytest.mark.parametrize(
    ("suites", "broken"),
    [
        ([("a", "b"), (), (), ("b", "c")], "b"),  # the one that fails each time
        ([("a",), (), (), ()], None),
        ([("a", "b"), (), ("a",), ("a", "b")], "b"),
        ([("a", "b"), (), ("a",), None, ("a", "b")], "b"),  # None: cut off, as a busy machine may do once
        ([("a",), (), (), None, ()], None),
        ([None, (), (), ()], None),
        ([None, (), (), None], "the"),
    ],
)
def test_a_test_that_fails_by_chance_says_nothing(
    suites: list[tuple[str, ...] | None],
    broken: str | None,
    tmp_path: Path,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    told = iter(Suite(3, failing or (), complete=failing is not None) for failing in suites)
    monkeypatch.setattr(whole_runs, "_suite", lambda *_: next(told))
    found = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n").difference
    assert (found.reason.split()[0] if found else None) == broken


def test_tests_that_take_too_long_are_told_to_be_left_out(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    monkeypatch.setattr(whole_runs, "_suite", lambda *_: Suite(3, (), complete=False))
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert said.difference is None
    assert said.left_out is not None
    assert said.left_out.reason == "they take longer than 10 s, so whether they pass with both versions is not known"


@pytest.mark.parametrize(
    ("original", "told"),
    [
        (Suite(3, (), complete=False), "with the original, they take longer than 10 s, so"),
        (None, "with the original, they cannot be begun, so"),
    ],
)
def test_tests_that_come_to_their_end_with_the_other_version_alone_say_so(
    original: Suite | None, told: str, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    suites = iter([Suite(3, ("a",), complete=True), original])
    monkeypatch.setattr(whole_runs, "_suite", lambda *_: next(suites))
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n").left_out
    assert said is not None
    assert said.reason.startswith(told)


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        (("b", "a", "b"), "2 of 5; the first is a"),
        (tuple(map(str, range(1000))), "at least 1000; the first is 0"),
    ],
)
def test_a_test_that_fails_twice_counts_once_and_a_list_that_was_cut_short_says_at_least(
    failing: tuple[str, ...], told: str, tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    monkeypatch.setattr(whole_runs, "_suite", lambda *_: Suite(3, failing, complete=True))
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n").left_out
    assert said == Skipped("tests that fail with both versions", told)


def test_tests_that_failed_before_the_time_was_over_are_counted(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    monkeypatch.setattr(whole_runs, "_suite", lambda *_: Suite(24, ("a", "b"), complete=False))
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert said.left_out is not None
    assert said.left_out.reason == (
        "they take longer than 10 s, so whether they pass with both versions is not known; by then 24 had passed with "
        "the original, and 2 failed"
    )


BENCHMARK_PLUGIN = """
import pytest

def pytest_addoption(parser):
    for name in ("skip", "disable", "only"):
        parser.addoption("--benchmark-" + name, action="store_true")
    parser.addoption("--benchmark-json")
    parser.addoption("--benchmark-storage")

@pytest.fixture
def benchmark(request):
    if request.config.option.benchmark_skip:
        pytest.skip("the project wants no benchmarks")
    assert request.config.option.benchmark_disable, "it is measured"
    assert not request.config.option.benchmark_json, "the project is read-only"
    return lambda function: function()
"""
CONFTEST = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--without", action="append", default=[])
    parser.addoption("--quick", action="store_true")

@pytest.fixture
def server(request):
    if request.config.option.without == ["server"] and request.config.option.quick:
        pytest.skip("there is none")
    raise ConnectionError("there is none")
"""
WITH_PLUGINS = """
from known import known

def test_known(worker_id, cache, cov, no_cover):
    cache.set("known/last", worker_id)
    assert known(3) == 3

def test_measured(benchmark):
    assert benchmark(lambda: known(3)) == {measured}

def test_served(server):
    assert known(3) == 3
"""


def write_with_plugins(folder: Path, plugin: str, added: str, measured: int) -> None:
    """Modules of the project stand for pytest-benchmark and pytest-cov, which may not be installed."""
    (folder / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    (folder / "bench.py").write_text(plugin, encoding="utf-8")
    (folder / "pytest_cov.py").write_text("", encoding="utf-8")
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "pytest.ini").write_text(f"[pytest]\naddopts = {added}\n", encoding="utf-8")
    (folder / "test_known.py").write_text(WITH_PLUGINS.format(measured=measured), encoding="utf-8")
    installed = folder / "bench-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: bench\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text("[pytest11]\nbenchmark = bench\n", encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("added", "measured", "told"),
    [
        ("--benchmark-skip --without server --quick", 4, None),
        ("--benchmark-json=report.json -n 2 --without=server --quick --lf", 3, None),
        (
            "--benchmark-json report.json --quick",
            3,
            "1 of 3; the first is test_known.py::test_served: ConnectionError: there is none",
        ),
    ],
)
def test_plugins_and_the_projects_own_options_hold_as_for_its_developer(
    added: str, measured: int, told: str | None, tmp_path: Path, sandbox: Sandbox
) -> None:
    write_with_plugins(tmp_path, BENCHMARK_PLUGIN, added, measured)
    found = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert found.difference is None
    assert (found.left_out.reason if found.left_out else None) == told
    broken = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 1\n").difference
    assert broken is not None
    assert broken.reason.startswith("test_known.py::test_known ")


@pytest.mark.slow
def test_a_plugin_that_writes_into_the_project_before_its_options_are_left_out_is_left_out_itself(
    tmp_path: Path, sandbox: Sandbox
) -> None:
    """pytest-benchmark 4 opens the file as soon as it sees the option."""
    older = BENCHMARK_PLUGIN.replace('-json")', '-json", type=__import__("argparse").FileType("wb"))')
    write_with_plugins(tmp_path, older, "--benchmark-json=report.json --without=server --quick", 3)
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n").left_out
    assert said is not None
    told = "1 of 2; the first is test_known.py::test_measured: fixture 'benchmark' not found; if a plugin of pytest "
    assert said.reason.startswith(told)


@pytest.mark.slow
def test_many_tests_that_fail_with_both_versions_are_no_matter_of_time(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_runs, "LONGEST_RUN_S", 60.0)  # of a busy machine
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    (tmp_path / "test_known.py").write_text(
        "import pytest\nfrom known import known\n\n\n"
        "@pytest.mark.parametrize('n', range(60))\ndef test_missing(no_such_fixture, n):\n    pass\n\n\n"
        "@pytest.mark.parametrize('n', range(5))\ndef test_known(n):\n    assert known(n) == n\n",
        encoding="utf-8",
    )
    same = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert same.difference is None
    assert same.left_out is not None
    assert same.left_out.origin == "tests that fail with both versions"
    told = "60 of 65; the first is test_known.py::test_missing[0]: fixture 'no_such_fixture' not found; if a plugin of "
    assert same.left_out.reason.startswith(told)
    other = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + (n > 3)\n")
    assert other.difference is not None
    assert other.difference.reason.startswith("test_known.py::test_known[4] passed with the original")
    (tmp_path / "conftest.py").write_text("raise ValueError(3)\n", encoding="utf-8")
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert said.left_out is not None
    assert said.left_out.origin == "tests as a whole"
    assert said.left_out.reason.startswith("pytest left with exit code 4 (")


@pytest.mark.slow
def test_tests_that_never_end_are_told_to_be_left_out(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    (tmp_path / "test_known.py").write_text(
        "import time\nimport known\n\ndef test_known():\n    time.sleep(60)\n", encoding="utf-8"
    )
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), "def known(n):\n    return n + 0\n")
    assert said.difference is None
    assert said.left_out is not None
    assert said.left_out.reason == "they take longer than 10 s, so whether they pass with both versions is not known"


@pytest.mark.slow
def test_a_version_with_which_the_tests_never_end_is_wrong(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "known.py").write_text("def known(n):\n    return n\n", encoding="utf-8")
    (tmp_path / "test_known.py").write_text(
        "from known import known\n\n\ndef test_known():\n    assert known(4) == 4\n", encoding="utf-8"
    )
    other = "def known(n):\n    while n == 4:\n        pass\n    return n\n"
    said = compared_tests(bench_of(tmp_path / "known.py", sandbox), other)
    told = "the project's tests do not come to their end with it"
    assert said == ComparedTests(WholeRunDifference(Decision.WRONG, told))
