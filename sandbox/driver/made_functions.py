"""Functions that running code has made: lambdas, inner functions, what decorators return.

Pickle writes a function as its name. These have none, or another function bears it, so they are written as their code,
with what they close over and their defaults. They find the names that they use in their module, wherever they are read;
those of a module of tests bring these along, for it is not imported where calls are made. Only the Python that wrote
them can read them.
"""

from __future__ import annotations

import marshal
import sys
from importlib import import_module
from types import CellType, CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from . import calls_file, code_names, copied_matches, executed_modules, module_sentinels

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

NAME = "__made__"  # the module that blobs name; this one cannot be imported where calls are made
# Annotations are left out: a type in them may be one that cannot be copied, and hardly any callee reads them.
_DETAILS = ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__", "__dict__")
_PYTHON = sys.version  # bytecode of one version would crash the interpreter of another
_FORMAT = 2 if sys.version_info < (3, 14) else 5  # of marshal; constant slices need the latter
_OF_MODULE = ("__name__", "__package__")  # what an import within the function asks for
_LOOKING = frozenset(("globals", "locals", "vars", "dir", "eval", "exec"))  # who calls these may use any name
_NAMESPACE: Any = ModuleType.__dict__["__dict__"].__get__  # type: ignore[index]
modules_of_tests: Set[str] = set()  # names; their functions bring what they use
_codes: Dict[bytes, CodeType] = {}  # that were read: all copies of a function run the same code
_given: Set[int] = set()  # the identities of these


class OtherPythonError(Exception):
    """A function was written by another Python than the one that reads it."""


def module_of(value: FunctionType) -> Optional[ModuleType]:
    """The module whose names the function uses; None if it has names of its own, as code that `exec` runs may."""
    name = dict.get(value.__globals__, "__name__")
    module: Any = executed_modules.named(name) if type(name) is str else None
    return module if issubclass(type(module), ModuleType) and _NAMESPACE(module) is value.__globals__ else None


def was_given(value: FunctionType) -> bool:
    """Whether the function came with a blob or is of the file of calls: no rewrite has another in its place."""
    is_of_calls = dict.get(value.__globals__, "__name__") == calls_file.NAME and module_of(value) is not None
    return is_of_calls or id(value.__code__) in _given


def written(code: CodeType) -> bytes:
    """A function's code as bytes, the same each time: what has been read has no more in common with others."""
    return marshal.dumps(marshal.loads(marshal.dumps(code, _FORMAT)), _FORMAT)  # noqa: S302 - its own bytes


def reduced(value: FunctionType, cells: Set[int]) -> Any:
    """What pickle has to write for a function; `NotImplemented`: its name.

    Args:
        value: the function.
        cells: gets the identities of the variables that it closes over, which functions may share: `reduced_cell`.
    """
    is_of_tests = dict.get(value.__globals__, "__name__") in modules_of_tests and module_of(value) is not None
    if is_found(value) and not is_of_tests:
        return NotImplemented
    sys.modules.setdefault(NAME, _MODULE)  # where pickle looks whether it will find what it writes
    origin = _origin_of_names(value, is_of_tests=is_of_tests)
    if origin is None:
        return NotImplemented
    owner, brought = origin
    closure = value.__closure__ or ()
    cells.update(map(id, closure))
    contents = [(cell, content) for cell in closure for content in contents_of(cell)]
    details = {name: getattr(value, name) for name in _DETAILS if getattr(value, name)}
    state = (details, contents, brought)
    return make, (written(value.__code__), _PYTHON, owner, closure), state, None, None, complete


def reduced_module(module: ModuleType) -> Any:
    """What pickle has to write for a module: its name, under which it is imported."""
    name = _NAMESPACE(module).get("__name__")
    return (import_module, (name,)) if type(name) is str and sys.modules.get(name) is module else NotImplemented


