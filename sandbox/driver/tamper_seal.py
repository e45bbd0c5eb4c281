"""Keeps our modules working as they are written when user code replaces what they use, and notices when it reaches in.

`BUILTINS` is a copy for our modules alone, so that replacing `builtins.sorted` changes nothing for them. A `Seal` tells
whether functions, classes or tables of ours were replaced. Code that runs in our process can find both and break them
(through the garbage collector, or the frames that call it); these are there to make that hard and seldom silent.
"""

from __future__ import annotations

import builtins
from operator import attrgetter, is_
from types import FunctionType
from typing import Any, Callable, Dict, Iterable, List, Mapping, Tuple

BUILTINS: Dict[str, Any] = dict(vars(builtins))
__builtins__ = BUILTINS  # type: ignore[assignment]  # functions look here from now on
# No function can hide these of its type, and this is the quickest way to read them.
_PARTS: Tuple[Callable[[Any], Any], ...] = tuple(map(attrgetter, ("__code__", "__defaults__", "__kwdefaults__")))


class Seal:
    """Remembers what some namespaces hold: values by identity, and the code of functions."""

    def __init__(self, namespaces: Iterable[Dict[str, Any]]) -> None:
        """Classes made in the namespaces, and their tables (dictionaries in capitals), are remembered with them."""
        spaces: List[Mapping[Any, Any]] = [BUILTINS]
        functions: List[Any] = []
        for namespace in namespaces:
            namespace.setdefault("__warningregistry__", {})  # where Python itself notes that a warning was shown
            spaces.append(namespace)
            for name, value in namespace.items():
                if type(value) is FunctionType:
                    functions.append(value)
                elif type(value) is type and value.__module__ == namespace.get("__name__"):
                    spaces.append(vars(value))
                    functions += [member for member in vars(value).values() if type(member) is FunctionType]
                elif type(value) is dict and name.strip("_").isupper():
                    spaces.append(value)
        known = {id(space): space for space in spaces}  # a table that one module has from another counts once
        # What is held stays alive, so that no other object gets its identity.
        self._held = [(space, tuple(space.values())) for space in known.values()]
        self._parts = [(part, tuple(map(part, functions))) for part in _PARTS]
        self._functions = tuple(functions)

    def is_broken(self) -> bool:
        """Whether anything is not what it was."""
        for space, values in self._held:
            if len(space) != len(values) or not all(map(is_, space.values(), values)):
                return True
        return not all(all(map(is_, map(part, self._functions), taken)) for part, taken in self._parts)
