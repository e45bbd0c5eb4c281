"""Pickles what a call is made of, with what pickle by itself cannot write or does not keep."""

from __future__ import annotations

import io
import pickle
import re
import struct
import sys
import threading
from types import CellType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Optional, Set, Tuple

from . import array_layout, call_files, calls_file, made_functions

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


# Calls within one another that pickle may need, one or more for each level of a value: a value may be nested further
# than Python recurses. The stack of the main thread (8 MiB) has room for them.
_DEEPEST = 6_000
_DOUBLE = struct.Struct(">d")
_NUMBER = struct.Struct(">Q")
_INFINITY = float("inf")
_NAN = re.compile(rb"(?s)G(?=([\x7f\xff](?!\xf0\0{6})[\xf0-\xff].{6}))")  # a float's opcode, and the bits of a NaN
# What pickle may call of a class: to ask for what is written, and to fill an object that is read.
_OF_COPYING = ("__setstate__", "__getstate__", "__reduce__", "__reduce_ex__", "__getnewargs__", "__getnewargs_ex__")
_OF_FILLING = ("__setitem__", "append", "extend")  # likewise, of a container
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))  # classes there come back as they were
_get_limit, _set_limit = sys.getrecursionlimit, sys.setrecursionlimit  # user code may replace them


def dump(value: Any, protocol: int) -> bytes:
    """Like `pickle.dumps`, for `load`; it writes functions that have no name, and keeps the layout of arrays, too.

    A NaN that occurs several times stays one object: code tells one from two by `in`, `count`, or a key of a set.
    """
    written = io.BytesIO()
    _dump_deeply(_Pickler(written, protocol), value)
    blob = written.getvalue()
    return (_with_nans(value, protocol) if _may_repeat_nan(blob) else None) or blob


def load(blob: bytes) -> Any:
    """What `dump` wrote: fresh copies. Like `pickle.loads`, it runs code that the blob names."""
    return load_with_classes(blob)[0]


def load_with_classes(blob: bytes) -> Tuple[Any, Dict[Tuple[str, str], Any]]:
    """The same, and the classes that the blob names, by module and name."""
    unpickler = _Unpickler(io.BytesIO(blob))
    value = unpickler.load()
    return value, unpickler.classes


def _may_repeat_nan(blob: bytes) -> bool:
    """Whether one NaN may occur twice in a pickle: a quick look, for asking for each object takes long."""
    found = _NAN.findall(blob)
    return len(found) > len(set(found))


def _with_nans(value: Any, protocol: int) -> Optional[bytes]:
    """The pickle with a number for each NaN, the same for the same object; None if no NaN occurs twice."""
    written = io.BytesIO()
    pickler = _NanPickler(written, protocol)
    _dump_deeply(pickler, value)
    return written.getvalue() if pickler.has_repeated else None


def scratch_paths(value: Any, protocol: int) -> Set[str]:
    """The paths in scratch folders that a value leads to, in texts and paths anywhere in it."""
    finder = _PathFinder(io.BytesIO(), protocol)
    _dump_deeply(finder, value)
    return finder.found


def runs_code(value: Any, protocol: int) -> bool:
    """Whether code of a class, in Python, takes part in pickling a value or in reading it back."""
    finder = _CodeFinder(io.BytesIO(), protocol)
    _dump_deeply(finder, value)
    return finder.has_found


def holds_code(value: Any, protocol: int) -> bool:
    """Whether functions without a name are in it that are not of the file of calls."""
    finder = _FunctionFinder(io.BytesIO(), protocol)
    _dump_deeply(finder, value)
    return finder.has_found


def objects_of(value: Any, protocol: int, kinds: FrozenSet[int]) -> List[Any]:
    """The objects in a value whose classes have these identities, each before those that it holds."""
    finder = _ObjectFinder(io.BytesIO(), protocol)
    finder.kinds = kinds
    _dump_deeply(finder, value)
    return finder.found


def _dump_deeply(pickler: pickle.Pickler, value: Any) -> None:
    limit = _get_limit()
    if limit >= _DEEPEST or threading.current_thread() is not threading.main_thread():
        pickler.dump(value)  # other threads may have smaller stacks, and the limit is that of all threads
        return
    _set_limit(_DEEPEST)
    try:
        pickler.dump(value)
    finally:
        _set_limit(limit)


