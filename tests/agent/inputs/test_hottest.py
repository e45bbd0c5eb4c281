"""The function that is worth optimising, when the user names none."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError

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


@pytest.mark.slow
def test_an_endless_workload_is_profiled_as_far_as_it_goes(project: Project) -> None:
    project.limits = replace(project.limits, wall_time_s=10.0, cpu_time_s=10.0)
    project.write(
        "endless.py",
        WORK + '\nif __name__ == "__main__":\n    while True:\n        slow(list(range(100)))\n        parse(["1"])\n',
    )
    assert project.hottest("endless.py") == "slow"


def test_calls_doctests_and_tests_are_workloads_too(project: Project) -> None:
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
    file = project.write("work.py", WORK + "\nREPORT = Report([1])\n")
    assert project.hottest(file) == "Report.__init__", "better than nothing"
    project.write(
        "test_work.py", "import work\n\ndef test_main():\n    assert work.main([str(n) for n in range(400)], 3)\n"
    )
    assert project.hottest(file) == "slow"


def test_functions_that_say_so_are_not_chosen(project: Project) -> None:
    text = WORK.replace("def slow(rows):", "def slow(rows):  # afterburner: skip")
    project.write("work.py", text + '\nif __name__ == "__main__":\n    main([str(n) for n in range(400)], 1)\n')
    assert project.hottest("work.py") != "slow"
    project.write("one.py", "def only(x):  # afterburner: skip\n    return x\n")
    with pytest.raises(WorkloadError, match="each of its functions says `# afterburner: skip`"):
        project.hottest("one.py")


def test_nothing_to_profile_names_the_functions(project: Project) -> None:
    project.write("work.py", WORK)
    with pytest.raises(WorkloadError) as caught:
        project.hottest("work.py")
    for part in ("--function", "parse, slow, Report.__init__, Report.render, main", "--calls", "no `if __name__"):
        assert part in str(caught.value)
