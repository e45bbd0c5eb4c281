"""The report in Markdown: the same tables, the curves as pictures, and where to read of each problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.evals.report.index_page import TITLE, others_of
from afterburner.evals.report.run_facts import run_facts
from afterburner.evals.report.table_markdown import plain, table_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.content import Content, DatasetReport


def markdown_report(content: Content, pictures: Sequence[str]) -> str:
    """The text; see `index_page`."""
    parts = [f"# {TITLE}\n", *(f"- {plain(line)}\n" for line in content.left_out)]
    for each in content.datasets:
        parts += [f"## {plain(each.name)}\n", *_dataset(each, pictures)]
    for _, title, tables in others_of(content):
        parts += [f"## {title}\n", *map(table_markdown, tables)]
    return "\n".join(parts)


def _dataset(each: DatasetReport, pictures: Sequence[str]) -> Iterator[str]:
    for run in each.runs:
        told = "\n".join(f"- {plain(label)}: {plain(text)}" for label, text in run_facts(run) if text)
        yield f"### Run: {plain(run.run.label)}\n\n{told}\n"
    first, *others = each.tables
    yield table_markdown(first)
    if each.curves:
        yield "### Figure 5: scores over the iterations\n"
    for path in pictures:
        if each.key in path and path.endswith(".svg"):
            yield f"![Scores over the iterations]({path})\n"
    yield from (table_markdown(other) for other in others)
    for run in each.runs:
        left_out = run.main.evaluation.not_evaluated
        if left_out:
            told = "\n".join(f"- {plain(name)}: {plain(reason)}" for name, reason in left_out)
            yield f"### Not evaluated in {plain(run.run.label)}\n\n{told}\n"
        if run.main.evaluation.rejected:
            told = "\n".join(f"- {plain(line)}" for line in run.main.evaluation.rejected)
            yield f"### Records that could not be used in {plain(run.run.label)}\n\n{told}\n"
