"""What a reader of a dataset is given beside the record: a sandbox for what has to be run, and what was asked for.

A reader is a function `read_<layout>(record, context)` that returns a `BenchmarkProblem`, or raises a `RecordError`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.datasets.records import Record
from afterburner.evals.errors import DatasetError
from afterburner.evals.problems import BenchmarkProblem

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox


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
    """

    sandbox: Callable[[], Sandbox] = no_sandbox
    dataset: str = ""
    configuration: str = ""
    split: str = "test"


Reader = Callable[[Record, ReadingContext], BenchmarkProblem]
