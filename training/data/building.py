"""Builds a data set from problems with measured solutions."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from afterburner.evals.problems import Rejected
from afterburner.training.data.card import Card
from afterburner.training.data.duplicates import Duplicates
from afterburner.training.data.examples import examples_of
from afterburner.training.data.writing import check_place, write_data
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from afterburner.evals.problems import BenchmarkProblem, Loaded
    from afterburner.training.data.contamination import HeldOut
    from afterburner.training.data.examples import Example
    from afterburner.training.data.settings import DataSettings

_NO_GAP = (
    "No problem has {}. Build the benchmark with more solutions or cases, so that they differ, or lower --least-gap."
)
_NEEDED = {"sft": "two solutions with such a gap", "dpo": "three solutions with such gaps"}


def build_data(
    problems: Iterable[Loaded],
    settings: DataSettings,
    held_out: HeldOut,
    out: Path,
    *,
    source: str = "",
    caution: str = "",
    on_problem: Callable[[int, str], object] = lambda *_: None,
) -> Card:
    """Build a data set from problems with measured solutions.

    The same problems and settings give the same file, byte for byte, with the same version of pyarrow.

    Args:
        problems: with measured solutions, and the records that are none.
        settings: what is built.
        held_out: problems that may not be trained on.
        out: the folder; what an earlier call wrote there is replaced.
        source: where the problems are from, for the card.
        caution: a sentence about problems that are missing there, likewise; or empty.
        on_problem: is told how many problems are done, and the last one's id.

    Raises:
        TrainingError: there is no example, or the folder cannot be written.
    """
    check_place(out, settings.recipe)
    card = Card(settings.recipe, caution=caution)
    rows = list(_rows(problems, settings, held_out, card, on_problem))
    if not rows:
        why = _NO_GAP.format(_NEEDED.get(settings.recipe.value, "a measured solution"))
        raise TrainingError(why if not card.left_out else f"{why} Left out: {card.left_out[0]}")
    document = {
        "source": source,
        "held_out_problems": held_out.count,
        "held_out_unreadable": held_out.unreadable,
        "settings": asdict(settings),
        **card.to_document(),
    }
    write_data(rows, document, card.to_markdown(), out)
    return card


def _rows(
    problems: Iterable[Loaded],
    settings: DataSettings,
    held_out: HeldOut,
    card: Card,
    on_problem: Callable[[int, str], object],
) -> Iterator[Example]:
    """The examples of all problems, each once."""
    seen = Duplicates()
    for done, problem in enumerate(problems, start=1):
        if isinstance(problem, Rejected):
            card.left_out.append(problem.line)
            continue
        on_problem(done, problem.id)
        yield from _new(problem, settings, held_out, card, seen)


def _new(
    problem: BenchmarkProblem, settings: DataSettings, held_out: HeldOut, card: Card, seen: Duplicates
) -> Iterator[Example]:
    if reason := held_out.reason(problem):
        card.left_out.append(f"{problem.id}: {reason}")
        return
    known = card.problems
    yield from seen.pick_new(examples_of(problem, settings), card)
    if card.problems == known:
        card.left_out.append(f"{problem.id}: it has too few solutions with a gap between them")
