"""Reads a report that somebody else may have written: an artifact of a job that ran a stranger's pull request."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from pydantic import ValidationError

from afterburner.agent import UsageError
from afterburner.ci_action.report.document import CiDocument

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 8 * 1024 * 1024
REPORT = "report.json"


def read_report(place: Path) -> CiDocument:
    """Read a report and check everything in it. Nothing of it is run, and no other file is opened.

    Args:
        place: the file, or the folder that holds `report.json`.

    Raises:
        UsageError: there is no such file, it is a link or too large, or it is no report.
    """
    path = place / REPORT if place.is_dir() else place
    data = _bytes_of(path)
    try:
        return CiDocument.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part)[:40] for part in first["loc"][:6]) or "the document"
        raise UsageError(f"{path} is no report of `afterburner-agent ci`: {where}: {first['msg']}.") from None


def _bytes_of(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}. Give the report of a run.") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a regular file, so it is no report.")
    with os.fdopen(descriptor, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES >> 20} MiB, so it is no report.")
    return data
