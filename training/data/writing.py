"""Writes the folder of a data set: `train.parquet`, `card.json`, and the card as `README.md`."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import LOCK, write_whole
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from afterburner.training.data.examples import Example

ROWS, CARD, PAGE = "train.parquet", "card.json", "README.md"
FORMAT = 1
_OF_A_COLLECTION = {LOCK, "collect.json", "answers.jsonl", "judged.jsonl", "requests"}


def check_place(out: Path, recipe: str) -> None:
    """Find out whether a folder may get a data set: an empty one, one of the same recipe, or a collection's.

    Raises:
        TrainingError: it holds something else, which would be lost.
    """
    try:
        held = [each.name for each in out.iterdir()] if out.exists() else []
        card = json.loads((out / CARD).read_text("utf-8")) if CARD in held else None
    except (OSError, ValueError, RecursionError) as error:
        raise TrainingError(f"{out} cannot be used: {error}. Give a new or empty folder.") from error
    if card is None and set(held) <= _OF_A_COLLECTION:
        return
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise TrainingError(f"{out} holds other files. Give a new or empty folder.")
    if card.get("recipe") != recipe:
        raise TrainingError(f"{out} holds a {card.get('recipe')} data set, not {recipe}. Give another folder.")


def write_data(rows: Sequence[Example], document: Mapping[str, Any], page: str, out: Path) -> None:
    """Write a data set; what an earlier call wrote there is replaced.

    Args:
        rows: the examples.
        document: the card, to which the format and the hash of the rows are added.
        page: the card as Markdown.
        out: the folder.

    Raises:
        TrainingError: the folder cannot be written, or holds something else.
    """
    check_place(out, str(document["recipe"]))
    try:
        out.mkdir(parents=True, exist_ok=True)
        _write_parquet(rows, out / ROWS)
        sha256 = hashlib.sha256((out / ROWS).read_bytes()).hexdigest()
        card = {"format": FORMAT, "sha256": sha256, **document}
        write_whole(out / CARD, json.dumps(card, indent=1, default=str) + "\n")
        write_whole(out / PAGE, page)
    except OSError as error:
        raise TrainingError(f"{out} cannot be written: {error.strerror or error}.") from error


def _write_parquet(rows: Sequence[Example], path: Path) -> None:
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    unfinished = path.with_suffix(".unfinished")
    pq.write_table(pa.Table.from_pylist(list(rows)), unfinished, compression="zstd")
    unfinished.replace(path)
