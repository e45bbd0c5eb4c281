"""Set up a project: its settings, a workflow for its pull requests, its editor."""

from __future__ import annotations

import os
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from afterburner.agent.cli.summary import print_diff
from afterburner.agent.init.changes import WORKFLOW, editor_settings, knows_requirements, settings_table, workflow
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.text import confirm, display_path, is_interactive, scrub_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.init.changes import Change


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The project's folder.")] = Path(),
    *,
    objective: Annotated[
        Objective, typer.Option(help="What to reduce: time, memory, or integral (memory over time).")
    ] = Objective.TIME,
    action: Annotated[
        str,
        typer.Option(
            metavar="OWNER/REPOSITORY@COMMIT", help="Repository and commit of the action that the workflow uses."
        ),
    ] = "",
    settings: Annotated[bool, typer.Option(help="Add a table to pyproject.toml.")] = True,
    pull_requests: Annotated[bool, typer.Option(help="Add a workflow that measures pull requests on GitHub.")] = True,
    vscode: Annotated[bool, typer.Option(help="Turn on markers for slow functions in VS Code.")] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write every file without asking.")] = False,
) -> None:
    """Set up a project: settings, a workflow for pull requests, and the editor.

    Shows each change and asks before writing it. Existing settings are kept. Without a terminal and without --yes, it
    shows the changes and writes nothing.
    """
    if not os.path.isdir(folder):
        raise UsageError(f"{scrub_line(str(folder))}: this is not a folder.")
    can_ask = is_interactive() and sys.stdout.isatty()
    wanted = [settings_table(folder, objective)] if settings else []
    if pull_requests:
        wanted.append(workflow(folder, action))
    if vscode:
        wanted.append(editor_settings(folder))
    if not yes and not can_ask:
        for change in wanted:
            _show(change)
        raise UsageError("Nothing was written: there is no terminal on which to ask. Use --yes to write every file.")
    written = [change for change in wanted if _is_written(change, ask=not yes)]
    if written:
        sys.stderr.write(
            f"{_next(folder)}{_next_of_workflow(folder, written)}"
            f"To use a language model as well, {_what_models_need()}set AFTERBURNER_MODEL. A model in "
            "pyproject.toml is used only if you trust the project.\n"
        )


def _what_models_need() -> str:
    return "" if find_spec("litellm") else "install the extra `llm` and "


def _next_of_workflow(folder: Path, written: Sequence[Change]) -> str:
    if not any(change.name == WORKFLOW for change in written):
        return ""
    verb = "check" if knows_requirements(folder) else "replace"
    return (
        f"In {WORKFLOW}, {verb} the line that installs what your tests need, then commit the file to your default "
        "branch. docs/ci.md tells how to accept pull requests from forks.\n"
    )


def _next(folder: Path) -> str:
    """The command to type next; empty where the folder's name cannot be shown as it is."""
    name = os.path.relpath(folder)
    name = f"./{name}" if name.startswith("-") else name
    return f"Next: afterburner-agent run {shlex.quote(name)} --top 3\n" if scrub_line(name) == name else ""


def _show(change: Change) -> None:
    name = display_path(str(change.path))
    if change.after is None:
        left = "not written" if change.before is None else "left as it is"
        sys.stderr.write(f"{name}: {change.reason}; {left}.\n")
        return
    console = open_console(sys.stdout)
    console.print(Text(f"{name}: {change.reason}", style="bold"))
    print_diff(console, change.diff())


def _is_written(change: Change, *, ask: bool) -> bool:
    _show(change)
    name = display_path(str(change.path))
    if change.after is None or (ask and not confirm(f"Write {name}?")):
        return False
    change.write()
    sys.stderr.write(f"wrote {name}\n")
    return True
