"""The checkpoints of runs: LangGraph's own checkpointer, in the store that the runs are kept in."""

from __future__ import annotations

import secrets
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from afterburner.agent.loop.state import CHECKPOINTED_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.runnables import RunnableConfig
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from afterburner.agent.loop.state import LoopState
    from afterburner.agent.store.database import Database


def new_run_id() -> str:
    """A fresh id that sorts by time: LangGraph accumulates when a finished thread is invoked again."""
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


@contextmanager
def open_checkpointer(database: Database) -> Iterator[BaseCheckpointSaver[str]]:
    """Open what makes every run resumable. What the store cannot do inside the block is told plainly.

    Raises:
        RunStoreError: it cannot be used.
    """
    from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer  # noqa: PLC0415 - heavy

    serde = JsonPlusSerializer(allowed_msgpack_modules=CHECKPOINTED_TYPES)
    with database.checkpointer(serde) as checkpointer:
        yield checkpointer


def thread_of(run_id: str) -> RunnableConfig:
    """What LangGraph calls a run by."""
    return {"configurable": {"thread_id": run_id}}


def stored_state(checkpointer: BaseCheckpointSaver[str], run_id: str) -> LoopState | None:
    """What the last node that ended has left; None if none has."""
    found = checkpointer.get_tuple(thread_of(run_id))
    values = found.checkpoint["channel_values"] if found is not None else {}
    return cast("LoopState", values) if values.get("lineage") or values.get("iteration") else None
