"""Pickles what a call is made of, with what pickle by itself cannot write or does not keep."""

from __future__ import annotations

import io
import pickle
import sys
import threading
from types import FunctionType
from typing import TYPE_CHECKING, Any, Set

from . import array_layout, call_files, calls_file

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


# Calls within one another that pickle may need, one or more for each level of a value: a value may be nested further
# than Python recurses. The stack of the main thread (8 MiB) has room for them.
_DEEPEST = 6_000
_get_limit, _set_limit = sys.getrecursionlimit, sys.setrecursionlimit  # user code may replace them


def dump(value: Any, protocol: int) -> bytes:
    """Like `pickle.dumps`; it writes functions of the file of calls, and keeps the layout of arrays, too."""
    written = io.BytesIO()
    _dump_deeply(_Pickler(written, protocol), value)
    return written.getvalue()


def scratch_paths(value: Any, protocol: int) -> Set[str]:
    """The paths in scratch folders that a value leads to, in texts and paths anywhere in it."""
    finder = _PathFinder(io.BytesIO(), protocol)
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

    def reducer_override(self, value: Any) -> Any:
        """What to write instead of a value; `NotImplemented`: the usual."""
        kind = type(value)
        if kind is FunctionType:
            return calls_file.reduced_function(value)
        if kind is getattr(sys.modules.get("numpy"), "ndarray", None):
            return array_layout.reduced_array(value)
        if call_files.is_open_file(kind):
            return call_files.reduced_file(value)
        return NotImplemented


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
