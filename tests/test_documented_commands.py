"""Every command that a page shows is one that the program takes: its name, its options and their values."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from afterburner.agent.cli.main import PROGRAM, app

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *ROOT.glob("docs/*.md")])
SHOWN = re.compile(rf"^ *(?:\$ )?(?:\.venv/bin/)?{PROGRAM}(?: (?P<words>.*))?$", re.MULTILINE)
# What shows the form of a command, with words that stand for others, is no command: only its options are looked at.
FORM = re.compile(r"\[|…|\b(?:FILE|DIR|RUN|BEFORE|AFTER|NAME|OTHER|REV)\b")
SHELL = {"|", "<", ">", "2>", "&&", ";", "&"}


@dataclass(frozen=True)
class Shown:
    """A command on a page."""

    page: str
    text: str

    @property
    def is_form(self) -> bool:
        return FORM.search(self.text) is not None

    @property
    def words(self) -> list[str]:
        """What the program is given, without the rest of a shell's line."""
        lexer = shlex.shlex(self.text, posix=True, punctuation_chars="|<>&;")
        lexer.commenters, lexer.whitespace_split = "#", True
        words = list(lexer)
        ends = [number for number, word in enumerate(words) if word in SHELL]
        if ends and words[ends[0]] == ">" and words[ends[0] - 1 : ends[0]] == ["2"]:
            ends[0] -= 1
        return words[: ends[0]] if ends else words


def shown_commands() -> list[Shown]:
    return [
        Shown(page.relative_to(ROOT).as_posix(), match["words"] or "")
        for page in PAGES
        for match in SHOWN.finditer(re.sub(r"\\\n\s*", " ", page.read_text("utf-8")))
    ]


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
        words = [word for word in shown.text.split() if not word.startswith(("-", "[", "…"))]
        command, context, _ = command_of(words)
        known = {
            form for parameter in command.get_params(context) for form in parameter.opts + parameter.secondary_opts
        }
        used = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", shown.text.partition(" -- ")[0]))
        assert used <= known | {"--", "--debug"}, shown
        return
    command, context, words = command_of(shown.words)
    try:
        command.make_context(context.info_name, words, parent=context.parent)
    except (click.exceptions.Exit, typer.Exit):
        return  # --help and --version
    except click.UsageError as error:
        pytest.fail(f"{shown.page}: {shown.text}: {error.format_message()}")
