"""What the code of a function names: its constants, other code, and tables of its module and of its class."""

from __future__ import annotations

import itertools
from types import CodeType, FunctionType, ModuleType
from typing import Any, Callable, Iterable, Iterator, List, Mapping, Sequence, Set

from .container_kinds import HEAP_TYPE, MAPPINGS, SEQUENCES

MOST_CODES = 60
MOST_TABLE_ITEMS = 40  # of one table
_DEEPEST_TABLE = 3
_FUNCTIONS = (FunctionType, staticmethod, classmethod)


def mentioned_values(module: ModuleType, function: Callable[..., Any]) -> Iterator[Any]:
    """Values in the code of the function and of what it calls, of its class's tables, then of the module's."""
    codes = list(codes_of(module, function))
    for code in codes:
        for value in code.co_consts:
            yield from value if type(value) in (tuple, frozenset) else (value,)
    for value in _named_in(_of_classes(module, function), codes):
        yield from _of_table(value, 0)
    for name, value in list(vars(module).items()):
        if not name.startswith("__"):
            yield from _of_table(value, 0)


def named_tables(module: ModuleType, function: Callable[..., Any]) -> List[Any]:
    """What the code of the function and of what it calls names, in the module or in the function's class."""
    return list(_named_in(_namespaces(module, function), codes_of(module, function)))


def codes_of(module: ModuleType, function: Callable[..., Any]) -> Iterator[CodeType]:
    """The code of the function, of what is defined in it, and of functions of its module and class that it names."""
    namespaces = _namespaces(module, function)
    waiting: List[Any] = [function]
    seen: Set[int] = set()
    while waiting and len(seen) < MOST_CODES:
        value = waiting.pop()
        value = getattr(value, "__func__", value) if type(value) in _FUNCTIONS else value
        value = getattr(value, "__wrapped__", value)
        code = value.__code__ if type(value) is FunctionType else value
        if type(code) is not CodeType or id(code) in seen:
            continue
        seen.add(id(code))
        yield code
        waiting += [constant for constant in code.co_consts if type(constant) is CodeType]
        waiting += [each for each in _named_in(namespaces, [code]) if type(each) in _FUNCTIONS]


def _named_in(namespaces: Sequence[Mapping[str, Any]], codes: Iterable[CodeType]) -> Iterator[Any]:
    """What the code names, from each namespace that has it: `self.DAYS` and `DAYS` are named alike."""
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    return (each[name] for name in names for each in namespaces if name in each)


def _namespaces(module: ModuleType, function: Callable[..., Any]) -> List[Mapping[str, Any]]:
    return [vars(module), *_of_classes(module, function)]


def _of_classes(module: ModuleType, function: Callable[..., Any]) -> List[Mapping[str, Any]]:
    """What the function's class has, and its bases that are written in Python; nothing for a plain function."""
    found: Any = module
    for name in getattr(function, "__qualname__", "").split(".")[:-1]:
        found = vars(found).get(name)
        if not isinstance(found, type):
            return []
    bases = found.__mro__ if isinstance(found, type) else ()
    return [vars(each) for each in bases if each.__flags__ & HEAP_TYPE]


def _of_table(value: Any, depth: int) -> Iterator[Any]:
    kind = type(value)
    if kind not in (*MAPPINGS, *SEQUENCES, set, frozenset):
        yield value
    elif depth < _DEEPEST_TABLE:
        for item in itertools.islice(value, MOST_TABLE_ITEMS):
            yield from _of_table(item, depth + 1)
            if kind in MAPPINGS:
                yield from _of_table(value[item], depth + 1)
