"""The line profile, by a real profiler in the real sandbox: the hot line has the largest share, and nothing fails."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import with_source
from afterburner.agent.inputs.line_profile import LineProfile, profile_lines
from afterburner.sandbox import Bind

if TYPE_CHECKING:
    from workloads.conftest import Project

    from afterburner.sandbox import PythonEnvironment

PLENTY_S = 60.0
SLOW = """\
import collections


def helper(value):
    total = 0
    for step in range(value):
        total += step * step
    return total


def f(values):
    seen = []
    for value in values:
        if value in seen:
            continue
        seen.append(value)
    return helper(len(seen))


if __name__ == "__main__":
    for size in (300, 600, 900, 1200):
        f(list(range(size)))
"""
GENERATOR = """\
class Box:
    def __init__(self, size):
        self.size = size

    def items(self):
        for number in range(self.size):
            try:
                yield sum(range(2000)) + number
            except ValueError:
                raise


if __name__ == "__main__":
    for size in (30, 60, 90, 120):
        list(Box(size).items())
"""
PROGRAM = """\
import sys


def main():
    words = sys.stdin.read().split()
    seen = []
    for word in words:
        if word not in seen:
            seen.append(word)
    print(len(seen))


if __name__ == "__main__":
    main()
"""
BUSY = SLOW.replace("    seen = []\n", "    while values:\n        pass\n")


def profile_of(project: Project, file: str, function: str | None, source: str | None = None) -> LineProfile:
    """Of the function on the calls that its file makes; `source` is the text that is profiled, if not the file's."""
    cases = project.root / "cases" if function is None else None
    workload = project.workload(file, function, cases=cases)
    target = project.target(file, function)
    target = with_source(target, source) if source is not None else target
    environment = project.environment(target)
    most_s = 4.0 if source == BUSY else PLENTY_S
    return profile_lines(project.sandbox, target, environment, workload, project.limits, of="1.2", most_s=most_s)


def line_with(source: str, text: str) -> int:
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def hottest(profile: LineProfile) -> int:
    return max(profile.lines, key=lambda each: each.share).line


def test_the_hot_line_has_the_largest_share_and_every_line_its_hits(project: Project) -> None:
    project.write("slow.py", SLOW)
    profile = profile_of(project, "slow.py", "f")
    hits = {each.line: each.hits for each in profile.lines}
    assert profile.of == "1.2"
    assert profile.note == ""
    assert hottest(profile) == line_with(SLOW, "if value in seen")
    assert sum(each.share for each in profile.lines) == pytest.approx(1.0)
    assert hits[line_with(SLOW, "if value in seen")] >= hits[line_with(SLOW, "seen.append")] > 100
    assert hits[line_with(SLOW, "total += step")] > 100, "helpers of the file have lines of their own"
    assert line_with(SLOW, "import collections") not in hits, "what importing takes is no part of a call"
    assert [each.line for each in profile.lines] == sorted(hits)


def test_the_text_that_is_asked_about_is_profiled_and_not_the_file(project: Project) -> None:
    project.write("slow.py", SLOW)
    better = SLOW.replace("seen = []", "seen = set()\n    sum(range(10**5))").replace("seen.append", "seen.add")
    profile = profile_of(project, "slow.py", "f", better)
    assert line_with(better, "sum(range(10**5))") in {each.line for each in profile.lines}


def test_methods_that_yield_and_raise_are_profiled(project: Project) -> None:
    project.write("box.py", GENERATOR)
    profile = profile_of(project, "box.py", "Box.items")
    assert hottest(profile) == line_with(GENERATOR, "yield sum")


def test_a_program_is_profiled_on_its_input(project: Project) -> None:
    project.write("count.py", PROGRAM)
    for number in range(3):
        words = " ".join(f"w{each}" for each in range(800 + number))
        project.write(f"cases/{number}.in", words)
        project.write(f"cases/{number}.out", f"{800 + number}\n")
    profile = profile_of(project, "count.py", None)
    assert hottest(profile) == line_with(PROGRAM, "if word not in seen")


def test_what_never_ends_is_cut_off_and_what_ran_is_told(project: Project) -> None:
    project.write("slow.py", SLOW)
    profile = profile_of(project, "slow.py", "f", BUSY)
    assert "the time for profiling was over" in profile.note
    assert hottest(profile) in {line_with(BUSY, "while values"), line_with(BUSY, "pass")}


@pytest.mark.parametrize(
    ("source", "note"),
    [
        ("import os\nos._exit(3)\n" + SLOW, "ended early"),
        ("raise ValueError('no')\n" + SLOW, "ValueError: no"),
        (SLOW.replace("    seen = []\n", "    import os; os._exit(0)\n"), "ended early"),
    ],
    ids=["leaves", "raises", "leaves-in-the-call"],
)
def test_what_cannot_be_profiled_has_a_note_and_no_lines(project: Project, source: str, note: str) -> None:
    project.write("slow.py", SLOW)
    profile = profile_of(project, "slow.py", "f", source)
    assert profile.lines == []
    assert note in profile.note


def test_neither_a_lack_of_time_nor_a_failing_sandbox_is_an_error(project: Project) -> None:
    project.write("slow.py", SLOW)
    target = project.target("slow.py", "f")
    workload, environment = project.workload("slow.py", "f"), project.environment(target)

    gone = replace(environment, binds=(Bind("/no/such/folder", "/somewhere"),))

    def profile(environment: PythonEnvironment, most_s: float) -> LineProfile:
        return profile_lines(
            project.sandbox, target, environment, workload, project.limits, of="original", most_s=most_s
        )

    assert profile(environment, 0.5).note == "no time was left for it"
    failed = profile(gone, PLENTY_S)
    assert failed.lines == []
    assert failed.note.startswith("it could not be made")
