"""Show the settings that run would use, and where each one comes from."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from afterburner.agent.cli.config_document import ConfigDocument, SettingPart
from afterburner.agent.cli.run import run
from afterburner.agent.cli.settings import (
    Layer,
    Origin,
    SettingsCommand,
    first_place,
    long_form,
    origin_of,
    project_of,
    settings_of,
)
from afterburner.agent.job.project_settings import variable_of
from afterburner.agent.judge.min_effect import knows_any_machine, min_effect_for
from afterburner.agent.machine import describe_machine
from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.sandbox import AfterburnerError, open_sandbox
from afterburner.sandbox.credentials import without_credentials
from afterburner.sandbox.interpreter import find_interpreter, python_environment
from afterburner.sandbox.project import find_project_root
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import STDOUT, check_destination, write_result
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from afterburner.agent.types import Machine

HELP = """Show the settings that run would use, and where each one comes from.

Takes the same options as run. FILE tells which project's pyproject.toml counts; without it the current folder does.
"""
_MIN_EFFECT = "min_effect"
_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Row:
    """A setting and the value in force; values are what JSON can hold, without passwords."""

    name: str
    option: str
    variable: str
    value: Any
    default: Any
    origin: Origin


class ConfigCommand(SettingsCommand):
    """Takes the options of `run` that are settings, and prints what they come to instead of running."""

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        file = next(each for each in self.params if each.param_type_name == "argument")
        file.required = False
        self.params = [file, *settings_of(self.params), *(each for each in self.params if each.name == "json")]

    def invoke(self, ctx: Any) -> None:
        """Print, and write the JSON.

        Raises:
            AfterburnerError: the JSON cannot be written.
        """
        file, destination = first_place(ctx.params[self.params[0].name]), ctx.params["json"]
        project = project_of(ctx)
        for path, what in ((file, "the file to optimise"), (project and project.path, "the project's settings")):
            if destination is not None and path:
                check_destination("--json", destination, Path(path), what)
        rows, note = _with_selfcheck(_rows(ctx, settings_of(self.params)), file)
        notes = [] if file is None or os.path.lexists(file) else [f"{display_path(file)} is not there, or not yet"]
        notes += ["no pyproject.toml sets anything here"] if project is None else []
        notes += [note] if note else []
        _print(sys.stderr if destination == STDOUT else sys.stdout, rows, notes)
        if destination is not None:
            document = _document(rows, None if project is None else project.path)
            write_result("--json", destination, document.to_text().encode("ascii"))


def _rows(context: Any, options: Sequence[Any]) -> list[Row]:
    return [
        Row(
            name=each.name,
            option=long_form(each),
            variable=variable_of(each.name),
            value=_plain(context.params[each.name]),
            default=_plain(each.default),
            origin=origin_of(context, each.name),
        )
        for each in options
    ]


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float) else without_credentials(str(value))


def _with_selfcheck(rows: list[Row], file: str | None) -> tuple[list[Row], str]:
    """The rows with the minimum effect that holds where nobody has set one; a note if that cannot be told."""
    asked = {row.name: row.value for row in rows}
    value, origin, note = DEFAULT_MIN_EFFECT, Origin(Layer.DEFAULT), ""
    if asked[_MIN_EFFECT] is None and knows_any_machine():
        try:
            found = min_effect_for(None, _machine(asked["python"], file))
        except (AfterburnerError, OSError) as error:  # of a FILE that cannot be, say
            note = f"what selfcheck found on this machine cannot be read: {scrub_line(str(error))}"
        else:
            value = found.value
            origin = Origin(Layer.SELFCHECK, found.source) if found.measured else origin

    def filled_in(row: Row) -> Row:
        if row.name != _MIN_EFFECT:
            return row
        row = replace(row, default=DEFAULT_MIN_EFFECT)
        return replace(row, value=value, origin=origin) if row.value is None else row

    return [filled_in(row) for row in rows], note


def _machine(python: str | None, file: str | None) -> Machine:
    """This machine, as a run on the file would see it. The interpreter is started in the sandbox only."""
    start = Path(file) if file is not None else Path()
    root = find_project_root(start / "any" if start.is_dir() else start)
    with open_sandbox("auto") as sandbox:
        return describe_machine(sandbox, python_environment(sandbox, find_interpreter(python, root)))


def _print(stream: TextIO, rows: Sequence[Row], notes: Sequence[str]) -> None:
    """A table on a terminal, aligned lines in a pipe."""
    cells = [(row.option, _shown(row.value), _from(row.origin)) for row in rows]
    if not stream.isatty():
        widths = [max(len(cell[column]) for cell in cells) for column in (0, 1)]
        lines = [f"{option:{widths[0]}}  {value:{widths[1]}}  {origin}" for option, value, origin in cells]
        stream.write("".join(f"{line}\n" for line in (*lines, *notes)))
        return
    console = open_console(stream)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    for _ in range(2):
        table.add_column(overflow="fold")
    for row, (option, value, origin) in zip(rows, cells, strict=True):
        is_default = row.origin.layer is Layer.DEFAULT
        table.add_row(
            option,
            Text(value, style="dim" if row.value is None else ""),
            Text(origin, style="dim" if is_default else "cyan"),
        )
    console.print(table)
    for note in notes:
        console.print(note, style="dim")


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, list):
        return ", ".join(_shown(each) for each in value) or "-"
    if isinstance(value, float):
        return str(value).removesuffix(".0")
    return scrub_line(str(value).lower() if isinstance(value, bool) else str(value))


def _from(origin: Origin) -> str:
    if origin.layer is Layer.PROJECT:
        return display_path(origin.place)
    return scrub_line(origin.place) or _DEFAULT


def _document(rows: Sequence[Row], project_file: Path | None) -> ConfigDocument:
    settings = {
        row.name: SettingPart(
            value=row.value,
            source=row.origin.layer,
            where=row.origin.place or None,
            default=row.default,
            option=row.option,
            variable=row.variable,
        )
        for row in rows
    }
    return ConfigDocument(project_file=None if project_file is None else str(project_file), settings=settings)


app = typer.Typer(add_completion=False)
app.command(cls=ConfigCommand, help=HELP)(run)
