"""Writes models in one piece or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator

# How a full disk shows: torch raises a RuntimeError, and safetensors an error of its own.
WRITE_ERRORS = (OSError, RuntimeError, SafetensorError)
UNFINISHED = ".unfinished-"  # in the name of a folder that is not whole yet


def is_write_error(error: Exception) -> bool:
    """Whether one of `WRITE_ERRORS` comes from writing, and not from a lack of memory or a lost process."""
    return not isinstance(error, RuntimeError) or "writ" in str(error).lower()


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a folder to write to, which gets its name when everything is written.

    Raises:
        TrainingError: something cannot be written.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f"{out.name}{UNFINISHED}", dir=out.parent))
    except OSError as error:
        raise TrainingError(f"{out} cannot be created: {error.strerror or error}. Give another folder.") from error
    try:
        yield unfinished
        unfinished.chmod(0o777 & ~_umask())
        unfinished.replace(out)
    except WRITE_ERRORS as error:
        if not is_write_error(error):
            raise
        raise TrainingError(
            f"{out} cannot be written: {' '.join(str(error).split())}. Free some space and run the same command again."
        ) from error
    finally:  # also when somebody interrupts it
        shutil.rmtree(unfinished, ignore_errors=True)


def _umask() -> int:
    """The process's; there is no way to read it but to set it."""
    found = os.umask(0)
    os.umask(found)
    return found
