"""Generates the man page from the definitions of the commands: docs/afterburner-agent.1, which the wheel installs.

    python -m scripts.man_page            write it
    python -m scripts.man_page --check    fail if it is not current

It holds the help of every command, in the order of `--help`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.cli.main import PROGRAM
from scripts.command_tree import commands, root_help

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scripts.command_tree import CommandHelp

PAGE = Path(__file__).resolve().parents[1] / "docs" / f"{PROGRAM}.1"
_HEAD = f'.TH {PROGRAM.upper().replace("-", chr(92) + "-")} 1 "" "" "User Commands"'
_SEE = "docs/cli.md in the sources has examples, exit codes and the JSON of each command."


def main() -> None:
    """Write the page, or compare it with the one that is there."""
    text = page()
    if "--check" not in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    elif not PAGE.is_file() or PAGE.read_text(encoding="utf-8") != text:
        sys.exit(f"{PAGE.name} is not current: run `make man-page`.")


def page() -> str:
    """The page, in the language of man(7)."""
    root = root_help()
    lines = [_HEAD, ".SH NAME", f"{_escaped(PROGRAM)} \\- {_escaped(_first_sentence(root.text))}"]
    lines += [".SH SYNOPSIS", f".B {_escaped(PROGRAM)}", root.usage]
    lines += [".SH OPTIONS", *_options(root), ".SH COMMANDS"]
    for command in commands():
        lines.append(f'.SS "{_escaped(command.path)} {_escaped(command.usage)}"')
        lines += [*_paragraphs(command.text), *_options(command)]
    return "\n".join([*lines, ".SH SEE ALSO", _escaped(_SEE), ""])


def _options(command: CommandHelp) -> Iterator[str]:
    for forms, text in command.options:
        yield ".TP"
        yield f".B {_escaped(forms)}"
        yield _escaped(text) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "").strip()):
        yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _first_sentence(text: str) -> str:
    return text.strip().partition("\n")[0].rstrip(".")


def _escaped(text: str) -> str:
    r"""Text as it is: with hyphens that can be typed, and lines escaped that man would read as requests."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    main()
