"""The main page of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.page.markup import bullets, element, safe, table
from afterburner.agent.wording import count
from afterburner.evals.report.captions import clock
from afterburner.evals.report.curves_svg import curves_html
from afterburner.evals.report.document import document, facts
from afterburner.evals.report.run_facts import leaves_data_out, run_facts
from afterburner.evals.report.table_html import table_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.report.content import Content, DatasetReport
    from afterburner.evals.report.table import Table

TITLE = "Evaluation"


def index_page(content: Content, pictures: Sequence[str]) -> str:
    """The page.

    Args:
        content: what it says.
        pictures: the static files of the curves, from here.
    """
    body = [_contents(content)]
    if content.left_out:
        body.append(bullets(content.left_out))
    for each in content.datasets:
        body += [f'<section id="{safe(each.key)}">', element("h2", each.name), *_dataset(each, pictures), "</section>"]
    for key, title, tables in others_of(content):
        body += [f'<section id="{key}">', element("h2", title), *(table_html(one, key) for one in tables), "</section>"]
    return document(TITLE, body, has_script=True)


def others_of(content: Content) -> Iterator[tuple[str, str, tuple[Table, ...]]]:
    """What follows the datasets: keys, titles and tables."""
    yield "across", "Across datasets", content.across
    if content.coverage is not None:
        yield "intervals", "How far the intervals can be trusted", (content.coverage,)


def _contents(content: Content) -> str:
    lines = []
    for each in content.datasets:
        links = [f'<a href="#{safe(link)}">{safe(title)}</a>' for link, title in _sections(each)]
        lines.append(f'<li><a href="#{safe(each.key)}">{safe(each.name)}</a>: {", ".join(links)}</li>')
    lines += [f'<li><a href="#{key}">{safe(title)}</a></li>' for key, title, _ in others_of(content)]
    return f'<nav aria-label="Contents"><ul>{"".join(lines)}</ul></nav>'


def _sections(each: DatasetReport) -> Iterator[tuple[str, str]]:
    yield f"{each.key}-runs", "Runs"
    if each.curves:
        yield f"{each.key}-figure-5", "Figure 5"
    yield from ((f"{each.key}-{table.key}", table.title) for table in each.tables)
    yield f"{each.key}-problems", "Problems"


def _dataset(each: DatasetReport, pictures: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{safe(each.key)}-runs">{element("h3", "Runs")}'
    for run in each.runs:
        tag = "<details open>" if run.run.unfinished or leaves_data_out(run.run) else "<details>"
        yield f"{tag}{element('summary', run.run.label)}{facts(run_facts(run))}</details>"
    yield "</section>"
    first, *others = each.tables
    yield table_html(first, each.key)
    if each.curves:
        yield from _figure_5(each, pictures)
    yield from (table_html(other, each.key) for other in others)
    yield from _problems(each)


def _figure_5(each: DatasetReport, pictures: Sequence[str]) -> Iterator[str]:
    yield f'<section id="{safe(each.key)}-figure-5">{element("h3", "Figure 5: scores over the iterations")}'
    yield element("p", f"Bands are 95% intervals. {clock(each.runs)}", "soft")
    yield curves_html(each.curves)
    links = [f'<a href="{safe(path)}">{safe(path)}</a>' for path in pictures if each.key in path]
    yield f'<p class="soft">As files: {", ".join(links)}</p></section>'


def _problems(each: DatasetReport) -> Iterator[str]:
    yield f'<section id="{safe(each.key)}-problems">{element("h3", "Problems")}'
    yield element("p", "For each run: how many of its generations pass after the last iteration.", "soft")
    rows = []
    by_id = [{one.id: one for one in run.main.evaluation.problems} for run in each.runs]
    for problem, page in each.pages.items():
        known = [found.get(problem) for found in by_id]
        told = ["" if one is None else f"{int(one.passed[:, -1].sum())} of {len(one.passed)}" for one in known]
        difficulty = next((one.difficulty for one in known if one is not None), "")
        rows.append([f'<a href="problems/{safe(page)}">{safe(problem)}</a>', safe(difficulty), *map(safe, told)])
    yield table(("problem", "difficulty", *(run.run.label for run in each.runs)), rows, "scores")
    for run in each.runs:
        left_out = run.main.evaluation.not_evaluated
        if left_out:
            heading = f"{run.run.label}: {count(len(left_out), 'problem')} not evaluated"
            yield f"<details>{element('summary', heading)}"
            yield bullets(f"{name}: {reason}" for name, reason in left_out) + "</details>"
        rejected = run.main.evaluation.rejected
        if rejected:
            heading = f"{run.run.label}: {count(len(rejected), 'record')} of the dataset could not be used"
            yield f"<details>{element('summary', heading)}{bullets(rejected)}</details>"
    yield "</section>"
