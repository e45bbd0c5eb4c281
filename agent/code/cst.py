"""libcst, which is imported when its first name is used: it takes a third of a second."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libcst import *  # noqa: F403 - each name of it
    from libcst import metadata as metadata  # noqa: PLC0414 - re-exported
else:

    def __getattr__(name: str) -> object:
        found = globals()[name] = getattr(import_module("libcst"), name)
        return found
