"""The summary as Markdown: a comment on a pull request, a job's summary, or stdout."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from afterburner.agent.wording import format_share
from afterburner.ci_action.formats.chart import mermaid_chart
from afterburner.ci_action.formats.inert import code, fenced, prose
from afterburner.ci_action.formats.phrases import (
    explained,
    headline,
    left_out_requirements,
    told_functions,
    verdict,
    with_caveat,
)
from afterburner.ci_action.report.document import Decision, Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.ci_action.report.document import CiDocument, FunctionPart

MOST_CHARACTERS = 58_000  # GitHub takes 65,536, and the hidden state needs up to 6,000
_MOST_ROWS = 30
_MOST_LISTED = 20
_MOST_NAMES = 10
_MOST_REASON = 800  # characters of what is told beside the results
_NOTHING = "-"
_BY_FORK = (
    "> [!WARNING]\n"
    "> **Measured by the fork, not verified.** The job that wrote this report ran code of the fork, which may say "
    "anything. Read the rewrite before you trust a figure.\n\n"
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the summary says beside the report's own content. None of it comes from the report.

    Attributes:
        blob_url: where files of the head commit are shown, with no slash at its end; empty: no links.
        report_url: where the artifact with the page and the receipts is; empty: no link.
        suggested: the keys of the functions whose rewrite stands in a review.
        by_fork: whether a fork measured it.
        pull_request_url: of the pull request with the rewrites; empty: there is none.
    """

    blob_url: str = ""
    report_url: str = ""
    suggested: frozenset[str] = frozenset()
    by_fork: bool = False
    pull_request_url: str = ""


def summary(document: CiDocument, around: Surroundings, most: int = MOST_CHARACTERS) -> str:
    """The whole summary. Where it would be too long, patches are left out, the last ones first.

    Args:
        document: the report.
        around: what else there is to say.
        most: how long it may be, in characters.
    """
    told = told_functions(document)
    shown = told[:_MOST_ROWS]
    with_patch = [each.key for each in shown if each.rewrite is not None and each.key not in around.suggested]
    patches = [frozenset(with_patch[:number]) for number in range(len(with_patch), -1, -1)]
    shapes = [_Shape(each) for each in patches] + [
        _Shape(has_others=False),
        _Shape(has_others=False, has_details=False),
    ]
    texts = ("".join(_parts(document, around, told, shape)) for shape in shapes)
    return next((text for text in texts if len(text) <= most), f"## Afterburner Agent: {headline(document)}\n")


@dataclass(frozen=True, slots=True)
class _Shape:
    """Which parts of the summary there is room for; `patches` are the keys of functions."""

    patches: frozenset[str] = frozenset()
    has_others: bool = True
    has_details: bool = True


def _parts(document: CiDocument, around: Surroundings, told: list[FunctionPart], shape: _Shape) -> Iterator[str]:
    yield f"## Afterburner Agent: {headline(document)}\n\n"
    if around.by_fork:
        yield _BY_FORK
    if told:
        yield from _table(document, around, told)
        yield mermaid_chart(told, document.objective)
        yield "\n"
    for function in told[:_MOST_ROWS] if shape.has_details else ():
        yield from _details(function, document, has_patch=function.key in shape.patches)
    if document.tests and document.of(Decision.IMPROVED):
        yield f"{prose(document.tests.capitalize())}.\n\n"
    if around.pull_request_url:
        yield f"All rewrites, a commit for each function: {around.pull_request_url}\n\n"
    if shape.has_others:
        yield from _others(document, told)
    yield _footer(document, around)


def _table(document: CiDocument, around: Surroundings, told: list[FunctionPart]) -> Iterator[str]:
    """The results; a column in which no function has anything is left out."""
    titles = ["function", "result", "peak memory", "share of the profile", "rewrite"]
    rows = [_row(each, document, around) for each in told[:_MOST_ROWS]]
    used = [place for place in range(len(titles)) if any(row[place] != _NOTHING for row in rows)]
    for row in (titles, ["---"] * len(titles), *rows):
        yield f"| {' | '.join(row[place] for place in used)} |\n"
    if len(told) > _MOST_ROWS:
        yield f"\n{len(told) - _MOST_ROWS} more are in the report.\n"
    yield "\n"


def _row(each: FunctionPart, document: CiDocument, around: Surroundings) -> list[str]:
    share = _NOTHING if each.share is None else format_share(each.share)
    caveat = with_caveat(each, partial(prose, most=_MOST_REASON))
    result = f"**{verdict(each, document)}**{caveat}"
    return [_function(each, around), result, _memory(each), share, _where(each, around)]


