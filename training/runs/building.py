"""Builds a data set of stored runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_source
from afterburner.agent.job.problem import Problem
from afterburner.sandbox import AfterburnerError
from afterburner.training.data.card import Card
from afterburner.training.data.duplicates import Duplicates
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import check_place, write_data
from afterburner.training.errors import TrainingError
from afterburner.training.runs.examples import NoExampleError, examples_of
from afterburner.training.runs.reading import ProvenRun, UnreadableRun, proven_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.training.data.contamination import HeldOut
    from afterburner.training.data.examples import Example
    from afterburner.training.runs.settings import RunDataSettings

# What a stored run raises if a person or another program has changed it.
_DAMAGED = (AfterburnerError, SyntaxError, TypeError, KeyError, ValueError, AttributeError, RecursionError, MemoryError)
_LONGEST = 200  # characters of a reason


def build_run_data(store: Path | None, settings: RunDataSettings, held_out: HeldOut, out: Path) -> Card:
    """Build a data set of the runs that proved an improvement.

    The same runs and settings give the same file, byte for byte, with the same version of pyarrow.

    Args:
        store: the folder of the store of runs; None: the user's.
        settings: what is built.
        held_out: problems that may not be trained on.
        out: the folder; what an earlier call wrote there is replaced.

    Raises:
        TrainingError: there is no example, or the folder cannot be written.
        RunStoreError: the store cannot be read.
    """
    check_place(out, settings.recipe.value)
    card = Card(Recipe(settings.recipe.value), source="runs")
    rows = list(_rows(store, settings, held_out, card))
    if not rows:
        why = f" Left out: {card.left_out[0]}." if card.left_out else ""
        raise TrainingError(
            f"No stored run{f' on files in {settings.project}' if settings.project else ''} gives an example: it takes "
            f"one with a proven offer{', and a candidate that was refused' if settings.recipe == 'dpo' else ''}.{why}"
        )
    document = {
        "source": str(store) if store else "the user's store of runs",
        "held_out_problems": held_out.count,
        "held_out_unreadable": held_out.unreadable,
        "settings": asdict(settings),
        "rejected": dict(Counter(row["rejected_because"] for row in rows if "rejected_because" in row).most_common()),
        **card.to_document(),
    }
    write_data(rows, document, card.to_markdown(), out)
    return card


def _rows(store: Path | None, settings: RunDataSettings, held_out: HeldOut, card: Card) -> Iterator[Example]:
    """The examples of all runs, each once."""
    seen = Duplicates()
    for run in proven_runs(store, settings.project):
        if isinstance(run, UnreadableRun):
            card.left_out.append(f"run {run.run_id}: {run.reason}")
            continue
        try:
            reason = _held_out(run, held_out)
            examples = [] if reason else list(examples_of(run, settings))
        except NoExampleError as error:
            reason, examples = str(error), []
        except _DAMAGED as error:
            reason, examples = f"it is damaged: {' '.join(str(error).split())[:_LONGEST]}", []
        if reason:
            card.left_out.append(f"run {run.result.run_id}, {run.name}: {reason}")
        yield from seen.pick_new(examples, card)


def _held_out(run: ProvenRun, held_out: HeldOut) -> str:
    """Why a run may not be trained on; empty: it may."""
    target, result = run.result.target, run.result
    code = function_source(target)
    problem = Problem.from_json(run.settings.problem) if run.settings.problem else None
    names = [problem.name] if problem is not None else [(target.function or target.module).rpartition(".")[2]]
    text = problem.description if problem is not None else code
    codes = [code, target.source, result.best_source, *(each.source for each in result.candidates if each.source)]
    return held_out.reason_of(names, text, codes)
