"""What one call of `afterburner-agent ci` is asked for."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent import Caps, ModelOptions, Search, UsageError
from afterburner.ci_action.report.document import Mode

if TYPE_CHECKING:
    from pathlib import Path

MAX_MINUTES = 10.0
MOST_FUNCTIONS = 5
LARGEST_EFFECT = 10.0


@dataclass(frozen=True, slots=True)
class CiOptions:
    """Everything that decides what is measured. The project's own settings do not count: a pull request may set them.

    Attributes:
        root: the top folder of the repository.
        mode: what to look for.
        base: the revision that the pull request goes to; empty: by a schedule, there is none.
        include: patterns of the files that count, as .gitignore writes them; none: all.
        exclude: patterns of those among them that do not.
        command: `python SCRIPT.py …`, which is profiled instead of the project's tests.
        python: the interpreter that runs the project; None: the project's own.
        search: the objective, the seed, and the time for everything.
        min_effect: the least gain that counts; None: what selfcheck found on this machine, or 5%.
        models: who proposes.
        caps: the most that models may use.
        sandbox: as `open_sandbox` takes it.
        most_functions: how many functions are tried.
        memory: the file that remembers what earlier runs have tried; None: nothing is remembered.
        written: other files that this run writes; they are no part of the project.
    """

    root: Path
    mode: Mode = Mode.OPTIMIZE
    base: str = ""
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    python: str | None = None
    search: Search = field(default_factory=lambda: Search(max_seconds=MAX_MINUTES * 60))
    min_effect: float | None = None
    models: ModelOptions = field(default_factory=ModelOptions)
    caps: Caps = field(default_factory=Caps)
    sandbox: str = "auto"
    most_functions: int = MOST_FUNCTIONS
    memory: Path | None = None
    written: tuple[Path, ...] = ()


def patterns_in(text: str) -> tuple[str, ...]:
    """The patterns of a setting: separated by newlines or commas, as workflows write them."""
    return tuple(filter(None, (each.strip() for each in re.split(r"[\n,]", text))))


def read_min_effect(text: str) -> float | None:
    """The least effect as `0.1` or `10%`; None where nothing is given.

    Raises:
        UsageError: it is no number of 0 or more.
    """
    plain = text.strip()
    if not plain:
        return None
    try:
        effect = float(plain.removesuffix("%")) / (100 if plain.endswith("%") else 1)
    except ValueError:
        effect = math.nan
    if not 0 <= effect <= LARGEST_EFFECT:
        raise UsageError(f"--min-effect {text}: write a number of 0 or more, such as 0.1 or 10%, and at most 10.")
    return effect
