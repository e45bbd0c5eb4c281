"""A small log-log chart of growth for the terminal: 60 columns, 11 lines, no colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.evidence.axes import axes_of, series_of
from afterburner.sandbox.terminal.formatting import format_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.evidence.axes import Axes, Series
    from afterburner.agent.evidence.growth import Growth

WIDTH, ROWS = 60, 8
FEWEST_POINTS = 3
_LABEL = 9  # columns left of the axis
_DOWN, _ACROSS = 4, 2  # dots of a character
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille character, by row and column
_FANCY = {"marks": "●○", "both": "◎", "axis": "│", "corner": "└", "line": "─", "tick": "┤"}
_PLAIN = {"marks": "ox", "both": "#", "axis": "|", "corner": "+", "line": "-", "tick": "+"}


def draw_chart(growth: Growth, encoding: str) -> list[str]:
    """The lines of the chart; none with fewer than three sizes.

    Args:
        growth: what was measured.
        encoding: of the stream; where it has no braille, the chart is of ASCII characters.
    """
    series = series_of(growth)
    if not series or len(series[0].points) < FEWEST_POINTS:
        return []
    signs = _FANCY if _can_encode(encoding) else _PLAIN
    axes, columns = axes_of(series), WIDTH - _LABEL - 1
    cells = _curves(series, axes, columns, fancy=signs is _FANCY)
    _mark(cells, series, axes, signs)
    low, high = axes.times_s
    labels = {row: low * (high / low) ** (1 - row / (ROWS - 1)) for row in (0, ROWS // 2, ROWS - 1)}
    lines = []
    for row, content in enumerate(cells):
        text = format_seconds(labels[row]) if row in labels else ""
        sign = signs["tick"] if row in labels else signs["axis"]
        lines.append(f"{_in(text, encoding):>{_LABEL - 1}} {sign}{''.join(content)}".rstrip())
    smallest, largest = (f"{size:g}" for size in axes.sizes)
    lines.append(" " * _LABEL + signs["corner"] + signs["line"] * columns)
    between = "size, both axes logarithmic".center(columns - len(smallest) - len(largest))
    lines.append(" " * (_LABEL + 1) + smallest + between + largest)
    legend = [f"{signs['marks'][place]} {each.name}{_class_of(each)}" for place, each in enumerate(series)]
    return [*lines, " " * (_LABEL + 1) + _in("   ".join(legend), encoding)]


def _curves(series: Sequence[Series], axes: Axes, columns: int, *, fancy: bool) -> list[list[str]]:
    """The fits, in braille dots or in full stops."""
    dots: dict[tuple[int, int], int] = {}
    for each in series:
        for point in each.curve():
            x, y = _dot(axes, columns, *point)
            cell = (y // _DOWN, x // _ACROSS)
            dots[cell] = dots.get(cell, 0) | _DOTS[y % _DOWN][x % _ACROSS]
    cells = [[" "] * columns for _ in range(ROWS)]
    for (row, column), bits in dots.items():
        cells[row][column] = chr(0x2800 + bits) if fancy else "."
    return cells


def _mark(cells: list[list[str]], series: Sequence[Series], axes: Axes, signs: dict[str, str]) -> None:
    for place, each in enumerate(series):
        for point in each.points:
            x, y = _dot(axes, len(cells[0]), *point)
            row, column = y // _DOWN, x // _ACROSS
            is_taken = place and cells[row][column] == signs["marks"][0]
            cells[row][column] = signs["both"] if is_taken else signs["marks"][place]


def _dot(axes: Axes, columns: int, size: float, time_s: float) -> tuple[int, int]:
    """Where a point lies, in dots of braille from the upper left."""
    return round(axes.x(size) * (columns * _ACROSS - 1)), round((1 - axes.y(time_s)) * (ROWS * _DOWN - 1))


def _class_of(series: Series) -> str:
    return f": {series.fit.text}" if series.fit is not None else ""


def _can_encode(encoding: str) -> bool:
    try:
        "●○◎│└─┤⣿²".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _in(text: str, encoding: str) -> str:
    """The text with powers and units in ASCII where the encoding has no others."""
    if _can_encode(encoding):
        return text
    for character, plain in (("²", "^2"), ("³", "^3"), ("ⁿ", "^n"), ("µ", "u"), ("→", "->")):
        text = text.replace(character, plain)
    return text
