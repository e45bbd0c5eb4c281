"""Pieces of HTML. Whatever goes in as text is escaped, and what nobody would see in it is made visible."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from afterburner.sandbox.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def safe(text: str) -> str:
    """Foreign text for HTML, between tags or in quotes: control characters and the like appear as escapes."""
    return escape(visible(text, keep="\t\n"))


def element(tag: str, text: str, style_class: str = "") -> str:
    """An element that holds foreign text; `style_class` is one of the page's style sheet."""
    attribute = f' class="{style_class}"' if style_class else ""
    return f"<{tag}{attribute}>{safe(text)}</{tag}>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], style_class: str) -> str:
    """A table that scrolls by itself where it is too wide. Its cells are HTML, its head is text."""
    cells = "".join(f'<th scope="col">{safe(each)}</th>' for each in head)
    lines = "".join("<tr>" + "".join(f"<td>{each}</td>" for each in row) + "</tr>\n" for row in rows)
    parts = f"<thead><tr>{cells}</tr></thead>\n<tbody>\n{lines}</tbody>"
    return f'<div class="wide"><table class="{style_class}">\n{parts}</table></div>'


def bullets(items: Iterable[str]) -> str:
    """A list of foreign texts."""
    return "<ul>" + "".join(f"<li>{safe(each)}</li>" for each in items) + "</ul>"
