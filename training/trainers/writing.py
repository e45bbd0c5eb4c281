"""Writes models in one piece or not at all."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from safetensors import SafetensorError

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# How a full disk shows: torch raises a RuntimeError, and safetensors an error of its own.
WRITE_ERRORS = (OSError, RuntimeError, SafetensorError)


def is_write_error(error: Exception) -> bool:
    """Whether one of `WRITE_ERRORS` is of writing. Memory that runs out, or a process that is lost, is none."""
    return not isinstance(error, RuntimeError) or "writ" in str(error).lower()


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a folder to write to, which gets its name when everything is written.

    Raises:
        TrainingError: something cannot be written.
    """
    unfinished = out.with_name(f"{out.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)  # of a process that was killed
    try:
        yield unfinished
        unfinished.replace(out)
    except WRITE_ERRORS as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        if not is_write_error(error):
            raise
        raise TrainingError(
            f"{out} cannot be written: {' '.join(str(error).split())}. Free some space and run the same command again."
        ) from error
