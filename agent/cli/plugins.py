"""The root command group: our own commands, and those that other floors register as `afterburner.commands`.

An entry point's name is the command's name; it points to a `typer.Typer` or to a function. A command is imported when
it is used. `--help` lists it without that: its line is the first of the function's docstring, or of the module's.
"""

from __future__ import annotations

import ast
import sys
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from afterburner.agent.cli.trace_option import offer_trace
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.terminal.text import scrub_line

ENTRY_POINT_GROUP = "afterburner.commands"
_HOME = "afterburner.agent"
OWN_COMMANDS = tuple(
    EntryPoint(name, f"{_HOME}.{reference}", ENTRY_POINT_GROUP)
    for name, reference in (
        ("run", "cli.run:app"),
        ("config", "cli.config:app"),
        ("runs", "cli.runs:runs"),
        ("show", "cli.show:show"),
        ("resume", "cli.resume:resume"),
        ("selfcheck", "cli.selfcheck:selfcheck"),
        ("verify", "cli.verify:verify"),
        ("compare", "cli.compare:compare"),
        ("replay-receipt", "cli.replay_receipt:replay_receipt"),
        ("doctor", "doctor.command:doctor"),
        ("init", "init.command:init"),
    )
)
_REPORT_ONLY = frozenset({"config", "doctor", "init", "runs", "show"})  # these do no work, so there is nothing to trace


class CommandGroup(TyperGroup):
    """A group that imports a command only when it is used.

    The context parameters are untyped because the class of typer's contexts differs between its versions.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"rich_markup_mode": None})  # typer's rich help would take twice as long

    @cached_property
    def entry_points(self) -> dict[str, EntryPoint]:
        """All commands by name, ours last: nobody else's takes its place. To find them, all packages are looked at."""
        return {each.name: each for each in (*entry_points(group=ENTRY_POINT_GROUP), *OWN_COMMANDS)}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002 - of the base class
        """Give our own commands first, then the registered ones by name."""
        own = [each.name for each in OWN_COMMANDS]
        return own + sorted(self.entry_points.keys() - set(own))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Give a command; one that is not loaded is a stand-in that only knows its help line."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            return command
        entry_point = self.entry_points.get(cmd_name)
        return _stand_in(entry_point) if entry_point else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that is about to be used."""
        name, known = args[0], self.entry_points
        if name in known:
            self.commands[name] = _load(known[name])
        else:  # what may have been meant is looked for among them
            self.commands.update({each: self.get_command(ctx, each) for each in known})
        return super().resolve_command(ctx, args)


def _stand_in(entry_point: EntryPoint) -> TyperCommand | None:
    try:
        spec = find_spec(entry_point.module)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {entry_point.module!r}")  # noqa: TRY301 - one place to warn
        get_source = getattr(spec.loader, "get_source", None)
        source = get_source(entry_point.module) if get_source else None
        docstring = _docstring(ast.parse(source), entry_point.attr) if source else None
    except Exception as error:  # noqa: BLE001 - foreign code may fail in any way, and --help has to go on
        sys.stderr.write(f"warning: {_complaint(entry_point, error)}\n")
        return None
    return TyperCommand(entry_point.name, help=(docstring or "").partition("\n")[0])


def _docstring(module: ast.Module, attribute: str) -> str | None:
    """Of the function of this name in a module; if it is no function, of the module."""
    functions = {each.name: each for each in module.body if isinstance(each, ast.FunctionDef)}
    return ast.get_docstring(functions.get(attribute, module))


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
    if entry_point.name not in _REPORT_ONLY:
        offer_trace(command)
    return command


def _complaint(entry_point: EntryPoint, error: Exception) -> str:
    package = f" of the package {entry_point.dist.name}" if entry_point.dist else ""
    problem = scrub_line(f"{type(error).__name__}: {error}")
    return (
        f"the command {entry_point.name!r}{package} cannot be loaded: {problem}. "
        "Reinstall the package that brought it, or remove it."
    )
