"""The run store in PostgreSQL, for machines that come and go: the same tables, in a schema of their own.

One connection does all that belongs to a run: it holds the claim, and it writes the rows and the checkpoints. When it
dies the server gives the claim up, and there is nothing left by which this process could still write.
"""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict

from afterburner.agent.errors import RunInUseError, RunStoreError, SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.checkpoint.serde.base import SerializerProtocol
    from psycopg.rows import DictRow

    from afterburner.agent.store.database import Statement

SCHEMA = "afterburner"
VERSION = 1  # of the tables
PATIENCE_S = 1.0  # the server may take a moment to see that a process was killed
SETUP_PATIENCE_S = 30.0
PAUSE_S = 0.05
# Either end notices within a minute that the other is gone, also where a machine or the network just vanished.
_CLIENT: Mapping[str, object] = {
    "connect_timeout": 10,
    "fallback_application_name": "afterburner-agent",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_SESSION = (
    f"SET search_path TO {SCHEMA}",  # nothing else: another program's checkpoints may lie in `public`
    "SET tcp_keepalives_idle TO 30",
    "SET tcp_keepalives_interval TO 10",
    "SET tcp_keepalives_count TO 3",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
)
_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS runs (
        run_id TEXT COLLATE "C" PRIMARY KEY,
        format INTEGER NOT NULL,
        begun_s DOUBLE PRECISION NOT NULL,
        file TEXT NOT NULL,
        function TEXT,
        model TEXT NOT NULL,
        asked TEXT NOT NULL,
        target BYTEA NOT NULL,
        prepared BYTEA,
        tests_begun INTEGER NOT NULL DEFAULT 0,
        decision TEXT,
        gain DOUBLE PRECISION,
        result BYTEA
    )
    """,
    "CREATE TABLE IF NOT EXISTS store (version INTEGER NOT NULL)",
    "DELETE FROM store",
)
_ENDED = (psycopg.errors.AdminShutdown, psycopg.errors.CrashShutdown, psycopg.errors.IdleSessionTimeout)
_HELD = """
SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


@dataclass(slots=True)
class PostgresDatabase:
    """See `Database`. Who works on a run is told by advisory locks of the server."""

    place: str  # the address without the password
    connection: psycopg.Connection
    _turn: threading.Lock = field(default_factory=threading.Lock)  # LangGraph writes in threads of its own
    _claimed: str = ""

    def read(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        with self.told_plainly(), self._turn:
            return self.connection.execute(query.replace("?", "%s"), values, binary=True).fetchall()

    def write(self, *statements: Statement) -> None:
        """Carry out all of these or none."""
        with self.told_plainly(), self._turn, self.connection.transaction():
            for statement, values in statements:
                self.connection.execute(statement.replace("?", "%s"), values)

    def checkpoint_tables(self) -> tuple[str, ...]:
        """LangGraph makes them with the first run, this one as the last of them."""
        [[exist]] = self.read("SELECT to_regclass('checkpoint_writes') IS NOT NULL")
        return ("checkpoints", "checkpoint_blobs", "checkpoint_writes") if exist else ()

    @contextmanager
    def claimed(self, run_id: str) -> Iterator[None]:
        """Keep every other process off a run."""
        with self._locked(run_id, PATIENCE_S) as is_ours:
            if not is_ours:
                raise RunInUseError(
                    f"Run {run_id} is being worked on by another process, perhaps on another machine. Wait for it, or "
                    "stop it first."
                )
            self._claimed = self._claimed or run_id  # it is the run; others are claimed to forget them
            yield

    def claimed_among(self, run_ids: Iterable[str]) -> set[str]:
        """Those that a process works on, wherever it runs."""
        held = {key for (key,) in self.read(_HELD)}
        return {run_id for run_id in run_ids if _key_of(run_id) in held}

    def drop_claim(self, run_id: str) -> None:
        """Nothing is left of a claim whose connection is gone."""

    @contextmanager
    def checkpointer(self, serde: SerializerProtocol) -> Iterator[BaseCheckpointSaver[str]]:
        """LangGraph's own, on the connection that holds the claim."""
        from langgraph.checkpoint.postgres import PostgresSaver  # noqa: PLC0415 - heavy

        # Each of its cursors says itself what rows it wants.
        saver = PostgresSaver(cast("psycopg.Connection[DictRow]", self.connection), serde=serde)
        saver.lock = self._turn
        with self.told_plainly():
            with self._alone():
                saver.setup()
            yield saver

    def set_up(self, *, creates: bool) -> bool:
        """Make the tables where they are not there, if that is wanted; whether they are there then.

        Raises:
            RunStoreError: that may not be, or a newer version of this program has made them.
        """
        encoding = self.connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise RunStoreError(
                f"The run store {self.place} has the encoding {encoding}, and needs UTF8. Make a database with "
                "`createdb --encoding=UTF8 --template=template0 NAME`."
            )
        self.write(*((statement, ()) for statement in _SESSION))
        if creates and self._version() < VERSION:
            with self._alone():
                [[has_schema]] = self.read("SELECT to_regnamespace(?) IS NOT NULL", SCHEMA)
                schema = () if has_schema else (f"CREATE SCHEMA {SCHEMA}",)
                made = ((statement, ()) for statement in (*schema, *_TABLES))
                self.write(*made, ("INSERT INTO store VALUES (?)", (VERSION,)))
        version = self._version()
        if version > VERSION:
            raise RunStoreError(
                f"The run store {self.place} was written by a newer version of this program. Use that version, or "
                "another database."
            )
        return version == VERSION

    def _version(self) -> int:
        [[exists]] = self.read("SELECT to_regclass('store') IS NOT NULL")
        return max((version for (version,) in self.read("SELECT version FROM store")), default=0) if exists else 0

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of those who make tables: IF NOT EXISTS does not keep two at once from failing."""
        with self._locked("", SETUP_PATIENCE_S) as is_ours:
            if not is_ours:
                raise RunStoreError(
                    f"The run store {self.place} has been set up by another process for {SETUP_PATIENCE_S:g} s. Wait "
                    "for it: it may have to wait for a long transaction of another program."
                )
            yield

    @contextmanager
    def _locked(self, name: str, patience_s: float) -> Iterator[bool]:
        """Whether the lock could be had. Nobody waits inside the server, where making an index would wait for them."""
        key, until_s = _key_of(name), time.monotonic() + patience_s
        while not (is_ours := self.read("SELECT pg_try_advisory_lock(?::bigint)", key)[0][0]):
            if time.monotonic() > until_s:
                break
            time.sleep(PAUSE_S)
        try:
            yield is_ours
        finally:
            if is_ours:
                with suppress(RunStoreError):  # with the connection, the lock is gone
                    self.read("SELECT pg_advisory_unlock(?::bigint)", key)

    @contextmanager
    def told_plainly(self) -> Iterator[None]:
        """Turn an error of the server into one that says what to do.

        Raises:
            RunStoreError: in its place.
        """
        try:
            yield
        except psycopg.Error as error:
            raise RunStoreError(self._words_for(error)) from error

    def _words_for(self, error: psycopg.Error) -> str:
        if self.connection.closed or isinstance(error, _ENDED):
            resume = f": `afterburner-agent resume {self._claimed}` continues the run when the server is back"
            kept = f" What was stored is kept{resume}." if self._claimed else " Try again when the server is back."
            return f"The connection to the run store {self.place} was lost: {_line_of(error)}.{kept}"
        if isinstance(error, psycopg.errors.InsufficientPrivilege):
            advice = f"Let this user use the schema {SCHEMA} and what is in it, or make it: CREATE on the database"
        elif isinstance(error, psycopg.errors.DiskFull):
            advice = "Make room on the server; `afterburner-agent resume` then continues the run"
        else:
            advice = "Check the server, or unset AFTERBURNER_STORE to keep runs in a file here"
        return f"The run store {self.place} cannot be used: {_line_of(error)}. {advice}."


@contextmanager
def open_postgres(url: str, *, creates: bool) -> Iterator[PostgresDatabase | None]:
    """Connect to the server that a URL names; what that leaves open libpq takes from its variables and files.

    Without `creates`, nothing is made where there is no store, and None is given.

    Raises:
        RunStoreError: see `open_database`.
        SettingsError: libpq would read the URL otherwise than it was meant.
    """
    parameters = _parameters_of(url)
    place = _place_of(parameters)
    try:
        connection = psycopg.connect(
            "", autocommit=True, prepare_threshold=None, **cast("dict[str, Any]", {**_CLIENT, **parameters})
        )
    except psycopg.Error as error:
        raise RunStoreError(
            f"The run store {place} cannot be reached: {_line_of(error)}. Check the server, the user and the password "
            "(in AFTERBURNER_STORE, PGPASSWORD or ~/.pgpass), or unset AFTERBURNER_STORE to keep runs in a file here."
        ) from error
    with closing(connection):
        database = PostgresDatabase(place, connection)
        with database.told_plainly():
            yield database if database.set_up(creates=creates) else None


def _parameters_of(url: str) -> dict[str, object]:
    """What a URL sets. What libpq says of a wrong one, or of a password with an `@` in it, would show the password."""
    parameters: dict[str, object]
    try:
        parameters = dict(conninfo_to_dict(url))
    except psycopg.ProgrammingError:
        parameters = {"port": "?"}
    port = str(parameters.get("port") or "0").replace(",", "")
    if not port.isdigit() or any("@" in str(parameters.get(part) or "") for part in ("host", "dbname")):
        raise SettingsError(
            "AFTERBURNER_STORE cannot be read as postgresql://USER:PASSWORD@HOST:PORT/DATABASE. In a password "
            "@ is written %40, / is %2F, : is %3A and % is %25; or leave it to PGPASSWORD or ~/.pgpass."
        )
    return parameters


def _place_of(parameters: Mapping[str, object]) -> str:
    """The address as it may be shown."""
    user, host, port, name = (str(parameters.get(part) or "") for part in ("user", "host", "port", "dbname"))
    return f"postgresql://{user}{'@' if user else ''}{host}{':' if port else ''}{port}/{name}"


def _line_of(error: psycopg.Error) -> str:
    return " ".join((error.diag.message_primary or str(error)).split()).rstrip(".")


def _key_of(name: str) -> int:
    digest = hashlib.sha256(f"afterburner-agent {name}".encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
