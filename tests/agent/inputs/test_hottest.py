"""The function that is worth optimising, when the user names none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import NoInputsError, WorkloadError
from afterburner.agent.events import EventKind, ProgressEvent
from afterburner.agent.options import RunSettings
from afterburner.agent.progress_lines import line_of
from afterburner.agent.session.preparing import prepared_bench

if TYPE_CHECKING:
    from .conftest import Project

WORK = """\
import json

def parse(lines):
    return [json.loads(line) for line in lines]

def slow(rows):
    return [a for a in rows if sum(1 for b in rows if b == a) == 1]

class Report:
    def __init__(self, rows):
        self.rows = rows

    def render(self, times):
        text = ""
        for _ in range(times):
            text = "".join(sorted(text + "x" * len(self.rows)))
        return text

def main(rows, times):
    return len(Report(slow(parse(rows))).render(times))
"""


@pytest.mark.parametrize(("rows", "times", "expected"), [(400, 3, "slow"), (30, 400, "Report.render")])
def test_own_time_and_that_of_callees_outside_the_file_count(
    project: Project, rows: int, times: int, expected: str
) -> None:
    project.write(
        "work.py", WORK + f'\nif __name__ == "__main__":\n    main([str(n) for n in range({rows})], {times})\n'
    )
    assert project.hottest("work.py") == expected


def test_the_only_function_needs_no_profile(project: Project) -> None:
    project.write("one.py", "def only(x):\n    return x\n")
    assert project.hottest("one.py") == "only"


@pytest.mark.nightly
@pytest.mark.slow
def test_an_endless_workload_is_profiled_as_far_as_it_goes(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=10.0, cpu_time_s=10.0)
    project.write(
        "endless.py",
        WORK + '\nif __name__ == "__main__":\n    while True:\n        slow(list(range(100)))\n        parse(["1"])\n',
    )
    assert project.hottest("endless.py") == "slow"


def test_calls_doctests_and_tests_are_workloads_too(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=120.0, cpu_time_s=120.0)  # pytest may start late
    project.write("work.py", WORK)
    calls = project.write("calls.py", "slow(list(range(300)))\nparse(['1'])\n")
    assert project.hottest("work.py", calls=calls) == "slow"
    project.write("test_work.py", "import work\n\ndef test_render():\n    work.Report([1] * 50).render(300)\n")
    assert project.hottest("work.py") == "Report.render"


def test_cases_are_a_workload_too(project: Project) -> None:
    project.write("work.py", WORK + '\nif __name__ == "__main__":\n    slow(input().split())\n    parse(["2"])\n')
    project.write("cases/a.out", "")
    folder = project.write("cases/a.in", "x y " * 200).parent
    assert project.hottest("work.py", cases=folder) == "slow"


def test_what_importing_the_file_calls_is_no_workload_where_tests_do_more(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=120.0, cpu_time_s=120.0)  # pytest may start late
    file = project.write("work.py", WORK + "\nREPORT = Report([1])\n")
    assert project.hottest(file) == "Report.__init__", "better than nothing"
    project.write(
        "test_work.py", "import work\n\ndef test_main():\n    assert work.main([str(n) for n in range(400)], 3)\n"
    )
    assert project.hottest(file) == "slow"


def test_a_costly_import_is_no_workload_either(project: Project) -> None:
    warm = "\ndef warm(times):\n    return sum(n * n for n in range(times))\n\n"
    begin = "def begin():\n    return warm(500_000)\n\nWARM = begin()\n"
    file = project.write("work.py", f"{WORK}{warm}{begin}")
    assert project.hottest(file) == "warm", "better than nothing"
    doctest = '"""\n>>> main([str(n) for n in range(300)], 2)\n600\n"""\n'
    project.write("work.py", f"{doctest}{WORK}{warm}{begin}")
    assert project.hottest(file) not in {"warm", "begin"}
    main = '\nif __name__ == "__main__":\n    warm(500_000)\n'
    project.write("work.py", f"{doctest}{WORK}{warm}{begin}{main}")
    assert project.hottest(file) == "warm", "which the program runs, too"


def test_a_script_without_a_block_is_a_workload_and_so_is_what_a_decorator_has_made(project: Project) -> None:
    script = "def cheap(n):\n    return n\n\ndef slow(n):\n    return sum(k * k for k in range(n))\n\n"
    file = project.write("script.py", f"{script}print(cheap(2))\nprint(slow(300_000))\n")
    assert project.hottest(file) == "slow"
    text = (
        '"""\n>>> work(300_000)\n300000\n"""\n'
        "def decorate(function):\n    def inner(n):\n        total = 0\n        for k in range(n):\n"
        "            total += k\n        return function(n)\n    return inner\n\n"
        "@decorate\ndef work(n):\n    return n\n\n"
        "def even(n):\n    return n == 0 or odd(n - 1)\n\ndef odd(n):\n    return n != 0 and even(n - 1)\n\n"
        "EVEN = [even(200) for _ in range(2_000)]\n"
    )
    assert project.hottest(project.write("made.py", text)) == "decorate"


def test_functions_that_say_so_are_not_chosen(project: Project) -> None:
    text = WORK.replace("def slow(rows):", "def slow(rows):  # afterburner: skip")
    project.write("work.py", text + '\nif __name__ == "__main__":\n    main([str(n) for n in range(400)], 1)\n')
    assert project.hottest("work.py") != "slow"
    project.write("one.py", "def only(x):  # afterburner: skip\n    return x\n")
    with pytest.raises(WorkloadError, match="each of its functions says `# afterburner: skip`"):
        project.hottest("one.py")


def test_nothing_to_profile_names_the_functions(project: Project) -> None:
    project.write("work.py", WORK)
    with pytest.raises(NoInputsError) as caught:
        project.hottest("work.py")
    for part in ("--function", "parse, slow, Report.__init__, Report.render, main", "--calls", "no `if __name__"):
        assert part in str(caught.value)


def test_a_function_without_inputs_gives_way_to_the_next_one(project: Project) -> None:
    busy = "def busy(lock, times):\n    return sum(n * n for n in range(times))\n"
    calls = '\nif __name__ == "__main__":\n    import threading\n    busy(threading.Lock(), 1_000_000)\n'
    project.write("work.py", f"{busy}\n{WORK}{calls}    slow(list(range(200)))\n    slow(list(range(150)))\n")
    told: list[ProgressEvent] = []
    target = project.target("work.py", None)
    bench = prepared_bench(
        RunSettings(target.path), target, project.sandbox, project.environment(target), on_event=told.append
    )
    assert bench.target.function == "slow"
    lines = [line_of(event) for event in told if event.kind in {EventKind.FOUND_TARGET, EventKind.INPUTS_LEFT_OUT}]
    assert [line.partition(":")[0] for line in lines[:3]] == [
        "busy uses the most CPU time",
        "busy",
        "slow comes next",
    ]

    project.write("work.py", f"{busy}\ndef idle(lock):\n    return 1\n{calls}    idle(threading.Lock())\n")
    target = project.target("work.py", None)
    with pytest.raises(NoInputsError, match=r"(?s)busy.*Or name another function of the file: --function"):
        prepared_bench(RunSettings(target.path), target, project.sandbox, project.environment(target), lambda _: None)
