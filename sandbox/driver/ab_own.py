"""Keeps our modules working as they are written when user code replaces what they use, and notices when it reaches in.

`BUILTINS` is a copy for our modules alone, so that replacing `builtins.sorted` changes nothing for them. A `Seal` tells
whether functions, classes or tables of ours were replaced. Code that runs in our process can find both and break them
(through the garbage collector, or the frames that call it); these are there to make that hard and seldom silent.
"""

from __future__ import annotations

import builtins
from types import FunctionType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

BUILTINS: Dict[str, Any] = dict(vars(builtins))
__builtins__ = BUILTINS  # type: ignore[assignment]  # functions look here from now on
_PARTS: Tuple[Callable[[Any], Any], ...] = tuple(
    FunctionType.__dict__[name].__get__ for name in ("__code__", "__defaults__", "__kwdefaults__")
)


class Seal:
    """Remembers what some namespaces hold: values by identity, and the code of functions."""

    def __init__(self, namespaces: Iterable[Mapping[str, Any]]) -> None:
        """Classes made in the namespaces, and their tables (dictionaries in capitals), are remembered with them."""
        spaces: List[Mapping[Any, Any]] = [BUILTINS]
        functions: List[Any] = []
        for namespace in namespaces:
            spaces.append(namespace)
            for name, value in namespace.items():
                if type(value) is FunctionType:
                    functions.append(value)
                elif type(value) is type and value.__module__ == namespace.get("__name__"):
                    spaces.append(vars(value))
                    functions += [member for member in vars(value).values() if type(member) is FunctionType]
                elif type(value) is dict and name.strip("_").isupper():
                    spaces.append(value)
        self._spaces, self._functions = tuple(spaces), tuple(functions)
        self._held = [list(space.values()) for space in spaces]  # alive, so that no other gets their identity
        self._taken = self._fingerprint()

    def is_broken(self) -> bool:
        """Whether anything is not what it was."""
        return self._fingerprint() != self._taken

    def _fingerprint(self) -> List[List[int]]:
        found = [list(map(id, space.values())) for space in self._spaces]
        found += [list(map(id, map(part, self._functions))) for part in _PARTS]
        return found
