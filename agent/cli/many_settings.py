"""The settings of a run over many targets, and what can be found wrong with them before any work."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.inputs.profiled_command import python_command
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.options import RunSettings

TOP = 10


def settings_for_many(
    settings: RunSettings, top: int | None, command: tuple[str, ...], outputs: Outputs
) -> RunSettings:
    """Add how many functions to work through, and the command that is profiled.

    Raises:
        UsageError: an option that is for one target only, a destination that cannot be written, a wrong command.
    """
    _check(Path(settings.file), settings, outputs)
    words = python_command(command)
    folder = str(Path.cwd()) if words else ""
    return replace(settings, batch=replace(settings.batch, command=words, command_folder=folder, top=top or TOP))


def _check(place: Path, settings: RunSettings, outputs: Outputs) -> None:
    """Find out now what could not be written later, and what makes no sense for many targets."""
    if not place.exists():
        raise UsageError(f"No such file or folder: {place}.")
    for_one = {
        "--function": settings.function,
        "--calls": settings.inputs.calls,
        "--cases": settings.inputs.cases,
        "--receipt": outputs.receipt,
        "--growth-svg": outputs.growth_svg,
        "--counterexample": outputs.counterexample,
    }
    for option, given in for_one.items():
        if given is not None:
            raise UsageError(f"{option} is for one target. Name a FILE, without --top and without a command.")
    outputs.check_many(place)
