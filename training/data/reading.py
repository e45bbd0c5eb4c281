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
    import pyarrow.parquet as pq  # noqa: PLC0415 - heavy

    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
        content = (folder / ROWS).read_bytes()
    except (OSError, ValueError) as error:
        raise TrainingError(
            f"{folder} holds no data set: {error}. Build one with afterburner-agent train data."
        ) from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        raise TrainingError(f"{folder} is of another version of this program. Rebuild it.")
    if hashlib.sha256(content).hexdigest() != card.get("sha256"):
        raise TrainingError(f"{folder / ROWS} is not what its card describes. Rebuild it.")
    return DataSet(Recipe(card["recipe"]), tuple(pq.read_table(folder / ROWS).to_pylist()), card)
