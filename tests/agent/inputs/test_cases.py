"""Stdin/stdout cases of whole programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.inputs.cases import read_cases
from afterburner.sandbox import UsageError

from .conftest import of_origin

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Project

PROGRAM = """\
import sys

def count(words):
    return sum(1 for a in words for b in words if a == b)

def main():
    print(count(sys.stdin.read().split()))

if __name__ == "__main__":
    main()
"""


def write_case(project: Project, name: str, given: str, expected: str) -> Path:
    project.write(f"cases/{name}.in", given)
    return project.write(f"cases/{name}.out", expected).parent


def test_cases_are_read_by_name_and_a_part_is_held_out(project: Project) -> None:
    project.write("prog.py", PROGRAM)
    for name, words in (("b", "x y x\n"), ("a", "x\n"), ("c", "q " * 2000), ("d", "q " * 3000)):
        folder = write_case(project, name, words, f"{sum(words.split().count(w) for w in words.split())}\n")
    project.write("cases/README.md", "not a case")
    workload = project.workload("prog.py", None, cases=folder)
    names = sorted(case.name for case in (*workload.cases, *workload.held_out_cases))
    assert names == ["a", "b", "c", "d"]
    assert len(workload.held_out_cases) == 1
    assert {workload.held_out_cases[0].name} < {"c", "d"}
    assert workload.held_out_count == 1
    assert workload.origins() == ["cases in cases"] * 4


def test_a_case_that_the_original_fails_is_named(project: Project) -> None:
    project.write("prog.py", PROGRAM)
    write_case(project, "good", "x\n", "1\n")
    folder = write_case(project, "bad", "x x\n", "5\n")
    with pytest.raises(WorkloadError, match=r"itself fails on case bad: wrong answer.*bad\.out"):
        project.workload("prog.py", None, cases=folder)


def test_a_program_that_crashes_says_why(project: Project) -> None:
    project.write("prog.py", "def f():\n    pass\n\nraise ValueError('no such luck')\n")
    folder = write_case(project, "one", "x\n", "1\n")
    with pytest.raises(WorkloadError, match="no such luck"):
        project.workload("prog.py", None, cases=folder)


def test_a_function_is_captured_while_the_program_runs_on_its_cases(project: Project) -> None:
    project.write("prog.py", PROGRAM)
    write_case(project, "a", "x y\n", "2\n")
    folder = write_case(project, "b", "z\n", "1\n")
    workload = project.workload("prog.py", "count", cases=folder)
    captured = of_origin(workload, "captured from cases in cases")
    assert {call.description for call in captured} == {"count(['x', 'y'])", "count(['z'])"}
    assert not workload.cases


def test_a_missing_partner_is_named(tmp_path: Path) -> None:
    (tmp_path / "one.in").write_text("1")
    with pytest.raises(UsageError, match=r"one\.in has no partner one\.out"):
        read_cases(tmp_path)
    (tmp_path / "one.out").write_text("1")
    (tmp_path / "two.out").write_text("1")
    with pytest.raises(UsageError, match=r"two\.out has no partner two\.in"):
        read_cases(tmp_path)


def test_a_folder_without_cases_or_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WorkloadError, match="holds no cases"):
        read_cases(tmp_path)
    with pytest.raises(UsageError, match="is not a folder"):
        read_cases(tmp_path / "nowhere")


def test_a_whole_program_without_cases(project: Project) -> None:
    project.write("prog.py", PROGRAM)
    with pytest.raises(WorkloadError, match="--cases DIR"):
        project.workload("prog.py", None)
