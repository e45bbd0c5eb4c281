"""Modules that put another object in their place in `sys.modules` while they are imported.

Their names, and those that their functions use, are in the module whose text was executed, not in that object.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Dict, Tuple

if TYPE_CHECKING:
    from types import ModuleType
else:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_modules = sys.modules
_replaced: Dict[str, Tuple[Any, ModuleType]] = {}  # by name: what took the module's place, and the module


def remember(module: ModuleType, name: str) -> None:
    """Note what stands under the module's name, now that its text was executed."""
    held = _modules.get(name)
    if held is module or held is None:
        _replaced.pop(name, None)
    else:
        _replaced[name] = (held, module)


def named(name: str) -> Any:
    """The module of that name; the one that was executed if another object took its place. None if there is none."""
    held = _modules.get(name)
    if name in _replaced and _replaced[name][0] is held:
        return _replaced[name][1]
    return held


def imported(name: str) -> Any:
    """The same, imported if need be."""
    import_module(name)
    return named(name)
