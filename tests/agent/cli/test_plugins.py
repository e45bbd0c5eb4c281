"""Commands that other packages register through the entry-point group `afterburner.commands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

    Register = Callable[[str, str, str], None]

GROUP = '''"""Talks to editors.

More about it.
"""
import sys
import typer

print("imported", file=sys.stderr)
app = typer.Typer()

@app.command()
def hello(name: str) -> None:
    """Say hello."""
    print(f"hello {name}")

@app.command()
def bye() -> None:
    """Say bye."""
    print("bye")
'''


def test_a_registered_group_is_listed_without_being_imported(program: CommandLine, register: Register) -> None:
    register("editors", "editors_plugin:app", GROUP)
    done = program("--help")
    assert done.returncode == 0
    assert "editors" in done.stdout
    assert "Talks to editors." in done.stdout
    assert "More about it" not in done.stdout
    assert done.stderr == ""


def test_a_registered_group_runs_its_commands(program: CommandLine, register: Register) -> None:
    register("editors", "editors_plugin:app", GROUP)
    assert program("editors", "hello", "Ann").stdout == "hello Ann\n"
    assert "hello" in program("editors", "--help").stdout
    wrong = program("editors", "hullo")
    assert wrong.returncode == 2
    assert "Did you mean 'hello'?" in wrong.stderr


def test_a_function_is_a_command(program: CommandLine, register: Register) -> None:
    register("shout", "shout_plugin:shout", "def shout(word: str) -> None:\n    print(word.upper())\n")
    assert program("shout", "hi").stdout == "HI\n"
    assert program("shout").returncode == 2


def test_a_plugin_that_is_gone_costs_one_warning_and_nothing_else(program: CommandLine, register: Register) -> None:
    register("ghost", "ghost_plugin:app", "")
    done = program("--help")
    assert done.returncode == 0
    assert "run" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "'ghost'" in done.stderr
    assert "plugin-ghost" in done.stderr


def test_a_plugin_that_fails_when_it_is_imported_is_one_line(program: CommandLine, register: Register) -> None:
    register("broken", "broken_plugin:app", '"""Breaks."""\nraise RuntimeError("no\\nluck")\n')
    assert program("--help").stderr == ""
    done = program("broken")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "RuntimeError: no luck" in done.stderr
    assert program("run", "--help").returncode == 0


def test_a_plugin_that_is_no_python_is_a_warning(program: CommandLine, register: Register) -> None:
    register("torn", "torn_plugin:app", "def (:\n")
    done = program("--help")
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "SyntaxError" in done.stderr


def test_a_plugin_cannot_replace_a_command_of_ours(program: CommandLine, register: Register) -> None:
    register("run", "run_plugin:app", "def app() -> None:\n    print('mine')\n")
    assert "--objective" in program("run", "--help", COLUMNS="160").stdout
