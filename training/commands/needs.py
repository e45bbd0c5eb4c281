"""Training's libraries are an extra: whoever lacks them is told how to get them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator

_OTHER_EXTRAS = {"duckdb": "evals", "matplotlib": "evals", "numpy": "evals", "scipy": "evals", "vllm": "vllm"}
_OURS = frozenset({"accelerate", "datasets", "peft", "pyarrow", "tensorboard", "torch", "transformers", "trl", "yaml"})


@contextmanager
def needing_training() -> Iterator[None]:
    """Say which extra is missing, where one is.

    Raises:
        TrainingError: a library of training is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _OURS | _OTHER_EXTRAS.keys():
            raise
        extra = _OTHER_EXTRAS.get(missing, "train")
        raise TrainingError(
            f"This needs {missing}, which is not installed. Install it: pip install '.[{extra}]' in the clone."
        ) from error
