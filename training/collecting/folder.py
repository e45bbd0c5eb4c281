"""The folder of a collection: what is asked for, the answers as they came, and what the judge said of them.

    collect.json       the settings, the data set and the benchmark: another call has to have the same
    answers.jsonl      a line for each answer
    judged.jsonl       a line for each answer that was judged
    requests/          the agent's store of answers that were paid for, with the ledger of what was used

The data set that is made of them lies there, too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from afterburner.agent.store.checkpoints import new_run_id
from afterburner.evals.files import LOCK, write_whole
from afterburner.training.collecting.lines import LinesFile
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

ABOUT, ANSWERS, JUDGED, REQUESTS = "collect.json", "answers.jsonl", "judged.jsonl", "requests"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer as it came.

    Attributes:
        row: of the data set, from 0.
        sample: number of the answer to this row, from 0.
        text: the whole answer.
        model: that gave it.
        finish_reason: `length`: the limit of tokens ended it.
    """

    row: int
    sample: int
    text: str
    model: str
    finish_reason: str


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection that was begun. One process at a time works on it."""

    path: Path
    session_id: str  # under which the use of models counts, however often the collection is resumed

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, Any]) -> Self:
        """Begin a collection, or go on with it.

        Args:
            path: the folder.
            identity: what a collection is of; by its keys a person is told what differs.

        Raises:
            TrainingError: the folder is of another collection, holds something else, or cannot be written.
        """
        about = path / ABOUT
        try:
            if not about.exists():
                _check_empty(path)
                document = {"format": FORMAT, "session": new_run_id(), **identity}
                write_whole(about, json.dumps(document, indent=1) + "\n")
            known = json.loads(about.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise TrainingError(f"{about} cannot be used: {error}. Give another --out.") from error
        if not isinstance(known, dict) or known.get("format") != FORMAT or "session" not in known:
            raise TrainingError(f"{path} is of another version of this program. Give another --out.")
        _check_same(path, known, identity)
        found = cls(path, known["session"])
        for each in (ANSWERS, JUDGED):
            found._file(each).mend()
        return found

    @property
    def requests(self) -> Path:
        """The folder of the answers that were paid for."""
        return self.path / REQUESTS

    def answers(self) -> list[StoredAnswer]:
        """The answers, by row and sample."""
        found = [StoredAnswer(**each) for each in self._file(ANSWERS).read()]
        return sorted(found, key=lambda each: (each.row, each.sample))

    def keep(self, answers: Iterable[StoredAnswer]) -> None:
        """Store answers; any thread may do so.

        Raises:
            TrainingError: the folder cannot be written.
        """
        self._file(ANSWERS).append(asdict(each) for each in answers)

    def judged(self) -> dict[tuple[int, int], dict[str, Any]]:
        """What the judge said, by row and sample; see `Scored.to_row`."""
        return {(each["row"], each["sample"]): each for each in self._file(JUDGED).read()}

    def keep_judged(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Store what the judge said.

        Raises:
            TrainingError: the folder cannot be written.
        """
        self._file(JUDGED).append(rows)

    def _file(self, name: str) -> LinesFile:
        return LinesFile(self.path / name)


def _check_empty(path: Path) -> None:
    if any(each.name != LOCK for each in path.iterdir()):
        raise TrainingError(f"{path} is not empty and holds no collection. Give another --out.")


def _check_same(path: Path, known: Mapping[str, Any], identity: Mapping[str, Any]) -> None:
    for name, value in identity.items():
        if known.get(name) != value:
            raise TrainingError(
                f"{path} was begun with another {name.replace('_', ' ')}: {known.get(name)}, and now {value}. Give the "
                "same, or another --out."
            )
