"""Reads a data set that a command of `train` wrote."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import CARD, FORMAT, ROWS
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.training.data.examples import Example


_ANSWERS = {
    Recipe.SFT: ("completion",),
    Recipe.DIRECT: ("completion",),
    Recipe.COLD_START: ("completion",),
    Recipe.DPO: ("chosen", "rejected"),
    Recipe.GRPO: (),
}


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set: its recipe, its rows, and its card."""

    recipe: Recipe
    rows: tuple[Example, ...]
    card: dict[str, Any]


def read_data(folder: Path) -> DataSet:
    """Read a data set whole.

    Raises:
        TrainingError: there is none, another version of this program has written it, or its file was changed since.
    """
    import pyarrow as pa  # noqa: PLC0415 - heavy
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
        content = (folder / ROWS).read_bytes()
    except (OSError, ValueError, RecursionError) as error:
        if not folder.is_dir():
            raise TrainingError(
                f"There is no folder {folder}, which is to hold a data set. Build one with afterburner-agent train "
                "data."
            ) from error
        why = getattr(error, "strerror", None) or error
        raise TrainingError(
            f"{folder} holds no data set: {CARD} or {ROWS} cannot be read ({why}).{_meant(folder)} Build one with "
            "afterburner-agent train data."
        ) from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise TrainingError(f"{folder} is of another version of this program. Rebuild it.")
    if hashlib.sha256(content).hexdigest() != card.get("sha256"):
        raise TrainingError(f"{folder / ROWS} is not what its card describes. Rebuild it.")
    try:
        recipe, source = Recipe(card["recipe"]), card["source"]
        # Without threads: one that begins as the process ends, since the data do not fit, would abort it.
        file = pq.ParquetFile(pa.BufferReader(content))
        rows = tuple(file.read(use_threads=False).to_pylist())
    except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{folder} cannot be read: {error}. Rebuild it.") from error
    if not rows or not isinstance(source, str):
        raise TrainingError(f"{folder} has {'a source that is not text' if rows else 'no rows'}. Rebuild it.")
    for number, row in enumerate(rows):
        if wrong := _wrong_column(row, recipe):
            raise TrainingError(f"{folder}: the {wrong} of row {number} cannot be used. Rebuild the data set.")
    return DataSet(recipe, rows, card)


def _meant(folder: Path) -> str:
    """The data sets in a folder that is none itself."""
    found = sorted(str(each.parent) for each in folder.glob(f"*/{CARD}"))
    return f" Did you mean {' or '.join(found)}?" if found else ""


def _wrong_column(row: Example, recipe: Recipe) -> str:
    """The first column that is not what trainers take; empty: there is none."""
    for name in ("prompt", *_ANSWERS[recipe]):
        if not _is_conversation(row.get(name), is_answer=name != "prompt"):
            return name
    texts = ("problem_id", "objective", "original") if recipe is Recipe.GRPO else ()
    return next((name for name in texts if not isinstance(row.get(name), str)), "")


def _is_conversation(messages: object, *, is_answer: bool) -> bool:
    if not isinstance(messages, list) or not messages or (is_answer and len(messages) > 1):
        return False
    return all(
        isinstance(each, dict)
        and isinstance(each.get("content"), str)
        and (each.get("role") == "assistant" if is_answer else each.get("role") in ("system", "user", "assistant"))
        for each in messages
    )
