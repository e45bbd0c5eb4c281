"""What a reader of a dataset is given beside the record: a sandbox for what has to be run, and what was asked for.

A reader is a function `read_<layout>(record, context)` that returns a `BenchmarkProblem`, or raises a `RecordError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.job.problem import PAPER_LIMITS
from afterburner.evals.datasets.records import Record
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import BenchmarkProblem

if TYPE_CHECKING:
    from afterburner.sandbox import Limits, Sandbox


def no_sandbox() -> Sandbox:
    """Say that a sandbox is needed where none was given.

    Raises:
        DatasetError: always.
    """
    raise DatasetError(
        "This dataset's tests are made by code of its own, which runs in a sandbox alone. Give one: "
        "load_problems(…, sandbox=lambda: sandbox)."
    )


@dataclass(frozen=True, slots=True)
class ReadingContext:
    """What was asked for, and where code of a dataset may run.

    Attributes:
        sandbox: gives the sandbox that generators and converters of a dataset run in; called only where one is needed.
        dataset: the name by which `eval datasets` lists it.
        configuration: a part of the dataset, such as a language or a release; empty: the default one.
        split: `train`, `test`, ….
        case_seconds: what one case may take of a problem that states no limit; None: as in the paper.
    """

    sandbox: Callable[[], Sandbox] = no_sandbox
    dataset: str = ""
    configuration: str = ""
    split: str = "test"
    case_seconds: float | None = None

    @property
    def unstated_limits(self) -> Limits:
        """The limits of each case of a problem that states none."""
        if self.case_seconds is None:
            return PAPER_LIMITS
        return replace(PAPER_LIMITS, wall_time_s=self.case_seconds, cpu_time_s=self.case_seconds)


Reader = Callable[[Record, ReadingContext], BenchmarkProblem]
