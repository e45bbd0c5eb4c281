"""The pages of reference that come out of the code: commands with their options, and the public Python API."""

from __future__ import annotations

import importlib
import re

from scripts.command_tree import commands

_PACKAGES = {
    "agent": "Sessions, jobs, and what they come to. [From Python](../python.md) shows them at work.",
    "sandbox": "The sandbox by itself. [The sandbox](../sandbox.md) tells what it encloses, and how.",
}


def commands_page() -> str:
    """Every command with its options."""
    lines = ["# Commands", "", "Out of the program's own help. [The command line](cli.md) explains them.", ""]
    for command in commands():
        lines += [f"## {command.path}", "", "```text", f"afterburner-agent {command.path} {command.usage}", "```", ""]
        lines += [
            _plain(paragraph) + "\n" for paragraph in re.split(r"\n\s*\n", command.text.replace("\b", "").strip())
        ]
        if command.options:
            lines += ["| option | meaning |", "| --- | --- |"]
            lines += [f"| `{_cell(forms)}` | {_cell(_plain(text))} |" for forms, text in command.options]
        lines.append("")
    return "\n".join(lines)


def _plain(text: str) -> str:
    """A text as it is: no mark in it means anything to Markdown, but for the backquotes."""
    return re.sub(r"([\\*_\[\]<>#])", r"\\\1", " ".join(text.split()))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def api_page(package: str) -> str:
    """The public names of a package, each with its docstring, which the site's builder reads from the source."""
    module = f"afterburner.{package}"
    names = sorted(importlib.import_module(module).__all__)
    lines = [f"# {module}", "", _PACKAGES[package], ""]
    for name in names:
        lines += [f"::: {module}.{name}", ""]
    return "\n".join(lines)
