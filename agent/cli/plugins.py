"""The root command group: its own commands, and those that other floors register as `afterburner.commands`.

An entry point's name is the command's name; it points to a `typer.Typer` or to a function. `--help` lists such
commands without importing them: the help line is the first line of the docstring of the entry point's module.
"""

from __future__ import annotations

import ast
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

ENTRY_POINT_GROUP = "afterburner.commands"


class CommandGroup(TyperGroup):
    """A group that imports a registered command only when it is used.

    The context parameters are untyped because the class of typer's contexts differs between its versions.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"rich_markup_mode": None})  # typer's rich help would take twice as long

    def list_commands(self, ctx: Any) -> list[str]:
        """Give our own commands first, then the registered ones by name."""
        own = list(super().list_commands(ctx))
        return own + sorted(name for name in _entry_points() if name not in own)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Give a command; one that is registered and not loaded is a stand-in that only knows its help line."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            return command
        entry_point = _entry_points().get(cmd_name)
        return _stand_in(entry_point) if entry_point else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the registered command that is about to be used."""
        name = args[0]
        if name not in self.commands and (entry_point := _entry_points().get(name)):
            self.commands[name] = _load(entry_point)
        return super().resolve_command(ctx, args)


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - 20 ms that a plain `run` does not need

    return {entry_point.name: entry_point for entry_point in entry_points(group=ENTRY_POINT_GROUP)}


def _stand_in(entry_point: EntryPoint) -> TyperCommand | None:
    try:
        spec = find_spec(entry_point.module)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {entry_point.module!r}")  # noqa: TRY301 - one place to warn
        get_source = getattr(spec.loader, "get_source", None)
        source = get_source(entry_point.module) if get_source else None
        docstring = ast.get_docstring(ast.parse(source)) if source else None
    except Exception as error:  # noqa: BLE001 - foreign code may fail in any way, and --help has to go on
        sys.stderr.write(f"warning: {_complaint(entry_point, error)}\n")
        return None
    return TyperCommand(entry_point.name, help=(docstring or "").partition("\n")[0])


def _load(entry_point: EntryPoint) -> Any:
    try:
        loaded = entry_point.load()
    except Exception as error:
        raise AfterburnerError(_complaint(entry_point, error)) from error
    app = loaded
    if not isinstance(loaded, typer.Typer):
        app = typer.Typer(add_completion=False)
        app.command()(loaded)
    command = typer.main.get_command(app)
    command.name = entry_point.name
    return command


def _complaint(entry_point: EntryPoint, error: Exception) -> str:
    package = f" of the package {entry_point.dist.name}" if entry_point.dist else ""
    problem = scrub_line(f"{type(error).__name__}: {error}")
    return (
        f"the command {entry_point.name!r}{package} cannot be loaded: {problem}. "
        "Reinstall the package that brought it, or remove it."
    )
