"""The program on its own: what it can do, and what to type next."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.cli.welcome import welcome

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CommandLine

MAIN = "if __name__ == '__main__':\n    print(1)\n"


def next_command(folder: Path) -> str:
    return welcome(str(folder)).rpartition("Next: afterburner-agent ")[2]


@pytest.fixture(autouse=True)
def _with_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")


def test_the_command_to_type_next_suits_the_folder(tmp_path: Path) -> None:
    assert next_command(tmp_path) == "run FILE.py"
    (tmp_path / "shapes.py").write_text("def area(): ...\n")
    assert next_command(tmp_path) == "run FILE.py", "nothing of it would run"
    (tmp_path / "sales report.py").write_text(MAIN)
    assert next_command(tmp_path) == "run 'sales report.py'"
    (tmp_path / "pyproject.toml").write_text("")
    assert next_command(tmp_path) == "run 'sales report.py'"
    (tmp_path / "audit.py").write_text(MAIN)
    assert next_command(tmp_path) == "run . --top 3"
    (tmp_path / "pyproject.toml").unlink()
    assert next_command(tmp_path) == "run audit.py"


def test_names_that_a_terminal_or_the_parser_would_take_for_something_else(tmp_path: Path) -> None:
    (tmp_path / "--apply.py").write_text(MAIN)
    assert next_command(tmp_path) == "run FILE.py"
    (tmp_path / "\x1b[2Jwipe.py").write_text(MAIN)
    assert next_command(tmp_path) == "run FILE.py", "as it would be shown, it is another name"


def test_what_only_has_the_name_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "dangling.py").symlink_to("nowhere")
    (tmp_path / "endless.py").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "waiting.py")
    assert next_command(tmp_path) == "run FILE.py"
    assert next_command(tmp_path / "gone") == "run FILE.py"


def test_a_folder_that_may_not_be_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may search each."""

    def denied(_path: str) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", denied)
    assert next_command(tmp_path) == "run FILE.py"


def test_without_bubblewrap_doctor_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.py").write_text(MAIN)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert next_command(tmp_path) == "doctor"


def test_the_bare_program_greets(program: CommandLine) -> None:
    (program.home / "report.py").write_text(MAIN)
    done = program()
    assert (done.returncode, done.stderr) == (0, "")
    assert "afterburner-agent run FILE.py" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("Next: afterburner-agent ")
    assert max(map(len, done.stdout.splitlines())) <= 110, "no terminal has to wrap it in the middle of a word"
