"""Imports LangGraph in the background: that takes as long as several containers, and a run waits for those anyway."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WHAT_A_GRAPH_NEEDS = ("langgraph.graph", "langchain_core.callbacks", "langsmith.run_helpers")


@contextmanager
def importing_langgraph() -> Iterator[None]:
    """Import what a graph needs while the block runs. A failure shows where the graph is built."""
    thread = threading.Thread(target=_import, name="importing", daemon=True)
    thread.start()
    try:
        yield
    except Exception:
        thread.join()  # a program that ends in the middle of an import may crash
        raise
    else:
        thread.join()


def _import() -> None:
    with suppress(Exception):
        for name in _WHAT_A_GRAPH_NEEDS:
            import_module(name)
