"""Answers that were paid for, and what each run has asked: one SQLite file in the state folder, used by all processes.

It never holds a prompt or a key: an answer lies under the hash of its request, secret values scrubbed.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.agent.sqlite_files import make_private, write_ahead
from afterburner.agent.usage import Usage
from afterburner.sandbox import AfterburnerError
from afterburner.sandbox.folders import state_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.agent.models.requests.reservation import Reservation

FILE_NAME = "answers.sqlite"
BUSY_TIMEOUT_S = 30.0
MOST_BYTES = 64 * 1024 * 1024  # of answers; the oldest go
LEDGER_DAYS = 180
_DAY_S = 86_400
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY, stored_at REAL NOT NULL, size INTEGER NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS answers_by_age ON answers (stored_at);
CREATE TABLE IF NOT EXISTS ledger (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, sent_at REAL NOT NULL, state TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost_usd REAL
);
CREATE INDEX IF NOT EXISTS ledger_by_run ON ledger (run_id);
"""
_ADD_OWNERS = (
    "ALTER TABLE ledger ADD COLUMN part_of TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX ledger_by_owner ON ledger (part_of)",
)
_USAGE = """
SELECT count(*),
    coalesce(sum(prompt_tokens) FILTER (WHERE state = 'answered'), 0),
    coalesce(sum(completion_tokens) FILTER (WHERE state = 'answered'), 0),
    coalesce(sum(cost_usd) FILTER (WHERE state = 'answered'), 0.0),
    count(*) FILTER (WHERE cost_usd IS NULL AND state <> 'refused'),
    count(*) FILTER (WHERE state = 'sent'),
    coalesce(sum(prompt_tokens + completion_tokens) FILTER (WHERE state = 'sent'), 0),
    coalesce(sum(cost_usd) FILTER (WHERE state = 'sent'), 0.0),
    count(*) FILTER (WHERE state = 'unsaid'),
    coalesce(sum(prompt_tokens + completion_tokens) FILTER (WHERE state = 'unsaid'), 0),
    coalesce(sum(cost_usd) FILTER (WHERE state = 'unsaid'), 0.0)
FROM ledger WHERE run_id = ? OR part_of = ?
"""


class AnswerStore:
    """The cache of answers and the ledger of requests. Safe to use from several threads and processes."""

    def __init__(self, path: Path | None = None, *, most_bytes: int = MOST_BYTES) -> None:
        """Open the file, and make it if need be, for its owner alone.

        Raises:
            AfterburnerError: the folder cannot be written, or the file is no such store.
        """
        self.path = path or state_folder() / FILE_NAME
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        with self._explained():
            make_private(self.path)
            self._connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT_S, check_same_thread=False, isolation_level=None
            )
            try:
                self._set_up()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def get(self, key: str) -> str | None:
        """Give what is stored under the key."""
        with self._explained(), self._lock:
            row = self._connection.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def put(self, key: str, body: str) -> None:
        """Store under the key, durably: when this returns, a crash does not lose it. The oldest answers make room."""
        size = len(body.encode())
        with self._transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (key, time.time(), size, body))
            connection.execute(
                "DELETE FROM answers WHERE key <> ? AND key IN (SELECT key FROM ("
                "SELECT key, sum(size) OVER (ORDER BY stored_at DESC, key ROWS UNBOUNDED PRECEDING) AS so_far "
                "FROM answers) WHERE so_far > ?)",
                (key, self._most_bytes),
            )

    def sent(self, run_id: str, most: Reservation, part_of: str = "") -> int:
        """Write down that a request is about to be sent, with the most that it can use; gives its row.

        It counts for the run, and for the session, or the run over many targets, that the run is a part of.
        """
        with self._transaction() as connection:
            cursor = connection.execute(
                "INSERT INTO ledger (run_id, part_of, sent_at, state, prompt_tokens, completion_tokens, cost_usd) "
                "VALUES (?, ?, ?, 'sent', ?, ?, ?)",
                (run_id, part_of, time.time(), most.prompt_tokens, most.completion_tokens, most.cost_usd),
            )
            return int(cursor.lastrowid or 0)

    def answered(self, sent: Reservation, prompt_tokens: int, completion_tokens: int, cost_usd: float | None) -> None:
        """Write down what a request has used."""
        self._settle(sent, "answered", prompt_tokens, completion_tokens, cost_usd)

    def unsaid(self, sent: Reservation) -> None:
        """Write down that an answer came and did not say what it used: the most stays."""
        self._settle(sent, "unsaid", sent.prompt_tokens, sent.completion_tokens, sent.cost_usd)

    def refused(self, sent: Reservation) -> None:
        """Write down that a request cost nothing."""
        self._settle(sent, "refused", 0, 0, 0.0)

    def withdrawn(self, sent: Reservation) -> None:
        """Forget a request that was not sent after all, or never arrived."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM ledger WHERE id = ?", (sent.row,))

    def usage(self, run_id: str) -> Usage:
        """Add up what a run has asked for, with all that is part of it. What was sent and never settled is lost."""
        with self._explained(), self._lock:
            row = self._connection.execute(_USAGE, (run_id, run_id)).fetchone()
        requests, prompt, completion, cost, unpriced, lost, lost_tokens, lost_cost, *unsaid = row
        return Usage(
            requests=requests,
            prompt_tokens=prompt,
            completion_tokens=completion,
            cost_usd=cost,
            unpriced=unpriced,
            lost=lost,
            lost_tokens=lost_tokens,
            lost_cost_usd=lost_cost,
            unsaid=unsaid[0],
            unsaid_tokens=unsaid[1],
            unsaid_cost_usd=unsaid[2],
        )

    def _settle(
        self, sent: Reservation, state: str, prompt_tokens: int, completion_tokens: int, cost_usd: float | None
    ) -> None:
        with self._transaction() as connection:
            connection.execute(
                "UPDATE ledger SET state = ?, prompt_tokens = ?, completion_tokens = ?, cost_usd = ? WHERE id = ?",
                (state, prompt_tokens, completion_tokens, cost_usd, sent.row),
            )

    def _set_up(self) -> None:
        write_ahead(self._connection, BUSY_TIMEOUT_S)
        self._connection.execute("PRAGMA synchronous = FULL")  # an answer that was used has to be there after a crash
        self._connection.executescript(_SCHEMA)
        with self._transaction() as connection:
            if not connection.execute("SELECT 1 FROM pragma_table_info('ledger') WHERE name = 'part_of'").fetchone():
                for statement in _ADD_OWNERS:  # the file is new, or an earlier version has made it
                    connection.execute(statement)
            connection.execute("DELETE FROM ledger WHERE sent_at < ?", (time.time() - LEDGER_DAYS * _DAY_S,))

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._explained(), self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:  # where the disk is full SQLite has rolled back itself
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise AfterburnerError(
                f"The store of answers {self.path} cannot be used: {error}. Move the file away, or choose a folder "
                "that you may write to: by XDG_STATE_HOME, or by `store` of open_session."
            ) from error
