"""What an evaluation works on: the problems of a dataset, or the functions of packages."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.wording import count
from afterburner.evals.datasets.built import count_built, is_built
from afterburner.evals.datasets.packages.functions import NAME, PackageFunction, load_packages
from afterburner.evals.datasets.registry import is_named, load_problems, split_meant
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.errors import DatasetError, UnknownDatasetError
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.evals.running.one_function import evaluate_function
from afterburner.evals.running.one_problem import ProblemEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.loops import LoopRunner
    from afterburner.evals.running.settings import EvaluationSettings
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Sandbox

_QUICKLY_READ_BYTES = 32 << 20
_MANY = 1 << 31
Subject = BenchmarkProblem | PackageFunction


def load_subjects(folder: RunFolder, sandbox: Callable[[], Sandbox]) -> Iterator[Subject | Rejected]:
    """What the settings of a run ask for, one at a time.

    Raises:
        DatasetError: the dataset cannot be read.
    """
    settings = folder.settings
    found = _loaded(folder, sandbox)
    if settings.only and settings.dataset != NAME:  # packages check names by themselves
        yield from _all_of(found, settings)
    else:
        yield from found


def count_subjects(settings: EvaluationSettings) -> int:
    """How many problems are asked for, as far as that is cheaply known; 0: it is not."""
    if settings.only:
        return len(settings.only)
    place = Path(settings.source or settings.dataset)
    known = 0
    if place.is_dir() and is_built(place):
        known = count_built(place, settings.split)
    elif place.is_file() and place.stat().st_size <= _QUICKLY_READ_BYTES:
        with suppress(DatasetError):  # told when the problems are loaded
            known = sum(1 for _ in read_records(place))
    return min(known or _MANY, settings.limit) if settings.limit else known


@dataclass(frozen=True, slots=True)
class Expected:
    """How many problems a run is about to have, as far as that is cheaply known.

    Attributes:
        records: that are asked for; None: not known.
        all_usable: whether each of these records is known to be of use.
        limit: the most problems that are asked for; None: all.
    """

    records: int | None = None
    all_usable: bool = False
    limit: int | None = None

    def problems(self, rejected: int) -> int:
        """How many there are, where so many records have turned out to be of no use so far; 0: none, or not known."""
        if self.records is None:
            return self.limit or 0
        usable = self.records if self.all_usable else max(self.records - rejected, 0)
        return usable if self.limit is None else min(usable, self.limit)


def expect_subjects(settings: EvaluationSettings) -> Expected:
    """Count what a run is about to work on: in a small file of one's own, the problems that can be used."""
    if settings.only:
        return Expected(len(settings.only), all_usable=True, limit=settings.limit)
    path = Path(settings.dataset)
    if not is_named(settings.dataset) and path.is_file() and path.stat().st_size <= _QUICKLY_READ_BYTES:
        with suppress(DatasetError):  # told when the problems are loaded
            found = load_problems(settings.dataset, split=split_meant(settings.dataset, settings.split))
            usable = sum(isinstance(each, BenchmarkProblem) for each in found)
            return Expected(usable, all_usable=True, limit=settings.limit)
    return Expected(count_subjects(replace(settings, limit=None)) or None, limit=settings.limit)


def _all_of(found: Iterator[Subject | Rejected], settings: EvaluationSettings) -> Iterator[Subject | Rejected]:
    """All that `only` names, found before the work on the first begins.

    Raises:
        UnknownDatasetError: an id is nobody's.
    """
    every = list(found)
    missing = set(settings.only) - {each.id for each in every if not isinstance(each, Rejected)}
    if missing and (not settings.limit or missing == set(settings.only)):
        rejected = sum(isinstance(each, Rejected) for each in every)
        of = f" {count(rejected, 'record')} of it cannot be used." if rejected else ""
        raise UnknownDatasetError(
            f"{settings.dataset} has no problem of this id that can be used: {', '.join(sorted(missing))}.{of} "
            "Look at --only."
        )
    yield from every


def _loaded(folder: RunFolder, sandbox: Callable[[], Sandbox]) -> Iterator[Subject | Rejected]:
    settings = folder.settings
    if settings.dataset == NAME:
        archives = Path(settings.source) if settings.source else None
        found: Iterator[Subject | Rejected] = load_packages(folder.path / NAME, settings.only, archives=archives)
        yield from _first(found, settings.limit)
        return
    yield from load_problems(
        settings.dataset,
        split=split_meant(settings.dataset, settings.split),
        configuration=settings.configuration,
        source=settings.source or None,
        sandbox=sandbox,
        limit=settings.limit,
        only=settings.only,
        case_seconds=settings.case_seconds,
    )


def evaluate_subject(
    loops: LoopRunner, subject: Subject, on_measured: Callable[[str, str, int, int], object] = lambda *_: None
) -> Mapping[str, Sequence[Row]]:
    """Evaluate one of them, and return the rows of all tables; raises as `ProblemEvaluator.evaluate`."""
    if isinstance(subject, PackageFunction):
        return evaluate_function(loops, subject)
    return ProblemEvaluator(loops, subject, on_measured).evaluate()


def subject_to_json(subject: Subject) -> str:
    """A subject as another process can read it."""
    if isinstance(subject, PackageFunction):
        return json.dumps({"function": {**asdict(subject), "folder": str(subject.folder)}})
    return json.dumps({"problem": json.loads(subject.to_json())})


def subject_from_json(text: str) -> Subject:
    """Read what `subject_to_json` wrote.

    The folder of a package has to be there, on a file system that both processes see.

    Raises:
        RecordError: it is no such JSON.
    """
    known: dict[str, Any] = json.loads(text)
    if "function" in known:
        return PackageFunction(**{**known["function"], "folder": Path(known["function"]["folder"])})
    return BenchmarkProblem.from_json(known["problem"])


def _first(found: Iterator[Subject | Rejected], limit: int | None) -> Iterator[Subject | Rejected]:
    taken = 0
    for each in found:
        if limit is not None and taken >= limit:
            return
        taken += not isinstance(each, Rejected)
        yield each
