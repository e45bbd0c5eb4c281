"""All commands of the program with their options, for the man page and the site."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from afterburner.agent.cli.main import PROGRAM, app

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """One command: `sandbox run`, its arguments as in a usage line, its help, and its options with theirs."""

    path: str
    usage: str
    text: str
    options: tuple[tuple[str, str], ...]


def root_help() -> CommandHelp:
    """The program itself."""
    root, context = _root()
    return CommandHelp("", "[OPTIONS] COMMAND [ARGS]...", root.help or "", _options(root, context))


def commands() -> Iterator[CommandHelp]:
    """Every command, in the order of `--help`. A group yields its commands, and itself if it has options of its own."""
    root, context = _root()
    for name in root.list_commands(context):
        _, command, _ = root.resolve_command(context, [name])
        yield from _commands(command, context, name)


def _root() -> tuple[Any, Any]:
    root: Any = typer.main.get_command(app)
    return root, root.make_context(PROGRAM, [], resilient_parsing=True)


def _commands(command: Any, parent: Any, name: str) -> Iterator[CommandHelp]:
    context = type(parent)(command, info_name=name, parent=parent)
    inner = getattr(command, "commands", None) or {}
    options = _options(command, context)
    if not inner or len(options) > 1:  # a group always has --help
        usage = " ".join(command.collect_usage_pieces(context))
        yield CommandHelp(context.command_path.removeprefix(f"{PROGRAM} "), usage, command.help or "", options)
    for each in inner:
        yield from _commands(inner[each], context, each)


def _options(command: Any, context: Any) -> tuple[tuple[str, str], ...]:
    records = (
        parameter.get_help_record(context)
        for parameter in command.get_params(context)
        if parameter.param_type_name == "option"
    )
    return tuple((record[0], " ".join(record[1].split())) for record in records if record is not None)