def _function(each: FunctionPart, around: Surroundings) -> str:
    place = code(f"{each.file}:{each.line}", 120)
    if around.blob_url:
        place = f'<a href="{around.blob_url}/{quote(each.file)}#L{each.line}">{place}</a>'
    return f"{code(each.function, 80)} {place}"


def _memory(each: FunctionPart) -> str:
    figures = each.figures
    if figures is None or figures.before_peak_kib is None or figures.after_peak_kib is None:
        return _NOTHING
    return f"{figures.before_peak_kib / 1024:.1f} → {figures.after_peak_kib / 1024:.1f} MiB"


def _where(each: FunctionPart, around: Surroundings) -> str:
    if each.decision is not Decision.IMPROVED:
        return _NOTHING
    if each.key in around.suggested:
        return f"suggested in the review{_receipt(each, around)}"
    if each.rewrite is None:
        return "too large for a comment: see the report"
    return f"patch below{_receipt(each, around)}"


def _receipt(each: FunctionPart, around: Surroundings) -> str:
    """Where the receipt is, by which anyone can measure again; it travels in the artifact with the report."""
    if each.rewrite is None or not each.rewrite.receipt:
        return ""
    return f", [receipt]({around.report_url})" if around.report_url else f", {code(each.rewrite.receipt)}"


def _details(function: FunctionPart, document: CiDocument, *, has_patch: bool) -> Iterator[str]:
    lines = [f"- {prose(each)}" for each in (*function.evidence, *left_out_requirements(function))]
    if function.gain is None:
        lines.insert(0, f"- {prose(function.reason)}")
    if function.gain is not None:
        lines.append(f"- the interval holds with {function.gain.confidence:.1%} confidence")
    yield f"<details><summary>{code(function.function, 80)}: {verdict(function, document)}</summary>\n\n"
    yield "\n".join(lines) + "\n\n"
    found = function.counterexample
    if found is not None:
        shown = [*found.calls, f"before: {found.before}", f"after:  {found.after}"]
        yield fenced("\n".join(shown), "text") + "\n"
    if has_patch and function.rewrite is not None:
        yield fenced(function.rewrite.patch, "diff") + "\n"
    elif function.rewrite is not None:
        yield "The report has the patch.\n\n"
    yield "</details>\n\n"


def _others(document: CiDocument, told: list[FunctionPart]) -> Iterator[str]:
    """What else was looked at, or left out: one line for each verdict and its reason."""
    keys = {each.key for each in told}
    by_answer: dict[str, list[str]] = {}
    for each in document.functions:
        if each.key not in keys:
            name = f"{code(each.function, 80)} {code(each.file, 120)}"
            by_answer.setdefault(explained(each, document), []).append(name)
    for left in document.left_out:
        name = f"{code(left.function, 80)} " if left.function else ""
        by_answer.setdefault(f"left out: {left.reason}", []).append(f"{name}{code(left.file, 120)}")
    lines = [f"- {_listed(names)}: {prose(answer, _MOST_REASON)}" for answer, names in by_answer.items()]
    lines += [f"- {prose(each, _MOST_REASON)}" for each in document.notes]
    if not lines:
        return
    listed = lines[:_MOST_LISTED]
    if len(lines) > len(listed):
        listed.append(f"- and {len(lines) - len(listed)} more, in the report")
    is_anything_known = len(document.not_looked_at) < len(document.functions)
    title = "What else was looked at" if is_anything_known else "What was not looked at"
    yield f"<details><summary>{title}</summary>\n\n"
    yield "\n".join(listed) + "\n\n</details>\n\n"


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _footer(document: CiDocument, around: Surroundings) -> str:
    cost = "no model was asked" if document.cost_usd is None else f"models cost {document.cost_usd:.4f} US dollars"
    base = f" against {code(document.base[:10])}" if document.base else ""
    report = f" [Report with distributions, growth and receipts]({around.report_url})." if around.report_url else ""
    proposer = f", proposed by {code(document.model, 80)}" if document.mode in (Mode.OPTIMIZE, Mode.SCHEDULE) else ""
    machine = f", on {prose(document.machine)}" if document.machine else ""
    done = "Measured" if document.machine else "Looked"
    return (
        f"<sub>{done} at {code(document.head[:10])}{base}{proposer}, {cost}, {document.elapsed_s:.0f} s{machine}."
        f"{report}</sub>\n"
    )
