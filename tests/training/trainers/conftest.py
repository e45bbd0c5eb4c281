"""One tiny model and small data sets for all tests of trainers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from afterburner.training.data.reading import read_data
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import write_data as rewrite_data

from .tiny import texts_of, write_data, write_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Mini:
    """Folders: a base model, and a data set for each method."""

    model: Path
    sft: Path
    dpo: Path
    grpo: Path
    cold: Path


@pytest.fixture(scope="session")
def mini(made_once: Callable[[str, Callable[[Path], object]], Path]) -> Mini:
    def fill(folder: Path) -> None:
        sft = write_data(folder / "sft", Recipe.SFT, examples=3)
        dpo = write_data(folder / "dpo", Recipe.DPO, examples=3)
        grpo = write_data(folder / "grpo", Recipe.GRPO, examples=2)
        rewrite_data(read_data(sft).rows, {"recipe": "cold-start", "source": ""}, "", folder / "cold-start")
        write_model(folder / "model", texts_of(sft, dpo, grpo))

    folder = made_once("mini", fill)
    return Mini(*(folder / name for name in ("model", "sft", "dpo", "grpo", "cold-start")))


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """A model this small is no faster on two, and the other tests need them."""
    import torch

    torch.set_num_threads(1)
