"""Starts a program that is made of several of these modules: the host sends them as one text, with this one first."""

from __future__ import annotations

import sys
from types import ModuleType

PACKAGE = "inside"


def start(texts: dict[str, str], module: str, function: str, arguments: dict[str, object]) -> None:
    """Load the modules in the order given, and call a function of one of them."""
    sys.modules[PACKAGE] = ModuleType(PACKAGE)
    for name, text in texts.items():
        loaded = ModuleType(PACKAGE + "." + name)
        loaded.__package__ = PACKAGE
        sys.modules[loaded.__name__] = loaded
        exec(compile(text, name, "exec", dont_inherit=True), loaded.__dict__)  # noqa: S102 - our own modules
    vars(sys.modules[PACKAGE + "." + module])[function](**arguments)
