"""What every store of runs can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol

    Statement = tuple[str, tuple[object, ...]]  # SQL with a `?` for each of the values


class Database(Protocol):
    """An open store. Every method raises `RunStoreError` where the store fails."""

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""

    def write(self, *statements: Statement) -> None:
        """Carry out all of these or none; when this returns they are on the disk."""

    def checkpoint_tables(self) -> tuple[str, ...]:
        """The tables that hold the checkpoints of runs by `thread_id`; none before LangGraph has made them."""

    def claimed(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process off a run, until the block ends or this process does.

        Raises:
            RunInUseError: another process works on it.
        """

    def claimed_among(self, run_ids: Iterable[str]) -> set[str]:
        """Those that a process works on."""

    def drop_claim(self, run_id: str) -> None:
        """Take away what the claim of a killed process has left."""

    def checkpointer(self, serde: SerializerProtocol) -> AbstractContextManager[BaseCheckpointSaver[str]]:
        """LangGraph's own checkpointer of this store."""
