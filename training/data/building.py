"""Builds a data set: a folder with `train.parquet`, `card.json`, and the card as `README.md`."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from afterburner.evals.files import write_whole
from afterburner.evals.problems import Rejected
from afterburner.training.data.card import Card
from afterburner.training.data.examples import examples_of
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from afterburner.evals.problems import BenchmarkProblem, Loaded
    from afterburner.training.data.contamination import HeldOut
    from afterburner.training.data.examples import Example
    from afterburner.training.data.settings import DataSettings

ROWS, CARD, PAGE = "train.parquet", "card.json", "README.md"
FORMAT = 1
_NO_GAP = (
    "No problem has {}. Build the benchmark with more solutions or cases, so that they differ, or lower --least-gap."
)
_NEEDED = {"sft": "two solutions with such a gap", "dpo": "three solutions with such gaps"}


def build_data(
    problems: Iterable[Loaded],
    settings: DataSettings,
    held_out: HeldOut,
    out: Path,
    *,
    source: str = "",
    on_problem: Callable[[int, str], object] = lambda *_: None,
) -> Card:
    """Build a data set from problems with measured solutions.

    The same problems and settings give the same file, byte for byte, with the same version of pyarrow.

    Args:
        problems: with measured solutions, and the records that are none.
        settings: what is built.
        held_out: problems that may not be trained on.
        out: the folder; what an earlier call wrote there is replaced.
        source: where the problems are from, for the card.
        on_problem: is told how many problems are done, and the last one's id.

    Raises:
        TrainingError: there is no example, or the folder cannot be written.
    """
    card = Card(settings)
    rows = list(_rows(problems, settings, held_out, card, on_problem))
    if not rows:
        why = _NO_GAP.format(_NEEDED.get(settings.recipe.value, "a measured solution"))
        raise TrainingError(why if not card.left_out else f"{why} Left out: {card.left_out[0]}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        _write_parquet(rows, out / ROWS)
        document = {
            "format": FORMAT,
            "source": source,
            "held_out_problems": held_out.count,
            "held_out_unreadable": held_out.unreadable,
            "settings": asdict(settings),
            "sha256": hashlib.sha256((out / ROWS).read_bytes()).hexdigest(),
            **card.to_document(),
        }
        write_whole(out / CARD, json.dumps(document, indent=1, default=str) + "\n")
        write_whole(out / PAGE, card.to_markdown())
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}.") from error
    return card


def _rows(
    problems: Iterable[Loaded],
    settings: DataSettings,
    held_out: HeldOut,
    card: Card,
    on_problem: Callable[[int, str], object],
) -> Iterator[Example]:
    """The examples of all problems, each once."""
    seen: set[str] = set()
    for done, problem in enumerate(problems, start=1):
        if isinstance(problem, Rejected):
            card.left_out.append(problem.line)
            continue
        on_problem(done, problem.id)
        yield from _new(problem, settings, held_out, card, seen)


def _new(
    problem: BenchmarkProblem, settings: DataSettings, held_out: HeldOut, card: Card, seen: set[str]
) -> Iterator[Example]:
    if reason := held_out.reason(problem):
        card.left_out.append(f"{problem.id}: {reason}")
        return
    found = False
    for example in examples_of(problem, settings):
        texts = [example.get(part) for part in ("prompt", "completion", "chosen", "rejected")]
        key = hashlib.sha256(json.dumps(texts).encode()).hexdigest()
        if key in seen:
            card.duplicates += 1
            continue
        seen.add(key)
        card.add(example)
        found = True
        yield example
    card.problems += found
    if not found:
        card.left_out.append(f"{problem.id}: it has too few solutions with a gap between them")


def _write_parquet(rows: list[Example], path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    unfinished = path.with_suffix(".unfinished")
    pq.write_table(pa.Table.from_pylist(rows), unfinished, compression="zstd")
    unfinished.replace(path)
