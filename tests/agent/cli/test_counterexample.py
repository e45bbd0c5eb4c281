"""`--counterexample FILE` on the command line: what is written, and what is left alone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

ORIGINAL = """\
def ranked(names):
    found = []
    for name in names:
        if name not in found:
            found.append(name)
    return found


if __name__ == "__main__":
    ranked(["oak", "ash", "oak", "elm"])
    ranked(["b", "a", "b"])
"""
SORTED = "def ranked(names):\n    return sorted(set(names))\n"
LISTED = "def ranked(names):\n    return list(names)\n"


pytestmark = pytest.mark.usefixtures("sandbox")  # which skips where there is none


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "src"
    path.mkdir()
    (path / "trees.py").write_text(ORIGINAL)
    (path / "other.py").write_text(SORTED)
    answers = [f"<solution>\n```python\n{code}```\n</solution>" for code in (SORTED, LISTED)]
    lines = [json.dumps({"content": f"<thinking>why</thinking>\n{each}"}) + "\n" for each in answers]
    (tmp_path / "answers.jsonl").write_text("".join(lines))
    return path


def passed(test: Path) -> str:
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
    return subprocess.run(command, cwd=test.parent, capture_output=True, text=True, check=False, timeout=120).stdout


@pytest.mark.nightly
@pytest.mark.slow
def test_a_run_writes_a_test_for_each_candidate_that_was_refused_for_an_input(
    program: CommandLine, folder: Path
) -> None:
    place = folder.parent / "test_trees.py"
    model = ("--model", f"replay:{folder.parent / 'answers.jsonl'}", "--candidates", "2", "--iterations", "1")
    wanted = ("--counterexample", str(place), "--max-seconds", "60")
    done = program("run", "trees.py", "-f", "ranked", *model, *wanted, folder=folder)
    assert done.returncode == 0, done.stderr
    text = place.read_text("ascii")
    assert "def test_ranked_candidate_1_1(" in text
    assert "def test_ranked_candidate_1_2(" in text
    assert "2 passed" in passed(place)
    (folder / "trees.py").write_text(SORTED)
    assert "test_ranked_candidate_1_1" in passed(place)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("command", ["verify", "compare"])
def test_two_versions_that_differ_leave_a_test_behind(program: CommandLine, folder: Path, command: str) -> None:
    versions = ("trees.py", "--against", "other.py") if command == "verify" else ("trees.py", "other.py")
    asked = (command, *versions, "-f", "ranked", "--counterexample", "test_trees.py", "--max-seconds", "30", "--quiet")
    done = program(*asked, folder=folder)
    assert done.returncode == int(command == "verify"), done.stderr
    assert "1 passed" in passed(folder / "test_trees.py")
    again = program(*asked, folder=folder)  # what it wrote itself is replaced
    assert again.returncode == done.returncode, again.stderr


def test_a_file_of_somebody_else_is_left_alone(program: CommandLine, folder: Path) -> None:
    (folder / "test_mine.py").write_text("def test_mine():\n    pass\n")
    for command in (("run", "trees.py"), ("verify", "trees.py", "--against", "other.py", "-f", "ranked")):
        done = program(*command, "--counterexample", "test_mine.py", folder=folder)
        assert done.returncode == 2
        assert "--counterexample test_mine.py: this file is there already" in done.stderr
    assert "test_mine" in (folder / "test_mine.py").read_text()
