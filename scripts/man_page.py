"""Generates the man page from the definitions of the commands: docs/afterburner-agent.1, which the wheel installs.

    python scripts/man_page.py            write it
    python scripts/man_page.py --check    fail if it is not current

It holds the help of every command, in the order of `--help`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from afterburner.agent.cli.main import PROGRAM, app

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    root: Any = typer.main.get_command(app)
    context = root.make_context(PROGRAM, [], resilient_parsing=True)
    lines = [_HEAD, ".SH NAME", f"{_escaped(PROGRAM)} \\- {_escaped(_first_sentence(root.help))}"]
    lines += [".SH SYNOPSIS", f".B {_escaped(PROGRAM)}", "[OPTIONS] COMMAND [ARGS]..."]
    lines += [".SH OPTIONS", *_options(root, context), ".SH COMMANDS"]
    for name in root.list_commands(context):
        _, command, _ = root.resolve_command(context, [name])
        lines += _command(command, context, name)
    return "\n".join([*lines, ".SH SEE ALSO", _escaped(_SEE), ""])


def _command(command: Any, parent: Any, name: str) -> Iterator[str]:
    """A command; of a group, each of its commands."""
    context = type(parent)(command, info_name=name, parent=parent)
    inner = getattr(command, "commands", None)
    if inner:
        for each in inner:
            yield from _command(inner[each], context, each)
        return
    words = " ".join(command.collect_usage_pieces(context))
    path = context.command_path.removeprefix(f"{PROGRAM} ")
    yield f'.SS "{_escaped(path)} {_escaped(words)}"'
    yield from _paragraphs(command.help or "")
    yield from _options(command, context)


def _options(command: Any, context: Any) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and parameter.param_type_name == "option":
            yield ".TP"
            yield f".B {_escaped(record[0])}"
            yield _escaped(" ".join(record[1].split())) or "\\&"


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text.replace("\b", "").strip()):
        yield ".PP"
        yield _escaped(" ".join(paragraph.split()))


def _first_sentence(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0].rstrip(".")


def _escaped(text: str) -> str:
    r"""Text as it is: with hyphens that can be typed, and lines escaped that man would read as requests."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    main()
