"""One HTML page of results that makes no request and runs no script, light or dark as its reader prefers.

It works from a file, as an artifact of a build, and in the panel of an editor. Every text in it may come from a
stranger: all of it is escaped, and the page's policy forbids whatever could be loaded or run.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from afterburner.agent.evidence.growth_svg import growth_picture
from afterburner.agent.page.diff import diff_block
from afterburner.agent.page.markup import bullets, element, safe, table
from afterburner.agent.page.samples_picture import samples_picture
from afterburner.agent.page.style import STYLE
from afterburner.agent.wording import count, format_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.evidence.growth import Growth
    from afterburner.agent.page.section import CandidateRow, FigureRow, PageSection
    from afterburner.agent.types import Gain

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def render_page(title: str, intro_lines: Sequence[str], sections: Sequence[PageSection]) -> str:
    """The page; the same for the same results.

    Args:
        title: its heading. A single section of the same title gets no heading of its own.
        intro_lines: paragraphs below the heading.
        sections: the results. More than one get a table of contents.
    """
    head = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{element('title', title)}\n<style>\n{STYLE}</style></head>\n"
    )
    body = [element("h1", title), *(element("p", line, "intro") for line in intro_lines)]
    if len(sections) > 1:
        body.append(_contents(sections))
    is_titled = len(sections) > 1 or any(each.title != title for each in sections)
    for number, section in enumerate(sections, 1):
        body += _section(section, number, is_titled=is_titled)
    body.append("<footer>Made by Afterburner Agent.</footer>")
    return f"{head}<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n"


def _contents(sections: Sequence[PageSection]) -> str:
    lines = []
    for number, section in enumerate(sections, 1):
        gain = f" {_headline(section.gain)}" if section.gain is not None else ""
        place = f" {element('span', section.place, 'place')}" if section.place else ""
        link = f'<a href="#s{number}">{safe(section.title)}</a>{place}'
        lines.append(f'<li class="{section.tone}">{link}: <b>{safe(section.decision)}</b>{gain}</li>')
    return f'<nav aria-label="Contents"><ul>{"".join(lines)}</ul></nav>'


def _section(section: PageSection, number: int, *, is_titled: bool) -> Iterator[str]:
    yield f'<section id="s{number}">'
    if is_titled:
        yield element("h2", section.title)
    if section.place:
        yield element("p", section.place, "place")
    sentence = f"{element('strong', section.decision + ':')} {safe(section.sentence.removesuffix('.'))}."
    yield f'<p class="verdict {section.tone}">{sentence}</p>'
    if section.gain is not None:
        yield f'<p class="gain {section.tone}">{_gain(section.gain)}</p>'
    tag = "h3" if is_titled else "h2"
    for heading, content in _parts(section):
        yield element(tag, heading)
        yield content
    yield "</section>"


def _gain(gain: Gain) -> str:
    low, high = (1 / gain.high, 1 / gain.low) if _is_loss(gain) else (gain.low, gain.high)
    told = f"between {format_ratio(low)} and {format_ratio(high)}"
    if not math.isfinite(high):
        told = f"at least {format_ratio(low)}"
    test = f"with {gain.confidence * 100:g}% confidence, by {count(gain.pairs, 'block')} of fresh runs"
    return f"{element('strong', _headline(gain))} {safe(f'{told} {test}')}"


def _headline(gain: Gain) -> str:
    """The gain; of a loss, how many times as much is used: `46.9x as much`."""
    return f"{format_ratio(1 / gain.ratio)} as much" if _is_loss(gain) else format_ratio(gain.ratio)


def _is_loss(gain: Gain) -> bool:
    return 0 < gain.low <= gain.ratio and gain.high < 1


def _parts(section: PageSection) -> Iterator[tuple[str, str]]:
    """The headings of a section, each with its HTML."""
    if section.counterexample:
        lines = "\n".join(section.counterexample)
        yield "Where they differ", f'<pre class="lines">{safe(lines)}</pre>'
    if section.figures:
        yield "Figures", _figures(section.figures)
    if section.patch:
        yield "The change", diff_block(section.patch)
    if section.samples is not None:
        yield "Samples", f'<div class="wide">{samples_picture(section.samples)}</div>'
    growth = section.growth
    if growth is not None and (growth.points or growth.note):
        yield "Growth", _growth(growth, section.title)
    if section.facts:
        rows = "".join(f"{element('dt', label)}{element('dd', text)}\n" for label, text in section.facts)
        yield "How it was measured", f"<dl>\n{rows}</dl>"
    if section.notes:
        yield "Notes", bullets(section.notes)
    if section.candidates:
        note = element("p", section.candidates_note) if section.candidates_note else ""
        yield "Candidates", _candidates(section.candidates) + note


def _figures(rows: Sequence[FigureRow]) -> str:
    both = any(row.after for row in rows)
    head = ["", "before", "after", "before / after"] if both else ["", "original"]
    return table(head, ([_figure(cell, row) for cell in _cells(row)][: len(head)] for row in rows), "figures")


def _cells(row: FigureRow) -> tuple[str, str, str, str]:
    return row.name, row.before, row.after, f"{row.ratio} ({row.interval})" if row.interval else row.ratio


def _figure(text: str, row: FigureRow) -> str:
    return element("b" if row.decides else "span", text)


def _growth(growth: Growth, title: str) -> str:
    picture = f'<div class="wide">{growth_picture(growth, title)}</div>\n' if growth.points else ""
    told = filter(None, [f"Growth {growth.holds_for}" if growth.holds_for else "", growth.note])
    return picture + "\n".join(element("p", f"{each}.") for each in told)


def _candidates(rows: Sequence[CandidateRow]) -> str:
    head = ["id", "by", "decision", "gain", "why"]
    return table(
        head,
        ([*map(safe, (row.id, row.proposer, row.decision, row.gain or "-")), _reason(row)] for row in rows),
        "candidates",
    )


def _reason(row: CandidateRow) -> str:
    example = f"; for example {row.counterexample}" if row.counterexample else ""
    return element("div", row.reason + example, "reason")
