"""The shell of a report's pages: they load nothing from elsewhere, and run no script but ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.page.markup import element, safe
from afterburner.agent.page.style import STYLE as AGENT_STYLE
from afterburner.evals.report.script import SCRIPT, script_policy
from afterburner.evals.report.style import STYLE

if TYPE_CHECKING:
    from collections.abc import Iterable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
LONGEST = 40_000  # characters of a text of a model; what is longer is cut, and says so


def document(title: str, body: Iterable[str], *, has_script: bool = False) -> str:
    """A page of these pieces of HTML."""
    policy = f"{_POLICY}; {script_policy()}" if has_script else _POLICY
    script = f"<script>{SCRIPT}</script>\n" if has_script else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{safe(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{element('title', title)}\n<style>\n{AGENT_STYLE}{STYLE}</style></head>\n"
        f"<body><main>\n{element('h1', title)}\n" + "\n".join(body) + "\n"
        f"<footer>Made by Afterburner Agent.</footer>\n</main>\n{script}</body></html>\n"
    )


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Labels with their texts."""
    lines = "".join(f"{element('dt', label)}{element('dd', text)}\n" for label, text in rows if text)
    return f"<dl>\n{lines}</dl>"


def folded(label: str, text: str) -> str:
    """A long text that its reader unfolds; empty for none."""
    if not text:
        return ""
    return f"<details>{element('summary', label)}{lines(text)}</details>"


def lines(text: str) -> str:
    """A text as it is, in a block that scrolls by itself."""
    more = len(text) - LONGEST
    shown = f"{text[:LONGEST]}\n… {more} more characters" if more > 0 else text
    return element("pre", shown, "lines")
