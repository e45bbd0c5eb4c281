"""Writes a report: the page, the Markdown, the pictures, a page for each problem, and the tables as data."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import cannot_write
from afterburner.evals.report.captions import tests_of
from afterburner.evals.report.content import content_of
from afterburner.evals.report.index_page import index_page
from afterburner.evals.report.markdown_report import markdown_report
from afterburner.evals.report.pictures import write_pictures
from afterburner.evals.report.problem_page import problem_page
from afterburner.evals.report.runs import load_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from afterburner.evals.report.content import Content, DatasetReport
    from afterburner.evals.report.runs import Run

INDEX, MARKDOWN, TABLES, PICTURES, PROBLEMS = "index.html", "report.md", "tables.json", "pictures", "problems"


@dataclass(frozen=True, slots=True)
class WrittenReport:
    """What was written, and where."""

    folder: Path
    runs: tuple[Run, ...]
    datasets: tuple[DatasetReport, ...]
    left_out: tuple[str, ...] = ()  # folders of which no problem could be evaluated, and why


def write_report(
    folders: Sequence[Path],
    out: Path,
    *,
    held_against: str = "",
    on_progress: Callable[[str], object] = lambda _: None,
) -> WrittenReport:
    """Read the runs and write their report into a folder; what an earlier report wrote there is replaced.

    Args:
        folders: of the runs.
        out: where the report is written.
        held_against: see `Run`.
        on_progress: told what is being done.

    Raises:
        EvaluationError: there is no run in a folder, none of them has a scored problem, or `out` cannot be
            written.
    """
    runs, left_out = load_runs(folders, held_against)
    content = content_of(runs, left_out, on_progress)
    try:
        out.mkdir(parents=True, exist_ok=True)
        on_progress("drawing the curves")
        pictures = [path for each in content.datasets for path in _pictures(out, each)]
        _write(out / INDEX, index_page(content, pictures))
        _write(out / MARKDOWN, markdown_report(content, pictures))
        _write(out / TABLES, _tables(content))
        for each in content.datasets:
            _problems(out / PROBLEMS, each, on_progress)
    except OSError as error:
        raise cannot_write(out, error) from error
    return WrittenReport(out, tuple(runs), content.datasets, content.left_out)


def _pictures(out: Path, each: DatasetReport) -> list[str]:
    if not each.curves:  # functions of packages have gains and no scores
        return []
    tests = tests_of(each.runs[0].main.evaluation)
    caption = f"{each.name}: scores over the iterations, with 95% intervals; wall time, {tests}"
    written = write_pictures(out / PICTURES, f"figure-5-{each.key}", each.curves, caption)
    return [path.relative_to(out).as_posix() for path in written]


def _problems(folder: Path, each: DatasetReport, on_progress: Callable[[str], object]) -> None:
    folder.mkdir(exist_ok=True)
    by_id = [(one.run, {known.id: known for known in one.main.evaluation.problems}) for one in each.runs]
    for done, (problem, name) in enumerate(each.pages.items(), 1):
        having = [(run, known[problem]) for run, known in by_id if problem in known]
        _write(folder / name, problem_page(problem, having, f"../{INDEX}"))
        on_progress(f"problem {done} of {len(each.pages)} of {each.name}")


def _tables(content: Content) -> str:
    known = {
        "datasets": {each.name: [table.to_document() for table in each.tables] for each in content.datasets},
        "across": [table.to_document() for table in content.across],
        "left_out": list(content.left_out),
        "coverage": None if content.coverage is None else content.coverage.to_document(),
    }
    return json.dumps(_finite(known), indent=1) + "\n"


def _finite(value: Any) -> Any:
    """The same without NaN and infinities, which JSON does not know."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "replace"))