class _Pickler(pickle.Pickler):
    """Asks those who know a kind of value what to write for it."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self._cells: Set[int] = set()

    def reducer_override(self, value: Any) -> Any:
        """What to write instead of a value; `NotImplemented`: the usual."""
        kind = type(value)
        if kind is FunctionType:
            return made_functions.reduced(value, self._cells)
        if kind is ModuleType:
            return made_functions.reduced_module(value)
        if kind is CellType:
            return made_functions.reduced_cell(value, self._cells)
        if kind is getattr(sys.modules.get("numpy"), "ndarray", None):
            return array_layout.reduced_array(value)
        if call_files.is_open_file(kind):
            return call_files.reduced_file(value)
        return made_functions.reduced_match(value) if kind is re.Match else made_functions.reduced_sentinel(value)


class _CodeFinder(_Pickler):
    """Sees the class of every object that is written."""

    has_found = False

    def reducer_override(self, value: Any) -> Any:
        """What `_Pickler` writes; every object comes by here."""
        if not self.has_found:
            names = _OF_COPYING + (_OF_FILLING if isinstance(value, (list, dict)) else ())
            held = [vars(base).get(name) for base in filter(is_own, type(value).__mro__) for name in names]
            self.has_found = any(type(each) is FunctionType for each in held)
        return super().reducer_override(value)


def is_own(kind: type) -> bool:
    """Whether a class is neither of the standard library nor of an installed package: those are copied as they are."""
    name = str(kind.__module__)
    file = getattr(sys.modules.get(name), "__file__", None)
    return name.partition(".")[0] not in _STANDARD and not (type(file) is str and "-packages/" in file)


class _ObjectFinder(_Pickler):
    """Sees every object that is written."""

    kinds: FrozenSet[int] = frozenset()

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.found: List[Any] = []

    def reducer_override(self, value: Any) -> Any:
        """What `_Pickler` writes; every object comes by here."""
        if id(type(value)) in self.kinds:
            self.found.append(value)
        return super().reducer_override(value)


class _FunctionFinder(_Pickler):
    """Sees every function that is written as its code, but for those of the file of calls."""

    has_found = False

    def reducer_override(self, value: Any) -> Any:
        """What `_Pickler` writes; every object comes by here."""
        written = super().reducer_override(value)
        if type(value) is FunctionType and written is not NotImplemented:
            self.has_found = self.has_found or value.__globals__.get("__name__") != calls_file.NAME
        return written


class _PathFinder(_Pickler):
    """Sees every object that is written."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.found: Set[str] = set()
        self._path_class: Any = getattr(sys.modules.get("pathlib"), "PurePath", ())

    def persistent_id(self, value: Any) -> None:
        """Nothing stands for it: this is only the place where one is asked."""
        text = value if type(value) is str else str(value) if isinstance(value, self._path_class) else ""
        if text.startswith(call_files.SCRATCH) and "\0" not in text:
            self.found.add(text)


class _NanPickler(_Pickler):
    """Numbers the NaN objects, which pickle writes anew each time, like every float."""

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.has_repeated = False
        self._known: Dict[int, Tuple[bytes, float]] = {}  # with the object: no other gets its identity meanwhile

    def persistent_id(self, value: Any) -> Optional[bytes]:
        """What stands for a NaN: its number, and its bits."""
        if type(value) is not float or value <= _INFINITY:  # NaN alone is not
            return None
        known = self._known.get(id(value))
        if known is None:
            known = self._known[id(value)] = _NUMBER.pack(len(self._known)) + _DOUBLE.pack(value), value
        else:
            self.has_repeated = True
        return known[0]


class _Unpickler(pickle.Unpickler):
    """Reads what `_Pickler` and `_NanPickler` have written."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self._nans: Dict[bytes, float] = {}
        self.classes: Dict[Tuple[str, str], Any] = {}

    def find_class(self, module: str, name: str) -> Any:
        """What a blob names; user code cannot put something else in the place of our own functions."""
        if module == made_functions.NAME:
            return made_functions.OF_BLOBS[name]
        found = super().find_class(module, name)
        if issubclass(type(found), type):
            self.classes[module, name] = found
        return found

    def persistent_load(self, pid: bytes) -> float:
        """The NaN that this stands for: one object for each number."""
        if pid not in self._nans:
            [self._nans[pid]] = _DOUBLE.unpack_from(pid, _NUMBER.size)
        return self._nans[pid]
