"""The command `eval report`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent import UsageError
from afterburner.agent.wording import count
from afterburner.evals.commands.needs import needing_extra
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.streams import is_live
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.evals.report.run_scores import RunScores
    from afterburner.evals.report.writing import WrittenReport

_OUT = "eval-report"


class PaperDataset(StrEnum):
    """The datasets that the paper has numbers of."""

    VENUS = "venus"
    APPS = "apps"
    MERCURY = "mercury"
    LIVECODEBENCH = "livecodebench"


def report(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN…", help="Folders that eval run wrote.", show_default=False)
    ],
    *,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the report is written.")] = Path(_OUT),
    paper: Annotated[
        PaperDataset | None,
        typer.Option(
            help="Hold runs on a benchmark of your own name, such as one of eval build, against the paper's numbers of "
            "this dataset.",
            show_default=False,
        ),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Print the paired tests between runs of one dataset, too.")
    ] = False,
) -> None:
    """Report runs as the paper does: a page, Markdown, pictures, and a page for each problem.

    Writes DIR/index.html, DIR/report.md, DIR/tables.json, DIR/pictures and DIR/problems.
    """
    known = {each.resolve(): each for each in reversed(runs)}
    if again := next((each for each in runs if known[each.resolve()] is not each), None):
        raise UsageError(f"{again} is given twice: name each run once.")
    if compare and len(runs) < 2:
        raise UsageError("--compare tests runs against each other: give two or more.")
    with needing_extra():
        from afterburner.evals.report.writing import write_report

        held_against = paper.value if paper is not None else ""
        written = _with_progress(lambda tell: write_report(runs, out, held_against=held_against, on_progress=tell))
    _tell(written)
    if paper is not None:
        _tell_unused(written, paper.value)
        _tell_unknown_models(written)
    if compare:
        _tell_comparisons(written)


def _with_progress(work: Callable[[Callable[[str], object]], WrittenReport]) -> WrittenReport:
    """Show on a terminal what is being done: intervals of many problems take minutes."""
    if not is_live(sys.stderr):
        return work(lambda _: None)
    with open_console(sys.stderr).status("reading") as status:
        return work(lambda doing: status.update(scrub_line(doing).replace("[", r"\[")))


def scores_line(each: RunScores) -> str:
    """The scores after the last iteration, with their intervals."""
    from afterburner.evals.report.captions import NO_REFERENCES, tests_of
    from afterburner.evals.report.measures import MEASURES
    from afterburner.evals.report.table import number_cell

    last = each.run.iterations
    cells = {one: number_cell(each.at(one, last), NO_REFERENCES) for one in MEASURES}
    told = [f"{one.value} {f'{cell.ours}% {cell.interval}'.strip()}" for one, cell in cells.items() if not cell.missing]
    why = f"; {NO_REFERENCES}" if any(cell.missing for cell in cells.values()) else ""
    return f"after iteration {last}, on {tests_of(each.main.evaluation)}: {', '.join(told)}{why}"


def cautions_of(each: RunScores) -> list[str]:
    """What has to be known before the scores of a run are believed, a sentence each."""
    from afterburner.evals.report.captions import few_caution
    from afterburner.evals.report.own_scores_table import own_caution
    from afterburner.evals.run_notes import notes_of

    folder = each.run.public.folder
    notes = notes_of(folder) if folder is not None else []
    return list(filter(None, (few_caution(each), *notes, own_caution(each))))


def _tell(written: WrittenReport) -> None:
    scores = {id(each.run): each for dataset in written.datasets for each in dataset.runs}
    for run in written.runs:
        typer.echo(scrub_line(f"{run.label}: {count(len(run.public.problems), 'problem')} of {run.dataset}"))
        if run.public.problems:
            typer.echo(f"  {scores_line(scores[id(run)])}")
            for line in cautions_of(scores[id(run)]):
                typer.echo(f"  caution: {scrub_line(line)}")
        if run.unfinished:
            typer.echo(scrub_line(f"  unfinished: {run.unfinished}"))
        if run.public.not_evaluated:
            not_evaluated = count(len(run.public.not_evaluated), "problem")
            typer.echo(f"  {not_evaluated} could not be evaluated; the report says why")
    for line in written.left_out:
        typer.echo(scrub_line(f"left out: {line}"))
    typer.echo(f"written: {display_path(str(written.folder / 'index.html'))}")
    typer.echo(f"         {display_path(str(written.folder / 'report.md'))}")


def _tell_unused(written: WrittenReport, paper: str) -> None:
    """Say which runs --paper changes nothing of, and why."""
    for run in written.runs:
        if run.paper_dataset != paper:
            why = (
                f"is held against the paper's numbers of {run.paper_dataset}, which its dataset is"
                if run.paper_dataset
                else "is not held against the paper's numbers: they are of the test split and of Python"
            )
            typer.echo(scrub_line(f"--paper {paper} changes nothing for {run.label}, a run on {run.dataset}: it {why}"))


def _tell_unknown_models(written: WrittenReport) -> None:
    from afterburner.evals.report.paper_models import PAPER_MODELS

    for run in written.runs:
        if not run.paper_model:
            listed = ", ".join(PAPER_MODELS)
            typer.echo(scrub_line(f"--paper: the paper has no numbers of {run.model}; it has those of {listed}"))


def _tell_comparisons(written: WrittenReport) -> None:
    from afterburner.evals.report.paired_table import comparisons

    for each in written.datasets:
        if len(each.runs) < 2:
            typer.echo(scrub_line(f"{each.name}: one run alone, so there is nothing to compare"))
        for line in comparisons(each.runs):
            typer.echo(scrub_line(line))
