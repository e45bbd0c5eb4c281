"""What the head of a report says of a run: what was asked of it, of which data, where, when and with what."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.wording import count
from afterburner.evals.datasets.built import ABOUT
from afterburner.evals.datasets.registry import is_named
from afterburner.evals.report.captions import machine_of, side_problems
from afterburner.evals.report.runs import PAPER_DATASETS
from afterburner.evals.run_notes import read_answers
from afterburner.evals.running.settings import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.runs import Run

_ASKED = ("model", "dataset", "split", "configuration", "objective", "iterations", "candidates", "generations")
_ASKED_TOO = ("repeats", "selection", "tell", "start", "seed", "executor")
_REPLAY = "replay:"
_HASH_DIGITS = 12
_MOST_IDS = 5  # that are named


def run_facts(each: RunScores) -> Iterator[tuple[str, str]]:
    """What a reader has to know of a run: labels and texts."""
    run = each.run
    if run.unfinished:
        yield "Unfinished", run.unfinished
    yield "Problems", side_problems(each.main)
    yield "Of the data", part_of_data(run)
    if run.public.folder is not None and (answers := read_answers(run.public.folder)).answers:
        yield "Answers", answers.told
    yield "Data", data_of(run)
    for name in (*_ASKED, *_ASKED_TOO):
        yield name.capitalize(), str(run.setting(name))
    if run.model != RULES and not run.model.startswith(_REPLAY):
        yield "Temperature", str(run.setting("temperature") or "not given, so the model's own")
    if run.dataset not in PAPER_DATASETS and run.paper_dataset:
        yield "Held against", f"the paper's numbers of {run.paper_dataset}, as asked"
    yield "Measured on", machine_of(run.public.machine)
    yield "Begun", str(run.public.about.get("begun", "")).replace("T", " ").replace("+00:00", " UTC")
    yield "Version", str(run.public.about.get("version", ""))


def part_of_data(run: Run) -> str:
    """How much of the data the run is of, and which options left the rest out."""
    found, held = run.public, run.public.about.get("dataset_records") or 0
    used = len(found.problems) + len(found.not_evaluated) + len({row["problem_id"] for row in found.gains})
    only, limit = run.setting("only") or (), run.setting("limit")
    options = [f"--only {','.join(map(str, only))}"] if 0 < len(only) <= _MOST_IDS else []
    options += [f"--only of {len(only)} ids"] if len(only) > _MOST_IDS else []
    options += [f"--limit {limit}"] if limit else []
    by = f", by {' and '.join(options)}" if options else ""
    if not held:
        return f"{count(used, 'problem')}{by}; how many the data holds is not known"
    return f"all {count(held, 'problem')}{by}" if used == held else f"{used} of {count(held, 'problem')}{by}"


def leaves_data_out(run: Run) -> bool:
    """Whether it was asked for a part of the data alone."""
    return bool(run.setting("only") or run.setting("limit"))


def data_of(run: Run) -> str:
    """The name of the data, and the beginning of the hash that the run was begun with."""
    source, dataset = str(run.setting("source")), str(run.setting("dataset"))
    sha256 = str(run.public.about.get("dataset_sha256") or "")[:_HASH_DIGITS]
    name = source or dataset
    if not sha256:
        return f"{name}, without a hash" if source or not is_named(dataset) else f"{name}, from the hub"
    of = f" of its {ABOUT}" if Path(name).is_dir() else ""
    return f"{Path(name).name}, SHA-256{of} {sha256}…"
