"""The rebuttal's tables of scores over iterations: history, vanilla models, slow and fast starts, other benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.report.captions import captions
from afterburner.evals.report.iterations import Line, iteration_table
from afterburner.evals.report.measures import BEYOND_I, MEASURES
from afterburner.evals.report.paper_numbers import APPS, LIVECODEBENCH, MERCURY, VENUS
from afterburner.evals.report.rebuttal_numbers import (
    BENCHMARKS,
    BENCHMARKS_SOURCE,
    HISTORY_SOURCE,
    LONG_STARTS,
    STARTS,
    STARTS_SOURCE,
    VANILLA,
    VANILLA_SOURCE,
    WITH_HISTORY,
    WITHOUT_HISTORY,
)
from afterburner.evals.report.table import Table, empty_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.runs import Run

    Curves = Mapping[Measure, Mapping[int, float]]

_HISTORY = "history-aware"
_STARTS = ("slow", "fast")
_BENCHMARKS = (APPS, MERCURY, LIVECODEBENCH)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the tables: what its rows are called beside the run and the model, and what the paper has of a run."""

    key: str
    title: str
    head: str
    head_of: Callable[[Run], str]
    papers_of: Callable[[Run], Curves]
    source: str

    def table(self, runs: Sequence[RunScores], wanted: str) -> Table:
        """The table of these runs; `wanted` are the options of a run that would belong here."""
        if not runs:
            return empty_table(self.key, self.title, f"No run of this kind: afterburner-agent eval run … {wanted}")
        lines = [
            Line(
                (self.head_of(each.run), each.run.label, each.run.model, one.value),
                each.main.curves[one],
                papers.get(one, {}),
            )
            for each in runs
            for papers in (self.papers_of(each.run),)
            for one in MEASURES
        ]
        heads = (self.head, "run", "model", "score, %")
        return iteration_table(self.key, self.title, heads, lines, notes=captions(runs), source=self.source)


def history_table(runs: Sequence[RunScores]) -> Table:
    """A model that is told all its earlier solutions, beside the same model that is told the best one."""
    fitting = [each for each in runs if each.run.start == "none" and each.run.kind in {"paper", _HISTORY}]
    models = {each.run.model for each in fitting if each.run.kind == _HISTORY}
    shown = [each for each in fitting if each.run.model in models]
    kind = _Kind("history", "History-aware loop", "told", lambda run: run.kind, _history, HISTORY_SOURCE)
    return kind.table(shown, f"--tell {_HISTORY}")


def vanilla_table(runs: Sequence[RunScores]) -> Table:
    """Models that were not trained for this, under the loop."""
    fitting = [each for each in runs if each.run.is_papers_loop and not each.run.is_trained]
    kind = _Kind("vanilla", "Vanilla models under the loop", "dataset", _dataset, _vanilla, VANILLA_SOURCE)
    return kind.table(fitting, "--model MODEL, of a model that was not trained for this")


def starts_table(runs: Sequence[RunScores]) -> Table:
    """Loops that begin with a slow or a fast known solution."""
    fitting = [each for each in runs if each.run.start in _STARTS]
    fitting.sort(key=lambda each: _STARTS.index(each.run.start))
    kind = _Kind("starts", "Slow and fast starts", "start", lambda run: run.start, _starts, STARTS_SOURCE)
    return kind.table(fitting, "--start slow --iterations 32")


def benchmark_table(runs: Sequence[RunScores]) -> Table:
    """APPS, Mercury and LiveCodeBench over the iterations."""
    fitting = [each for each in runs if each.run.paper_dataset in _BENCHMARKS and each.run.is_papers_loop]
    title = "APPS, Mercury and LiveCodeBench over the iterations"
    kind = _Kind("benchmarks", title, "dataset", _dataset, _benchmark, BENCHMARKS_SOURCE)
    return kind.table(fitting, "--dataset apps, mercury or livecodebench")


def _dataset(run: Run) -> str:
    return run.dataset


def _history(run: Run) -> Curves:
    return (
        (WITH_HISTORY if run.kind == _HISTORY else WITHOUT_HISTORY).get(run.paper_model, {}) if _is_venus(run) else {}
    )


def _vanilla(run: Run) -> Curves:
    return VANILLA.get(run.paper_model, {}) if _is_venus(run) else {}


def _starts(run: Run) -> Curves:
    """The table to 32 iterations for a run that goes beyond the 8 of the other one."""
    at = run.start, run.paper_model
    longer = LONG_STARTS.get(at) if run.iterations > max(STARTS.get(at, {0: 0.0})) else None
    return {BEYOND_I: longer or STARTS.get(at, {})} if _is_venus(run) else {}


def _benchmark(run: Run) -> Curves:
    return BENCHMARKS.get((run.paper_dataset, run.paper_model), {})


def _is_venus(run: Run) -> bool:
    return run.paper_dataset == VENUS
