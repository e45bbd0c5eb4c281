"""Finds out before anything is written that an evaluation cannot be what was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.evals.datasets.registry import check_known, is_named, load_problems, split_meant, states_limits
from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.running.loops import LeftOutError, starting_code
from afterburner.evals.running.settings import Start

if TYPE_CHECKING:
    from afterburner.evals.running.settings import EvaluationSettings

_QUICKLY_READ_BYTES = 32 << 20


def check_request(settings: EvaluationSettings) -> None:
    """Check the settings against the dataset, as far as it tells that quickly.

    Raises:
        DatasetError: there is no such dataset, or a small file of one's own cannot be read.
        UsageError: a split of a single file is asked for, a time limit of problems that state their own, or code to
            begin with that no problem has.
    """
    check_known(settings.dataset)
    place = Path(settings.source or settings.dataset)
    if settings.split and place.is_file():
        raise UsageError(f"--split {settings.split}: {place} is one file, which is read whole; leave --split out.")
    if settings.case_seconds is not None and states_limits(settings.dataset):
        raise UsageError(
            f"--case-seconds {settings.case_seconds:g}: the problems of {settings.dataset} have the time limits of its "
            "own evaluation. Leave --case-seconds out."
        )
    _check_start(settings)


def _check_start(settings: EvaluationSettings) -> None:
    """Refuse code to begin with that no problem of a file of one's own has."""
    path = Path(settings.dataset)
    if (
        settings.start is Start.NONE
        or is_named(settings.dataset)
        or not path.is_file()
        or path.stat().st_size > _QUICKLY_READ_BYTES
    ):
        return
    split, first = split_meant(settings.dataset, settings.split), ""
    for each in load_problems(settings.dataset, split=split, limit=settings.limit, only=settings.only):
        if not isinstance(each, BenchmarkProblem):
            continue
        try:
            starting_code(each, settings)
        except LeftOutError as error:
            first = first or str(error)
        else:
            return
    if first:
        raise UsageError(f"--start {settings.start}: no problem of {path} has such code. The first of them: {first}")
