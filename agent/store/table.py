"""The table of runs: begun, prepared, finished, forgotten."""

from __future__ import annotations

import difflib
import os
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import RunInUseError, RunNotFoundError, RunStoreError
from afterburner.agent.loop.results import RunResult
from afterburner.agent.store.batch_state import ManyState
from afterburner.agent.store.codec import from_bytes, from_text, to_bytes, to_text
from afterburner.agent.store.connect import STORE_VARIABLE, open_database, open_existing_database
from afterburner.agent.store.improved_runs import improved_run_ids
from afterburner.agent.store.stored_run import FORMAT, MEMBER, KeptRun, Prepared, RunState, owner_of
from afterburner.agent.types import Target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from afterburner.agent.store.database import Database, Statement
    from afterburner.agent.store.stored_run import StoredRequest

LATEST = "latest"
KEPT_RUNS = 100
KEPT_BYTES = 512 * 1024 * 1024  # of the workloads of runs that did not end
NAMED = 5
IMPROVEMENTS = 20  # of one file
_LISTED = "run_id, begun_s, file, function, model, decision, gain, result IS NOT NULL, format, length(target)"


@dataclass(frozen=True, slots=True)
class RunTable:
    """Reads and writes the runs. Every method raises `RunStoreError` where the store fails."""

    database: Database

    def claimed(self, run_id: str) -> AbstractContextManager[None]:
        """Keep every other process off a run.

        Raises:
            RunInUseError: another process works on it.
        """
        return self.database.claimed(run_id)

    def begin(self, run_id: str, asked: StoredRequest, target: Target | None) -> None:
        """Keep what was asked for, before any work is done; the oldest runs go. Without a target it is over many."""
        file, function = (target.path, target.function) if target else (asked.place_of(asked.settings.file), None)
        self._forget_old()
        row = (
            run_id, FORMAT, time.time(), file, function, asked.settings.models.model, to_text(asked),
            to_bytes(target) if target else b"",
        )  # fmt: skip
        columns = "run_id, format, begun_s, file, function, model, asked, target"
        self.database.write((f"INSERT INTO runs ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row))  # noqa: S608

    def keep_asked(self, run_id: str, asked: StoredRequest) -> None:
        """Keep what is asked for from now on."""
        self.database.write(("UPDATE runs SET asked = ? WHERE run_id = ?", (to_text(asked), run_id)))

    def keep_prepared(self, run_id: str, prepared: Prepared) -> None:
        """Keep what was found out before the loop begins."""
        values = (prepared.target.function, to_bytes(prepared), run_id)
        self.database.write(("UPDATE runs SET function = ?, prepared = ? WHERE run_id = ?", values))

    def keep_many(self, run_id: str, state: ManyState) -> None:
        """Keep what was found out so far by a run over many targets."""
        self.database.write(("UPDATE runs SET prepared = ? WHERE run_id = ?", (to_bytes(state), run_id)))

    def finish_many(self, run_id: str, state: ManyState, decision: str) -> None:
        """Keep what was found out by a run over many targets that is over."""
        statement = "UPDATE runs SET result = ?, decision = ?, prepared = NULL WHERE run_id = ?"
        self.database.write((statement, (to_bytes(state), decision, run_id)))

    def many(self, run_id: str) -> ManyState | None:
        """What a run over many targets has found out so far; None before its profile."""
        data = self._blob("result", run_id) or self._blob("prepared", run_id)
        return None if data is None else from_bytes(ManyState, data)

    def members(self, run_id: str) -> list[str]:
        """The ids of the runs on one target each that belong to a run over many, in their order."""
        query = "SELECT run_id FROM runs WHERE run_id LIKE ? ORDER BY begun_s"
        return [member for (member,) in self.database.read(query, f"{run_id}{MEMBER}%")]

    def count_tests(self, run_id: str, begun: int) -> None:
        """Keep how many tests of the run have come to a look."""
        self.database.write(("UPDATE runs SET tests_begun = ? WHERE run_id = ?", (begun, run_id)))

    def finish(self, run_id: str, result: RunResult) -> None:
        """Keep the result; what was needed to go on, the checkpoints too, goes."""
        gain = result.gain and result.gain.ratio
        statement = "UPDATE runs SET result = ?, decision = ?, gain = ?, prepared = NULL WHERE run_id = ?"
        values = (to_bytes(result), result.decision.value, gain, run_id)
        self.database.write((statement, values), *self._without_checkpoints(run_id))

    def forget(self, run_id: str) -> None:
        """Take a run away with all that belongs to it."""
        for each in (run_id, *self.members(run_id)):
            self.database.write(("DELETE FROM runs WHERE run_id = ?", (each,)), *self._without_checkpoints(each))
            self.database.drop_claim(each)

    def asked(self, run_id: str) -> StoredRequest:
        """What was asked for."""
        return from_text(str(self._read("asked", run_id)))

    def target(self, run_id: str) -> Target:
        """The file as it was read when the run was started."""
        return from_bytes(Target, self._blob("target", run_id) or b"")

    def prepared(self, run_id: str) -> Prepared | None:
        """What was found out before the loop began; None before that."""
        data = self._blob("prepared", run_id)
        return None if data is None else from_bytes(Prepared, data)

    def tests_begun(self, run_id: str) -> int:
        """How many tests of the run have come to a look."""
        begun = self._read("tests_begun", run_id)
        return begun if isinstance(begun, int) else 0

    def result(self, run_id: str) -> RunResult | None:
        """What came of the run; None if it is not over."""
        data = self._blob("result", run_id)
        return None if data is None else from_bytes(RunResult, data)

    def improvements(self, path: str, most: int) -> Iterator[RunResult]:
        """The proven rewrites of a file's functions, the newest first, a few of each. Damaged ones are left out."""
        for run_id in improved_run_ids(self.database, path)[:most]:
            rows = self.database.read("SELECT result FROM runs WHERE run_id = ?", run_id)
            found: RunResult | None = None
            with suppress(RunStoreError):
                found = from_bytes(RunResult, rows[0][0]) if rows else None
            if found is not None:
                yield found

    def all(self, *, members: bool = False) -> list[KeptRun]:
        """All runs, the newest first; those that belong to a run over many targets only if `members` are wanted."""
        rows = self.database.read(f"SELECT {_LISTED} FROM runs ORDER BY run_id DESC")  # noqa: S608
        rows = [row for row in rows if members or MEMBER not in row[0]]
        claimed = self.database.claimed_among(row[0] for row in rows)
        return [_kept(row, is_claimed=row[0] in claimed) for row in rows]

    def find(self, name: str, *, suggests: bool = True) -> KeptRun:
        """The run of this id, or whose id alone begins so, or the `latest`; `suggests`: the error names similar ones.

        Raises:
            RunNotFoundError: there is none, or more than one.
        """
        runs = self.all(members=MEMBER in name)
        if not runs:
            raise RunNotFoundError("No run is stored. `afterburner-agent run FILE` starts one.")
        if name == LATEST:
            return runs[0]
        found = [run for run in runs if run.run_id == name] or [run for run in runs if run.run_id.startswith(name)]
        if len(found) == 1:
            return found[0]
        if found:
            told = f"{len(found)} runs begin with {name!r}: {', '.join(run.run_id for run in found[:NAMED])}"
            raise RunNotFoundError(f"{told}{', …' if len(found) > NAMED else ''}. Give more of the id.")
        if not suggests:
            raise RunNotFoundError(f"There is no run {name!r}.")
        near = difflib.get_close_matches(name, [run.run_id for run in runs], n=NAMED)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`afterburner-agent runs` lists those that there are."
        raise RunNotFoundError(f"There is no run {name!r}. {hint}")

    def _forget_old(self) -> None:
        """Take away what is beyond the bounds, but nothing that is being worked on."""
        query = "SELECT run_id, coalesce(length(prepared), 0) FROM runs ORDER BY run_id DESC"
        rows = self.database.read(query)
        strays = "SELECT DISTINCT thread_id FROM checkpoints WHERE thread_id NOT IN (SELECT run_id FROM runs)"
        old = [run_id for (run_id,) in self.database.read(strays)] if self.database.checkpoint_tables() else []
        sizes: dict[str, int] = {}  # of whole runs: what belongs to one over many targets stays and goes with it
        for run_id, size in rows:
            sizes[owner_of(run_id)] = sizes.get(owner_of(run_id), 0) + size
        taken = 0
        for place, (run_id, size) in enumerate(sorted(sizes.items(), reverse=True)):
            taken += size
            if place >= KEPT_RUNS - 1 or (size and taken > KEPT_BYTES):
                old.append(run_id)
        for run_id in old:
            self._forget_unused(run_id)

    def _forget_unused(self, run_id: str) -> None:
        """Forget a run unless it, or one that belongs with it, is worked on; nobody may begin to in between."""
        together = dict.fromkeys((owner_of(run_id), run_id, *self.members(run_id)))
        if self.database.claimed_among(together):  # by this process too, which might get a claim of its own twice
            return
        with suppress(RunInUseError), ExitStack() as claims:
            for each in together:
                claims.enter_context(self.database.claimed(each))
            self.forget(run_id)

    def _without_checkpoints(self, run_id: str) -> list[Statement]:
        tables = self.database.checkpoint_tables()
        return [(f"DELETE FROM {table} WHERE thread_id = ?", (run_id,)) for table in tables]  # noqa: S608

    def _blob(self, column: str, run_id: str) -> bytes | None:
        data = self._read(column, run_id)
        return data if isinstance(data, bytes) else None

    def _read(self, column: str, run_id: str) -> object:
        rows = self.database.read(f"SELECT {column} FROM runs WHERE run_id = ?", run_id)  # noqa: S608
        if not rows:
            raise RunStoreError(f"Run {run_id} is not stored any more.")
        return rows[0][0]


@contextmanager
def open_runs(folder: Path | None = None) -> Iterator[RunTable]:
    """Open the table of runs of the user, or the one in a folder.

    Raises:
        RunStoreError: see `open_database`.
    """
    with open_database(folder) as database:
        yield RunTable(database)


def runs_kept_here() -> list[KeptRun]:
    """All runs of the user's file, the newest first; none if there is no file yet, or if a server keeps them.

    Raises:
        RunStoreError: see `open_existing_database`.
    """
    if os.environ.get(STORE_VARIABLE):
        return []
    with open_existing_database() as database:
        return [] if database is None else RunTable(database).all()


def improvements_in(folder: Path | None, path: str, most: int) -> Iterator[RunResult]:
    """The improvements of a file in the same table, if there is one: none is made. See `RunTable.improvements`.

    Raises:
        RunStoreError: see `open_existing_database`.
    """
    with open_existing_database(folder) as database:
        if database is not None:
            yield from RunTable(database).improvements(path, most)


def _kept(row: tuple[Any, ...], *, is_claimed: bool) -> KeptRun:
    run_id, begun_s, file, function, model, decision, gain, is_over, stored_format, target_bytes = row
    unfinished = RunState.RUNNING if is_claimed else RunState.INTERRUPTED
    state = RunState.FINISHED if is_over else unfinished
    return KeptRun(
        run_id, state, begun_s, file, function, model, decision, gain, stored_format, is_many=not target_bytes
    )
