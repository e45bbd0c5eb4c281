"""The corpus of `make bench-judge`: functions in the manner of real code, with honest and with wrong rewrites of each.

It lies in `tests/judge_corpus/`, in two parts: `open`, written beside the judge, and `held_out`, written by somebody
who had not read it. A folder a function: `project/` as its owner has it, `case.toml`, the answers of a model, and for
each wrong one a witness: a script that prints something else with the rewrite in place.
"""

from __future__ import annotations

import shutil
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.answer_code import parse_answer_code
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.splice import splice

if TYPE_CHECKING:
    from collections.abc import Iterator

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "judge_corpus"
HELD_OUT = "held_out"
PARTS = ("open", HELD_OUT)


class Kind(StrEnum):
    """What a rewrite is, whatever the judge says of it."""

    HONEST = "honest"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CorpusRewrite:
    """One rewrite of a function of the corpus."""

    folder: Path  # of its function
    file: str  # in `project/`
    function: str
    title: str
    kind: Kind
    aspect: str  # of a wrong one: what differs, in a word or two; else empty
    answer: str  # what a model would answer: the function, with the imports and helpers that it needs
    witness: Path | None  # of a wrong one

    @property
    def part(self) -> str:
        """`open` or `held_out`."""
        return self.folder.parent.name

    @property
    def key(self) -> str:
        """Its name in results."""
        return f"{self.part}/{self.folder.name}: {self.title}"

    def copy_project(self, place: Path) -> Path:
        """Copy the project as its owner has it to a new folder; returns the file of the function there."""
        shutil.copytree(self.folder / "project", place, ignore=shutil.ignore_patterns("__pycache__"))
        return place / self.file

    def put_in_place(self, file: Path) -> None:
        """Write the rewrite into a copy of the project.

        Raises:
            RewriteError: it does not fit.
        """
        target = find_target(file, self.function)
        file.write_bytes(splice(target, parse_answer_code(self.answer, target)).encode(target.encoding))


def read_corpus(parts: tuple[str, ...] = PARTS) -> list[CorpusRewrite]:
    """All rewrites of these parts, in the order of their folders.

    Raises:
        ValueError: a `case.toml` is not as it has to be.
    """
    folders = (each for part in parts for each in sorted((CORPUS / part).glob("*/case.toml")))
    return [rewrite for case in folders for rewrite in _rewrites(case)]


def _rewrites(case: Path) -> Iterator[CorpusRewrite]:
    found: dict[str, Any] = tomllib.loads(case.read_text(encoding="utf-8"))
    for each in found["rewrites"]:
        kind = Kind(each["kind"])
        if (kind is Kind.WRONG) != ("witness" in each) or (kind is Kind.WRONG) != ("aspect" in each):
            raise ValueError(f"{case}: {each['title']}: wrong rewrites have an aspect and a witness, honest ones none.")
        yield CorpusRewrite(
            folder=case.parent,
            file=found["file"],
            function=found["function"],
            title=each["title"],
            kind=kind,
            aspect=each.get("aspect", ""),
            answer=(case.parent / each["answer"]).read_text(encoding="utf-8"),
            witness=case.parent / each["witness"] if "witness" in each else None,
        )
