"""An engine that runs a model in this process, for all runs of a session: loaded once, asked by one at a time."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LOOK_AGAIN_S = 0.1


def _go_on() -> None:
    """Nobody wants to end what the engine does."""


class SharedEngine:
    """Lends an engine to one thread after the other. A run ends what it waits for by a `check` that raises."""

    def __init__(self) -> None:
        """Nothing is loaded before it is needed."""
        self._lock = threading.Lock()
        self._engine: Any = None
        self._check: Callable[[], object] = _go_on  # of the run that the engine answers

    @contextmanager
    def lent(self, load: Callable[[], Any], check: Callable[[], object]) -> Iterator[Any]:
        """Wait until no other run uses the engine, and load it if need be."""
        while not self._lock.acquire(timeout=_LOOK_AGAIN_S):
            check()
        try:
            check()
            if self._engine is None:
                self._engine = self._watched(load())
            yield self._engine
        finally:
            self._lock.release()

    @contextmanager
    def answering(self, check: Callable[[], object]) -> Iterator[None]:
        """Let `check` end an answer between two tokens; the engine is dropped then, for half an answer is in it.

        For whom the engine is lent to.
        """
        self._check = check
        try:
            yield
        except BaseException:
            self._engine = None
            raise
        finally:
            self._check = _go_on

    def _watched(self, engine: Any) -> Any:
        """The engine, which asks before each step, for as long as it lives, whether to go on."""
        inner = getattr(engine, "llm_engine", None)
        step = getattr(inner, "step", None)
        if inner is None or step is None:
            return engine

        def checked_step() -> Any:
            self._check()
            return step()

        inner.step = checked_step
        return engine