def reduced_match(value: Any) -> Any:
    """What pickle has to write for a match of a regular expression: how it is found again."""
    sys.modules.setdefault(NAME, _MODULE)
    return copied_matches.reduced_match(value)


def reduced_sentinel(value: Any) -> Any:
    """What pickle has to write for an object that is told by its identity alone: the place where a module holds it."""
    place = module_sentinels.place_of(value, without={NAME, calls_file.NAME, *modules_of_tests})
    if place is None:
        return NotImplemented
    sys.modules.setdefault(NAME, _MODULE)  # as above
    return module_sentinels.held_by, place


def reduced_cell(cell: CellType, cells: Set[int]) -> Any:
    """What pickle has to write for a variable that functions close over: what is in it comes with the function."""
    return (new_cell, ()) if id(cell) in cells else NotImplemented


def new_cell() -> CellType:
    """A variable that was not bound yet. Pickle finds no class by the name that `CellType` bears."""
    return CellType()


def make(code: bytes, python: str, module: str, closure: Tuple[CellType, ...]) -> FunctionType:
    """The function again, without its details.

    Args:
        code: from `written`.
        python: the version that wrote it.
        module: the name of the module whose names it uses; empty: it uses none.
        closure: the variables that it closes over.

    Raises:
        OtherPythonError: another Python wrote it.
    """
    if python != _PYTHON:
        raise OtherPythonError("a function in it was recorded by Python %s" % python.split(maxsplit=1)[0])
    if code not in _codes:
        _codes[code] = marshal.loads(code)  # noqa: S302 - this is the sandbox
        _given.add(id(_codes[code]))
    namespace = vars(executed_modules.imported(module)) if module else {"__builtins__": sys.modules["builtins"]}
    if module == calls_file.NAME:
        calls_file.supply({name for name, _ in code_names.global_names(_codes[code])})
    return FunctionType(_codes[code], namespace, closure=closure or None)


def complete(
    value: FunctionType, state: Tuple[Mapping[str, Any], Sequence[Tuple[CellType, Any]], Dict[str, Any]]
) -> None:
    """Give a function that `make` made its details, what it closes over its contents, and the names that it brings."""
    details, contents, brought = state
    for name, detail in details.items():
        setattr(value, name, detail)
    for cell, content in contents:
        cell.cell_contents = content
    value.__globals__.update(brought)


def contents_of(cell: CellType) -> List[Any]:
    """What a variable that functions close over holds: one value, or none if it was not bound yet."""
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _named() -> ModuleType:
    """The module that blobs name."""
    module = ModuleType(NAME)
    for function in (new_cell, make, complete, module_sentinels.held_by, copied_matches.match_again):
        function.__module__ = NAME
        setattr(module, function.__name__, function)
    return module


_MODULE = _named()
OF_BLOBS: Dict[str, Any] = {name: held for name, held in vars(_MODULE).items() if type(held) is FunctionType}


def _origin_of_names(value: FunctionType, *, is_of_tests: bool) -> Optional[Tuple[str, Dict[str, Any]]]:
    """The module in which a copy finds the names that it uses, or none and these names with what they stand for.

    None if neither will do.
    """
    module, used = module_of(value), names_used(value)
    if used == {}:
        return "", {name: value.__globals__[name] for name in _OF_MODULE if name in value.__globals__}
    if is_of_tests or (module is None and was_given(value)):
        return None if used is None else ("", used)
    return None if module is None else (module.__name__, {})


def names_used(value: FunctionType) -> Optional[Dict[str, Any]]:
    """The names of its module that the function uses; None if it changes them, or may use any."""
    used: Dict[str, Any] = {}
    for name, is_write in code_names.global_names(value.__code__):
        if is_write or name in _LOOKING:
            return None
        if name in value.__globals__:
            used[name] = value.__globals__[name]
    return used


def is_found(value: FunctionType) -> bool:
    """Whether pickle finds it under its name."""
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is value
