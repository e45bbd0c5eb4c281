"""Calls the function of a solution once, with JSON arguments from stdin, and prints as JSON what it returns.

The host sends this text with the call of `answer` behind it, as one program (`agent/job/problem.py`).
"""

from __future__ import annotations

import json
import math
import os
import sys
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Dict, List

if TYPE_CHECKING:
    from types import ModuleType

EXACT_INTEGERS = 2**53  # up to here, a float that is an integer is exactly that integer


def rendered(value: object) -> str:
    """Write a value as JSON on one line, in one way only, with a blank between all tokens and none within.

    So two values are equal if their tokens are. A float that is an integer is written as one, a tuple as an array, and
    the keys of an object are sorted.

    Raises:
        TypeError: JSON has no such value.
    """
    if isinstance(value, float):
        return _number(value)
    if value is None or isinstance(value, (bool, int, str)):
        return json.dumps(value).replace(" ", "\\u0020")
    if isinstance(value, (list, tuple)):
        return _between("[", [rendered(each) for each in value], "]")
    if isinstance(value, dict):
        members = sorted((_key(key), rendered(each)) for key, each in value.items())
        return _between("{", [key + " : " + each for key, each in members], "}")
    raise TypeError("JSON has no value for " + type(value).__name__)


def _between(opening: str, parts: List[str], closing: str) -> str:
    return " ".join([opening, " , ".join(parts), closing] if parts else [opening, closing])


def _number(value: float) -> str:
    if math.isfinite(value) and value == int(value) and abs(value) <= EXACT_INTEGERS:
        return str(int(value))
    return json.dumps(value)


def _key(key: object) -> str:
    """As `json.dumps` writes keys: those that are no texts become texts."""
    return rendered(key if isinstance(key, str) else rendered(key))


class _Texts(InspectLoader):
    """Loads modules from their texts, by name."""

    def __init__(self, texts: Dict[str, str]) -> None:
        self._texts = texts

    def get_source(self, fullname: str) -> str:
        return self._texts[fullname]

    def load(self, name: str, known: Dict[str, object]) -> ModuleType:
        """Load a module that may use the known names without importing them."""
        module = module_from_spec(ModuleSpec(name, self))
        sys.modules[name] = module  # as if imported: dataclasses look there
        module.__dict__.update(known)
        self.exec_module(module)
        return module


def answer(code: str, preamble: str, function: str) -> None:
    """Make the call that stdin asks for; what the solution prints itself is left out."""
    arguments = json.loads(sys.stdin.buffer.read())
    result = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    texts = _Texts({"preamble": preamble, "solution": code})
    before = texts.load("preamble", {})
    known = {name: each for name, each in vars(before).items() if not name.startswith("__")}
    solution = texts.load("solution", known)
    holder, _, method = function.rpartition(".")
    called = getattr(getattr(solution, holder)(), method) if holder else getattr(solution, method)
    returned = rendered(called(*arguments))
    with os.fdopen(result, "wb") as out:
        out.write(returned.encode("ascii") + b"\n")
