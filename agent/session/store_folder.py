"""The folder that a session keeps things in: a given one, the user's own, or one that is deleted with the session."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from contextlib import ExitStack

KNOWN_RUNS = "known-runs"


class StoreFolder:
    """Finds or makes the folder. Any thread may use it.

    Args:
        store: a folder; `user`: the user's own; None: a temporary one, made when something has to be kept.
        stack: deletes the temporary folder.
    """

    def __init__(self, store: Path | Literal["user"] | None, stack: ExitStack) -> None:
        self._store, self._stack = store, stack
        self._lock = threading.Lock()
        self._temporary: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether anything can have been kept yet."""
        return self._store is not None or self._temporary is not None

    def of_runs(self) -> Path | None:
        """Return the folder for runs; None for the user's own, which `open_runs` knows."""
        with self._lock:
            if self._store is None and self._temporary is None:
                made = tempfile.TemporaryDirectory(prefix="afterburner-runs-")
                self._temporary = Path(self._stack.enter_context(made))
            return self._store if isinstance(self._store, Path) else self._temporary

    def of_known_runs(self) -> Path:
        """Return the folder for what originals do, so that the next job on one begins with the candidates."""
        return (self.of_runs() or state_folder()) / KNOWN_RUNS
