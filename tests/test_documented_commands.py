"""Every command that a page shows is one that the program takes: its name, its options and their values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click
import pytest
import typer
from shown_commands import Shown, shown_commands

from afterburner.agent.cli.main import PROGRAM, app

if TYPE_CHECKING:
    from pathlib import Path

COMMANDS = shown_commands()


def command_of(words: list[str]) -> tuple[Any, Any, list[str]]:
    """The command that words name, its parent's context, and its own words; the program itself if they name none."""
    command: Any = typer.main.get_command(app)
    context = command.make_context(PROGRAM, [], resilient_parsing=True)
    while words and hasattr(command, "list_commands") and not words[0].startswith("-"):
        name, found, words = command.resolve_command(context, words)
        command, context = found, type(context)(found, info_name=name, parent=context)
    return command, context, words


def test_the_pages_show_commands() -> None:
    assert len(COMMANDS) > 100
    assert len([each for each in COMMANDS if not each.is_form]) > 80


@pytest.mark.parametrize("shown", COMMANDS, ids=lambda shown: f"{shown.page}: {shown.text[:60]}")
def test_a_shown_command_is_one_that_the_program_takes(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if shown.is_form:
        words = [word for word in shown.plain.split() if not word.startswith(("-", "[", "…"))]
        command, context, _ = command_of(words)
        known = {
            form for parameter in command.get_params(context) for form in parameter.opts + parameter.secondary_opts
        }
        used = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", shown.plain.partition(" -- ")[0]))
        assert used <= known | {"--", "--debug"}, shown
        return
    command, context, words = command_of(shown.words)
    try:
        command.make_context(context.info_name, words, parent=context.parent)
    except (click.exceptions.Exit, typer.Exit):
        return  # --help and --version
    except click.UsageError as error:
        pytest.fail(f"{shown.page}: {shown.text}: {error.format_message()}")
