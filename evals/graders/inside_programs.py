"""Programs for the sandbox that are made of the modules of `evals/inside`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from afterburner.agent.job.problem import SUBMISSION
from afterburner.evals.inside import start

_FOLDER = Path(start.__file__).parent
_NEEDS = re.compile(r"^from \.(\w+) import", re.MULTILINE)


def inside_program(module: str, function: str, **arguments: object) -> str:
    """The text of a program that calls a function of `evals/inside/<module>.py`.

    Args:
        module: whose function is called; the modules that it needs come along.
        function: its name.
        arguments: by name; Python literals.
    """
    needed = {name: _text(name) for name in _in_order(module)}
    return f"{_text('start')}\n\nstart({needed!r}, {module!r}, {function!r}, {arguments!r})\n"


def inside_runner(module: str, function: str, **arguments: object) -> str:
    """The same as a runner, which gives the function the text of a solution as `code`."""
    program = inside_program(module, function, code=_PLACE, **arguments)
    return program.replace(repr(_PLACE), f'"{SUBMISSION}"')


def _in_order(module: str) -> list[str]:
    """The modules that a module needs, and then itself."""
    found: list[str] = []
    for needed in _NEEDS.findall(_text(module)):
        found += [name for name in _in_order(needed) if name not in found]
    return [*found, module]


@cache
def _text(module: str) -> str:
    return (_FOLDER / f"{module}.py").read_text("utf-8")


_PLACE = "a solution is put here"
