"""Where the problems of a data set come from, and those that nothing may be trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.datasets.built import SPLITS, count_built, is_built, read_built, splits_in
from afterburner.evals.datasets.registry import load_problems
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from afterburner.evals.problems import Loaded

_TEST = "test"


def problems_of(benchmark: Path, split: str) -> Iterator[Loaded]:
    """The problems to train on.

    Raises:
        TrainingError: they were not measured by `eval build`, are those that are tested on, or there are none.
    """
    if not is_built(benchmark):
        what = "is no benchmark of eval build" if benchmark.exists() else "is not there"
        raise TrainingError(
            f"--from {benchmark}: it {what}. Pairs need solutions that were measured on one machine: build "
            "one with afterburner-agent eval build."
        )
    if split == _TEST:
        raise TrainingError("The split test is for evaluation, so that nothing is trained on it. Give another --split.")
    if split not in SPLITS or not count_built(benchmark, split):
        raise TrainingError(
            f"--split {split}: {benchmark} has no problem of it. It has {splits_in(benchmark)}. {_advice(split)}"
        )
    return read_built(benchmark, split)


def _advice(split: str) -> str:
    if split not in SPLITS:
        return f"Give --split {SPLITS[0]}."
    return (
        "Which problems are for training is decided as a benchmark is built: run eval build again with another --out "
        "and a smaller --test-share; with --test-share 0, all are for training."
    )


def held_out_problems(benchmark: Path, split: str, others: Iterable[Path]) -> Iterator[Loaded]:
    """The problems for testing in the benchmark itself, and all of the others, with the records that are none.

    Raises:
        DatasetError: one of the others cannot be read.
    """
    if is_built(benchmark) and split != _TEST:
        yield from read_built(benchmark, _TEST)
    yield from evaluation_problems(others)


def evaluation_problems(places: Iterable[Path]) -> Iterator[Loaded]:
    """The problems of evaluation sets: of a plain folder or file, those for testing; and the records that are none.

    Raises:
        DatasetError: one of them cannot be read.
    """
    for other in places:
        yield from load_problems(str(other), split="" if other.is_dir() and is_built(other) else _TEST)
