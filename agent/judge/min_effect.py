"""The minimum effect that a check of this machine has set, kept between runs in the state folder."""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.types import Machine

# Names, hash order and where things lie in memory shift the time of the same work by a percent or so from one text to
# the next (Mytkowicz et al., "Producing wrong data without doing anything obviously wrong", 2009). More samples do not
# average that out, so no machine is quiet enough to tell a smaller gain from a change of names.
LOWEST = 0.02
HIGHEST = 0.25  # above it nearly every honest gain would be lost; such a machine is no place to measure
SCHEMA = 1


@dataclass(frozen=True, slots=True)
class MinEffect:
    """What a gain's lower bound has to exceed (1 + value), and who said so, in words for the user."""

    value: float
    source: str
    measured: bool = False  # whether selfcheck found it on this machine


def min_effect_for(asked: float | None, machine: Machine) -> MinEffect:
    """What holds for a run: what its user asked for, what was measured on this machine, or the default."""
    if asked is not None:
        return MinEffect(asked, "--min-effect")
    found = _read().get(_key(machine))
    if isinstance(found, dict):
        value, day = found.get("min_effect"), str(found.get("measured_at", ""))[:10]
        if isinstance(value, int | float) and math.isfinite(value):
            bounded = min(max(float(value), LOWEST), HIGHEST)
            return MinEffect(bounded, f"set by selfcheck on this machine, {day}", measured=True)
    return MinEffect(DEFAULT_MIN_EFFECT, "the default; selfcheck sets what suits this machine")


def knows_any_machine() -> bool:
    """Whether selfcheck has stored anything at all, for this machine or as it was before its kernel changed."""
    return bool(_read())


def remember(machine: Machine, min_effect: float, **more: object) -> Path:
    """Keep the minimum effect for later runs on this machine, with whatever else is worth knowing of it.

    Raises:
        AfterburnerError: the state folder cannot be written.
    """
    place = _place()
    known = _read()
    measured_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    known[_key(machine)] = {"min_effect": min_effect, "measured_at": measured_at, "machine": asdict(machine), **more}
    text = json.dumps({"schema": SCHEMA, "machines": known}, indent=2) + "\n"
    temporary = place.with_name(f"{place.name}.{os.getpid()}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(place)
    except OSError as error:
        raise AfterburnerError(
            f"{place}: the minimum effect cannot be kept there: {error.strerror or error}. Make the folder writable, "
            "or set XDG_STATE_HOME."
        ) from error
    return place


def _place() -> Path:
    return state_folder() / "selfcheck.json"


def _read() -> dict[str, Any]:
    """What is known by machine; nothing if the file is not there or is not ours."""
    try:
        found = json.loads(_place().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    machines = found.get("machines") if isinstance(found, dict) and found.get("schema") == SCHEMA else None
    return machines if isinstance(machines, dict) else {}


def _key(machine: Machine) -> str:
    """What noise depends on. A new kernel or another Python is another machine; more memory is not."""
    parts = (machine.cpu_model, f"{machine.cpus} CPUs", machine.system, f"Python {machine.python}")
    return "; ".join((*parts, machine.backend, machine.tier))
