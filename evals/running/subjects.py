"""What an evaluation works on: the problems of a dataset, or the functions of packages."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.evals.datasets.packages.functions import NAME, PackageFunction, load_packages
from afterburner.evals.datasets.registry import load_problems
from afterburner.evals.problems import BenchmarkProblem, Rejected
from afterburner.evals.running.one_function import evaluate_function
from afterburner.evals.running.one_problem import ProblemEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from afterburner.evals.running.folder import RunFolder
    from afterburner.evals.running.loops import LoopRunner
    from afterburner.evals.tables import Row
    from afterburner.sandbox import Sandbox

Subject = BenchmarkProblem | PackageFunction


def load_subjects(folder: RunFolder, sandbox: Callable[[], Sandbox]) -> Iterator[Subject | Rejected]:
    """What the settings of a run ask for, one at a time.

    Raises:
        DatasetError: the dataset cannot be read.
    """
    settings = folder.settings
    if settings.dataset == NAME:
        archives = Path(settings.source) if settings.source else None
        found: Iterator[Subject | Rejected] = load_packages(folder.path / NAME, settings.only, archives=archives)
        yield from _first(found, settings.limit)
        return
    yield from load_problems(
        settings.dataset,
        split=settings.split or ("" if Path(settings.dataset).exists() else "test"),
        configuration=settings.configuration,
        source=settings.source or None,
        sandbox=sandbox,
        limit=settings.limit,
        only=settings.only,
    )


def evaluate_subject(
    loops: LoopRunner, subject: Subject, on_measured: Callable[[str, int, int], object] = lambda *_: None
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
