# ruff: noqa: PTH100, PTH108, PTH113, PTH123, PTH202 - every Python has os.path loaded when it starts, pathlib takes time
"""The files that a call opens, renames or removes, as they were before it: an audit hook tells of them."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FILE_EVENTS = frozenset(("open", "os.rename", "os.remove"))
_MOST_FILES = 64
_MOST_BYTES = 1 << 24  # of one file that is looked at
_RANDOM_PART = 8  # characters that `tempfile` puts behind "tmp"


class OpenedFiles:
    """Heeds one call after the other."""

    def __init__(self, read_below: Tuple[str, ...] = ()) -> None:
        """Files that are opened to write are heeded, and in these folders those that are only read, too."""
        self._read_below = read_below
        self._is_on = False
        self._held: Dict[str, Optional[bytes]] = {}
        self._has_hook = False

    def begin(self) -> None:
        """Before a call."""
        self._held = {}
        if not self._has_hook:
            self._has_hook = True  # there is no way to take it away again
            sys.addaudithook(self._hook())
        self._is_on = True

    def resume(self) -> None:
        """Heed another call, which finds the files as the one before has left them."""
        self._is_on = True

    def end(self) -> None:
        """Right after it."""
        self._is_on = False

    def before(self) -> Dict[str, Optional[bytes]]:
        """What was in the files, by path, when the call came to them; None: there was no such file."""
        return dict(self._held)

    def changed(self) -> List[Tuple[str, Optional[bytes]]]:
        """What is in them now, where that is something else; by name."""
        now = [(path, content_of(path)) for path in sorted(self._held)]
        return [(_steady_name(path), content) for path, content in now if content != self._held[path]]

    def sizes(self) -> List[Tuple[str, int]]:
        """How many bytes others find in them now, by name; nothing of those that are not there."""
        there = [path for path in sorted(self._held) if os.path.isfile(path)]
        return [(_steady_name(path), os.path.getsize(path)) for path in there]

    def put_back(self) -> None:
        """Let them hold again what was in them."""
        for path, content in self._held.items():
            try:
                if content is None:
                    if os.path.isfile(path):
                        os.unlink(path)
                elif content_of(path) != content:
                    with open(path, "wb") as file:
                        file.write(content)
            except OSError:
                continue  # what cannot be written could not be changed

    def _hook(self) -> Callable[[str, Tuple[Any, ...]], None]:
        """The audit hook. CPython calls it for every event, each `id()` among them, so it leaves others alone at once.

        A bound method in its place takes three times as long, and with that `copy.deepcopy` and the encoder four times
        as long as without a hook.
        """
        note, file_events = self._heed, _FILE_EVENTS

        def hook(event: str, arguments: Tuple[Any, ...]) -> None:
            if event in file_events:
                note(event, arguments)

        return hook

    def _heed(self, event: str, arguments: Tuple[Any, ...]) -> None:
        if not self._is_on:
            return
        if event == "open":
            path, _, flags = arguments
            if type(flags) is int and (flags & _WRITING or self._is_read_below(path)):
                self._hold(path)
            return
        for path in arguments[:2]:
            self._hold(path)

    def _is_read_below(self, path: Any) -> bool:
        return bool(self._read_below) and type(path) is str and os.path.abspath(path).startswith(self._read_below)

    def _hold(self, path: Any) -> None:
        if type(path) is not str or len(self._held) >= _MOST_FILES:
            return
        path = os.path.abspath(path)
        if path not in self._held and not path.startswith(("/dev/", "/proc/")):
            self._is_on = False
            try:
                self._held[path] = content_of(path)
            finally:
                self._is_on = True


def content_of(path: str, most_bytes: int = _MOST_BYTES) -> Optional[bytes]:
    """What is in a file, no more than its beginning; None if it is no regular file that can be read."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read(most_bytes)
    except OSError:
        return None


def _steady_name(path: str) -> str:
    """The path without what `tempfile` draws by chance."""
    parts = path.split("/")
    return "/".join("tmp…" if part.startswith("tmp") and len(part) == 3 + _RANDOM_PART else part for part in parts)
