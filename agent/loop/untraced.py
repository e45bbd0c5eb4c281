"""Runs a LangGraph graph that tells nobody: its state, with the user's code, goes nowhere, whatever the shell says."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.runnables import RunnableConfig

_OLD_TRACERS = ("LANGCHAIN_TRACING", "LANGCHAIN_HANDLER")  # with one of them and no new tracer, LangChain only raises


@contextmanager
def untraced(config: RunnableConfig) -> Iterator[RunnableConfig]:
    """Give the config with which a graph calls no tracer while the block runs.

    LangGraph asks the environment (`LANGSMITH_TRACING`, `LANGCHAIN_TRACING_V2`, …) for tracers: the graph by way of
    LangSmith's context, its nodes where they are given no manager of callbacks.
    """
    from langchain_core.callbacks import CallbackManager  # noqa: PLC0415 - heavy
    from langsmith.run_helpers import tracing_context  # noqa: PLC0415 - likewise

    for name in _OLD_TRACERS:
        os.environ.pop(name, None)
    with tracing_context(enabled=False, parent=False):
        yield {**config, "callbacks": CallbackManager(handlers=[])}
