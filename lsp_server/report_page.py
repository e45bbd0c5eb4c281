"""The report of a rewrite as a page: one file of HTML that needs nothing from elsewhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from afterburner.agent.evidence.growth_svg import growth_svg
from afterburner.agent.wording import count, format_ratio

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import JudgedCandidate

_STYLE = """\
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid #8885; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8885; }
ins { color: light-dark(#116329, #7ee787); text-decoration: none; }
del { color: light-dark(#a40e26, #ffa198); text-decoration: none; }
"""


def report_page(result: RunResult) -> str:
    """The page. All that comes from code or models is escaped."""
    name = result.target.function or result.target.path
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(name)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(_body(result, name))
        + "\n</body></html>\n"
    )


def _body(result: RunResult, name: str) -> Iterator[str]:
    yield f"<h1>{escape(name)}</h1>"
    yield f"<p>{escape(result.summary)}.</p>"
    if (gain := result.gain) is not None:
        interval = f"{format_ratio(gain.low)} to {format_ratio(gain.high)}"
        yield f"<p>Tested gain: {format_ratio(gain.ratio)} ({interval}).</p>"
    figures = [_figures(result, after=False), _figures(result, after=True)]
    yield _table(["", "CPU time", "wall time", "peak memory"], figures)
    yield "<h2>Inputs</h2>"
    yield _list(f"{number} {origin}" for origin, number in result.workload_origins)
    yield f"<p>{escape(count(result.held_out.inputs, 'input'))} held out from the search.</p>"
    if result.notes:
        yield "<h2>Notes</h2>"
        yield _list(result.notes)
    growth = result.evidence.growth if result.evidence else None
    if growth is not None and growth.points:
        yield "<h2>Growth</h2>"
        yield growth_svg(growth, name)
    if result.patch:
        yield "<h2>The change</h2>"
        yield f"<pre>{''.join(map(_diff_line, result.patch.splitlines()))}</pre>"
    yield "<h2>Candidates</h2>"
    yield _table(["", "by", "decision", ""], [_candidate(each) for each in result.candidates])
    told = f"{result.machine.cpu_model}, {result.model}, {result.elapsed_s:.0f} s, run {result.run_id}"
    yield f"<p>{escape(told)}.</p>"


def _figures(result: RunResult, *, after: bool) -> list[str]:
    measured = result.best if after else result.original
    return [
        "after" if after else "before",
        f"{measured.cpu_time_s:.4g} s",
        f"{measured.wall_time_s:.4g} s",
        f"{measured.peak_memory_kib:,} KiB",
    ]


def _candidate(candidate: JudgedCandidate) -> list[str]:
    return [candidate.id, candidate.proposer, candidate.decision.value.replace("_", " "), candidate.reason]


def _table(head: list[str], rows: list[list[str]]) -> str:
    cells = "".join(f"<th>{escape(each)}</th>" for each in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(each)}</td>" for each in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>{lines}</table>"


def _list(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(each)}</li>" for each in items) + "</ul>"


def _diff_line(line: str) -> str:
    tag = {"+": "ins", "-": "del"}.get(line[:1], "")
    return f"<{tag}>{escape(line)}</{tag}>\n" if tag else f"{escape(line)}\n"
