"""Draws what the confirmatory test said of identical code: every estimate and every lower bound."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

from scripts.sandbox_pictures import ACCENT, INK, SOFT, Picture
from scripts.selection_bench.plan import BUSY, FUNCTIONS, IDLE, JUDGING
from scripts.selection_bench.summary import WHERE, rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.selection_bench.book import Book
    from scripts.selection_bench.summary import Row

NAME = "selection.svg"
_LEFT, _TOP, _WIDTH, _LANE = 150, 92, 780, 26
_LEAST, _MOST = 0.8, 1.25  # of the axis; what lies beyond is drawn at its end
_COLOURS = {IDLE: "#0f766e", BUSY: ACCENT, JUDGING: "#7c3aed"}
_MARKS = (0.8, 0.9, 0.95, 1.0, 1.1, 1.2)


def draw(book: Book) -> None:
    """Writes docs/images/selection.svg."""
    lanes = [row for function in FUNCTIONS for row in rows(book) if row.function == function.name and row.alone]
    bottom = _TOP + _LANE * len(lanes)
    picture = Picture(_LEFT + _WIDTH + 30, bottom + 64)
    tests = sum(len(row.alone) for row in lanes)
    accepted = sum(row.alone_accepts for row in lanes)
    said = f"Identical code against itself: {tests} tests, {accepted or 'none'} accepted"
    picture.text(20, 28, said, size=15, bold=True)
    _key(picture, lanes)
    for mark in _MARKS:
        x = _place(mark)
        _line(picture, x, bottom, SOFT, dashed=mark != 1.0)
        picture.text(x - 14, bottom + 18, f"{mark:g}x", size=11, colour=SOFT)
    needed = 1 + book.min_effect
    _line(picture, _place(needed), bottom + 26, INK, dashed=False, width=2)
    picture.text(_place(needed) - 40, bottom + 42, f"a lower bound above {needed:g}x would be an offer", size=12)
    for number, row in enumerate(lanes):
        _draw_lane(picture, row, _TOP + _LANE * number)
    picture.save(NAME)


def _key(picture: Picture, lanes: Sequence[Row]) -> None:
    """What the marks mean."""
    x = 20.0
    for condition in dict.fromkeys(row.condition for row in lanes):
        what = WHERE[condition]
        _dot(picture, x + 6, 52, _COLOURS[condition], filled=True)
        picture.text(x + 18, 56, what, size=12)
        x += 30 + 7.2 * len(what)
    picture.text(x, 56, "filled: estimated gain; open: its lower bound, which decides", size=12, colour=SOFT)


def _draw_lane(picture: Picture, row: Row, top: float) -> None:
    chance = Random(row.function)
    picture.text(20, top + 16, f"{row.function}, {row.condition}", size=12)
    for test in row.alone:
        y = top + _LANE / 2 + chance.uniform(-8, 8)
        _dot(picture, _place(test["low"]), y, _COLOURS[row.condition], filled=False)
        _dot(picture, _place(test["ratio"]), y, _COLOURS[row.condition], filled=True)


def _place(ratio: float) -> float:
    share = math.log(min(max(ratio, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return _LEFT + share * _WIDTH


def _dot(picture: Picture, x: float, y: float, colour: str, *, filled: bool) -> None:
    look = f'fill="{colour}" fill-opacity="0.55"' if filled else f'fill="none" stroke="{colour}" stroke-opacity="0.45"'
    picture.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{2.6 if filled else 2.2}" {look}/>')


def _line(picture: Picture, x: float, bottom: float, colour: str, *, dashed: bool, width: float = 1) -> None:
    dash = ' stroke-dasharray="3 4"' if dashed else ""
    ends = f'x1="{x:.1f}" y1="{_TOP - 8}" x2="{x:.1f}" y2="{bottom}"'
    picture.shapes.append(f'<line {ends} stroke="{colour}" stroke-width="{width}"{dash}/>')
