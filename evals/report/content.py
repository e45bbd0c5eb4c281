"""What a report says: its runs by dataset, each dataset's tables and curves, and what it has of each problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.evals.report.ablations import ablations
from afterburner.evals.report.coverage_table import coverage_table
from afterburner.evals.report.curves import Curve, curve_of
from afterburner.evals.report.main_table import main_table
from afterburner.evals.report.offers_table import offers_table
from afterburner.evals.report.own_scores_table import own_scores_table
from afterburner.evals.report.paired_table import paired_table
from afterburner.evals.report.pass_at_k_table import pass_at_k_table
from afterburner.evals.report.rebuttal_gains import gains_table
from afterburner.evals.report.rebuttal_levels import levels_table
from afterburner.evals.report.rebuttal_loops import benchmark_table, history_table, starts_table, vanilla_table
from afterburner.evals.report.rebuttal_tests import tests_table
from afterburner.evals.report.run_scores import RunScores, scores_of
from afterburner.evals.report.shares import shares_table
from afterburner.evals.report.strict_table import strict_table
from afterburner.evals.tables import file_key

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from afterburner.evals.report.runs import Run
    from afterburner.evals.report.table import Table

_TABLES = (
    main_table,
    ablations,
    shares_table,
    history_table,
    vanilla_table,
    levels_table,
    starts_table,
    tests_table,
    gains_table,
)
_TABLES_OF_SOME = (strict_table, pass_at_k_table, own_scores_table)


@dataclass(frozen=True, slots=True)
class DatasetReport:
    """What is said of the runs on one dataset.

    Attributes:
        key: in links and names of files.
        name: of the dataset.
        runs: with their scores.
        tables: Table 1 and those that follow.
        curves: of Figure 5, one for each run.
        pages: the file of each problem's page by its id, for the problems that a run evaluated.
    """

    key: str
    name: str
    runs: tuple[RunScores, ...]
    tables: tuple[Table, ...]
    curves: tuple[Curve, ...]
    pages: dict[str, str]


@dataclass(frozen=True, slots=True)
class Content:
    """All that a report says.

    Attributes:
        datasets: in the order of their first runs.
        across: tables of more than one dataset.
        coverage: how often the intervals contain the truth; None: it has not been measured.
        left_out: folders of which no problem could be evaluated, and why.
    """

    datasets: tuple[DatasetReport, ...]
    across: tuple[Table, ...]
    coverage: Table | None
    left_out: tuple[str, ...] = ()


def content_of(
    runs: Sequence[Run], left_out: Sequence[str] = (), on_progress: Callable[[str], object] = lambda _: None
) -> Content:
    """Compute all that a report says.

    Args:
        runs: in the order of the report.
        left_out: see `Content`.
        on_progress: told what is being computed.
    """
    datasets = tuple(_dataset(name, runs, on_progress) for name in dict.fromkeys(each.dataset for each in runs))
    across = benchmark_table([each for one in datasets for each in one.runs])
    return Content(datasets, (across,), coverage_table(), tuple(left_out))


def _dataset(name: str, runs: Sequence[Run], on_progress: Callable[[str], object]) -> DatasetReport:
    scored = []
    for run in runs:
        if run.dataset == name:
            on_progress(f"scoring {run.label}")
            scored.append(scores_of(run))
    offers = offers_table(scored)
    if offers is not None and not any(each.main.evaluation.problems for each in scored):
        return DatasetReport(file_key(name), name, tuple(scored), (offers,), (), {})
    on_progress(f"filling the tables of {name}")
    tables = tuple(table(scored) for table in (*_TABLES, *((paired_table,) if len(scored) > 1 else ())))
    tables += tuple(found for table in _TABLES_OF_SOME if (found := table(scored)) is not None)
    curves = tuple(curve_of(each.run, place, each.main) for place, each in enumerate(scored))
    problems = dict.fromkeys(problem.id for each in scored for problem in each.main.evaluation.problems)
    pages = {problem: f"{file_key(f'{name} {problem}')}.html" for problem in problems}
    return DatasetReport(file_key(name), name, tuple(scored), tables, curves, pages)
