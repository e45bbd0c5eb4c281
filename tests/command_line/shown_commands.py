"""Every command of the program that a page shows."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from afterburner.agent.cli.main import PROGRAM

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *ROOT.glob("docs/*.md")])
SHOWN = re.compile(rf"^ *(?:\$ )?(?:\.venv/bin/)?{PROGRAM}(?: (?P<words>.*))?$", re.MULTILINE)
CONTINUED = re.compile(r"\\\n\s*|(?<=[^|\n] \|)\n +(?!\|)")
# What shows the form of a command, with words that stand for others, is no command: only its options are looked at.
FORM = re.compile(r"\[|…|\b(?:FILE|DIR|RUN|BEFORE|AFTER|NAME|OTHER|REV)\b")
SHELL = {"|", "<", ">", "2>", "&&", ";", "&"}


@dataclass(frozen=True)
class Shown:
    """A command on a page; `text` is the line of the shell after the program's name."""

    page: str
    text: str

    @property
    def is_form(self) -> bool:
        return FORM.search(self.plain) is not None

    @property
    def plain(self) -> str:
        """The line without what the program's output is piped into."""
        return self.text.partition(" | ")[0]

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
    """All of them, in the order of the pages; a line that ends in a backslash or a pipe goes on in the next."""
    return [
        Shown(page.relative_to(ROOT).as_posix(), match["words"] or "")
        for page in PAGES
        for match in SHOWN.finditer(CONTINUED.sub(" ", page.read_text("utf-8")))
    ]
