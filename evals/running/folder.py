"""The folder of an evaluation: what was asked, what is done, and what is being worked on."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from afterburner.agent import Caps
from afterburner.evals.errors import EvaluationError
from afterburner.evals.files import LOCK, cannot_write, claimed, write_whole
from afterburner.evals.running.fingerprint import check_dataset, check_machine, dataset_sha256
from afterburner.evals.running.settings import EvaluationSettings
from afterburner.evals.tables import (
    ABOUT,
    COMPLETE,
    REJECTED,
    TABLES,
    file_key,
    is_whole,
    read_about,
    read_rows,
    write_rows,
)
from afterburner.sandbox.extras import DISTRIBUTION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from afterburner.evals.tables import Row

FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where an evaluation is stored. `loops` is the store of the agent's runs and of the models' answers."""

    path: Path
    name: str
    settings: EvaluationSettings
    session_id: str  # under which the use of models counts, however often the evaluation is resumed
    about: Mapping[str, Any] = field(default_factory=dict)  # `run.json`

    @property
    def loops(self) -> Path:
        """The store that the session of the loops uses."""
        return self.path / "loops"

    @classmethod
    def create(
        cls,
        path: Path,
        name: str,
        settings: EvaluationSettings,
        *,
        session_id: str,
        machine: Mapping[str, Any],
        caps: Caps,
        records: int = 0,
    ) -> RunFolder:
        """Begin an evaluation in a new folder.

        Args:
            path: of the folder.
            name: of the run.
            settings: what is asked for.
            session_id: see the attribute.
            machine: where it is begun.
            caps: on the use of models, which hold for good.
            records: that the data holds, those that are not asked for among them; 0: not known.

        Raises:
            EvaluationError: the folder holds something already, or cannot be written.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            _check_empty(path)
            with claimed(path):
                _check_empty(path)  # another process may have begun in between
                document = {
                    "format": FORMAT,
                    "name": name,
                    "settings": settings.to_document(),
                    "machine": dict(machine),
                    "session": session_id,
                    "dataset_sha256": dataset_sha256(settings),
                    "dataset_records": records,
                    "version": version(DISTRIBUTION),
                    "begun": datetime.now(UTC).isoformat(timespec="seconds"),
                    "caps": asdict(caps),
                }
                write_whole(path / ABOUT, json.dumps(document, indent=1))
        except OSError as error:
            raise cannot_write(path, error) from error
        return cls(path, name, settings, session_id, document)

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """Open the folder of an evaluation that was begun.

        Raises:
            EvaluationError: there is none, or another version of this program has written it.
        """
        about = read_about(path)
        if about.get("format") != FORMAT or not isinstance(about.get("session"), str):
            raise EvaluationError(f"{path} is of another version of this program. Read it with that one.")
        return cls(path, about["name"], EvaluationSettings.from_document(about["settings"]), about["session"], about)

    def caps_with(self, given: Caps) -> Caps:
        """The caps that the run was begun with, but for those that are given now."""
        known = self.about.get("caps") or {}
        return Caps(**{name: known.get(name) if value is None else value for name, value in asdict(given).items()})

    def check(self, machine: Mapping[str, Any] | None) -> None:
        """Refuse to go on with another dataset, or on another machine; None: a cluster has machines of its own.

        Raises:
            EvaluationError: one of them is not what the run was begun with.
        """
        check_dataset(self.settings, self.about.get("dataset_sha256", ""))
        if machine is not None:
            check_machine(self.about.get("machine", {}), machine)

    def say_whether_complete(self, *, is_complete: bool) -> None:
        """Note that nothing is left to do, or that something is.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        try:
            if is_complete:
                write_whole(self.path / COMPLETE, "")
            else:
                (self.path / COMPLETE).unlink(missing_ok=True)
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def keep_rejected(self, lines: Sequence[str]) -> None:
        """Store which records of the dataset cannot be used, and why; an earlier list is replaced.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        try:
            write_whole(self.path / REJECTED, json.dumps(list(lines), indent=1))
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def clear_unfinished(self) -> None:
        """Remove what a kill has cut short; only for the process that has claimed the folder."""
        for pattern in (".*.unfinished", "*/.*.unfinished"):
            for path in self.path.glob(pattern):
                path.unlink(missing_ok=True)

    def is_done(self, problem_id: str) -> bool:
        """Whether all of a problem is stored, and nothing of it was damaged since."""
        return self._is_whole(file_key(problem_id))

    def _is_whole(self, key: str) -> bool:
        return all(is_whole(self.path, table, key) for table in TABLES)

    def stored(self) -> dict[str, bool]:
        """The ids of the problems that are done, and whether each could be evaluated.

        Raises:
            EvaluationError: a file is damaged.
        """
        keys = [path.stem for path in sorted((self.path / "problems").glob("*.parquet"))]
        whole = [key for key in keys if self._is_whole(key)]
        rows = [row for key in whole for row in read_rows(self.path, "problems", key)]
        return {row["problem_id"]: not row["reason"] for row in rows}

    def keep(self, problem_id: str, rows: Mapping[str, Sequence[Row]]) -> None:
        """Store all tables of a problem; the one that says that it is done comes last.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        key = file_key(problem_id)
        try:
            for table in sorted(TABLES, key=lambda each: each == "problems"):
                write_rows(self.path, table, key, rows.get(table, ()))
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def loop_begun(self, problem_id: str, generation: int) -> str:
        """The id of the agent's run that works on a generation; empty: none was begun."""
        try:
            return self._begun(problem_id, generation).read_text("ascii").strip()
        except FileNotFoundError:
            return ""

    def begin_loop(self, problem_id: str, generation: int, run_id: str) -> None:
        """Note the id of the agent's run, so that it can be resumed.

        Raises:
            EvaluationError: the folder cannot be written.
        """
        path = self._begun(problem_id, generation)
        try:
            path.parent.mkdir(exist_ok=True)
            write_whole(path, run_id)
        except OSError as error:
            raise cannot_write(self.path, error) from error

    def forget_loop(self, problem_id: str, generation: int) -> None:
        """Forget it again: the next attempt begins anew."""
        self._begun(problem_id, generation).unlink(missing_ok=True)

    def _begun(self, problem_id: str, generation: int) -> Path:
        return self.path / "begun" / f"{file_key(problem_id)}.{generation}"


def _check_empty(path: Path) -> None:
    if any(each.name != LOCK for each in path.iterdir()):
        raise EvaluationError(
            f"{path} is not empty. Give another folder, or go on with it: afterburner-agent eval resume {path}"
        )
