"""What messages tell a person to type is found by that person's shell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox.terminal.program_name import program_name

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program in an environment of its own, below the working folder."""
    path = tmp_path / "my env" / "bin" / "afterburner-agent"
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path), "run"])
    return path


def test_on_the_path_it_goes_by_its_name(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert program_name() == "afterburner-agent"


@pytest.mark.usefixtures("program")
def test_elsewhere_it_goes_by_the_path_that_it_was_called_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert program_name() == "'my env/bin/afterburner-agent'"


@pytest.mark.parametrize("called", ["/usr/lib/python3/pytest", "-c", "/gone/afterburner-agent"])
def test_whatever_else_runs_it_says_nothing_of_where_it_is(
    called: str, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert program.is_file()
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "argv", [called])
    assert program_name() == "afterburner-agent"
