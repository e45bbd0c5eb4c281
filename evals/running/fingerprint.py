"""What a run was begun with, so that it is not gone on with something else: its dataset, and its machine."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.evals.datasets.built import ABOUT
from afterburner.evals.errors import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from afterburner.evals.running.settings import EvaluationSettings

_OF_MACHINE = ("cpu_model", "cpus", "memory_kib", "backend", "tier", "python")
_PIECE_BYTES = 1 << 20


def with_full_paths(settings: EvaluationSettings) -> EvaluationSettings:
    """The same settings, whichever folder the run is resumed from."""
    return replace(settings, dataset=_full(settings.dataset), source=_full(settings.source))


def dataset_sha256(settings: EvaluationSettings) -> str:
    """The hash of a dataset that is a file, or of what a built benchmark was made by; empty: it is something else."""
    place = Path(settings.source or settings.dataset)
    path = place / ABOUT if place.is_dir() else place
    if not path.is_file():
        return ""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            found.update(piece)
    return found.hexdigest()


def check_dataset(settings: EvaluationSettings, known: str) -> None:
    """Refuse to go on with another dataset.

    Raises:
        EvaluationError: it is not the one that the run was begun with.
    """
    if known and dataset_sha256(settings) != known:
        raise EvaluationError(
            f"{settings.source or settings.dataset} is not what the run was begun with: it was changed, or it is gone. "
            "Put it back, or begin another run."
        )


def check_machine(known: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to mix the figures of two machines in one run.

    Raises:
        EvaluationError: this is another machine than the run was begun on.
    """
    changed = [f"{name} {known.get(name)}, now {now[name]}" for name in _OF_MACHINE if known.get(name) != now[name]]
    if changed:
        raise EvaluationError(
            f"The run was begun on another machine ({'; '.join(changed)}). Figures of two machines cannot be compared. "
            "Go on there, or begin another run here."
        )


def _full(place: str) -> str:
    return str(Path(place).resolve()) if place and Path(place).exists() else place
