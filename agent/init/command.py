"""Set up a project: its settings, a workflow for its pull requests, its editor."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from afterburner.agent.cli.summary import print_diff
from afterburner.agent.init.changes import editor_settings, settings_table, workflow
from afterburner.agent.types import Objective
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.text import confirm, display_path, is_interactive

if TYPE_CHECKING:
    from afterburner.agent.init.changes import Change


def init(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The project.")] = Path(),
    *,
    objective: Annotated[Objective, typer.Option(help="What to reduce: time, memory, or both.")] = Objective.TIME,
    action: Annotated[
        str, typer.Option(metavar="OWNER/REPOSITORY@COMMIT", help="Where the workflow finds Afterburner Agent.")
    ] = "",
    settings: Annotated[bool, typer.Option(help="Add a table to pyproject.toml.")] = True,
    pull_requests: Annotated[bool, typer.Option(help="Add a workflow that measures pull requests on GitHub.")] = True,
    vscode: Annotated[bool, typer.Option(help="Mark slow functions in VS Code.")] = True,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write every file without asking.")] = False,
) -> None:
    """Set up a project: settings, a workflow for pull requests, and the editor.

    Shows each file before it is written, and asks. What is there already stays as it is.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder.")
    if not yes and not is_interactive():
        raise UsageError("There is no terminal on which to ask. Use --yes to write every file.")
    wanted = [settings_table(folder, objective)] if settings else []
    if pull_requests:
        wanted.append(workflow(folder, action))
    if vscode:
        wanted.append(editor_settings(folder))
    written = [change for change in wanted if _is_written(change, ask=not yes)]
    if written:
        sys.stderr.write(
            f"Next: afterburner-agent run {shlex.quote(display_path(str(folder)))} --top 3\n"
            "A language model may propose, too: install the extra `llm`, and set AFTERBURNER_MODEL. A model "
            "in pyproject.toml would count only where its project is trusted (docs/settings.md).\n"
        )


def _is_written(change: Change, *, ask: bool) -> bool:
    name = display_path(str(change.path))
    if change.after is None:
        sys.stderr.write(f"{name}: {change.reason}; left as it is.\n")
        return False
    console = open_console(sys.stdout)
    console.print(Text(f"{name}: {change.reason}", style="bold"))
    print_diff(console, change.diff())
    if ask and not confirm(f"Write {name}?"):
        return False
    change.write()
    sys.stderr.write(f"wrote {name}\n")
    return True
