"""Draws the memory of a service while thousands of programs are submitted to its pool."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from scripts.sandbox_pictures import ACCENT, INK, SOFT, Picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.soak.findings import Findings
    from scripts.soak.supervisor import Plan

NAME = "soak.svg"
_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 70, 860, 220
_POINTS = 400
_KIB_PER_MIB = 1024


def draw(findings: Findings, plan: Plan) -> None:
    """Writes docs/images/soak.svg; without a run there is nothing to draw."""
    if not findings.runs:
        return
    picture = Picture(_LEFT + _WIDTH + 40, _TOP + _HEIGHT + 70)
    whose = f"one of {plan.services} services" if plan.services else "the host process"
    picture.text(20, 28, f"Memory of {whose} over {findings.runs:,} submissions", size=15, bold=True)
    mib = [kib / _KIB_PER_MIB for kib in findings.resident_kib]
    most = max(50.0, 1.25 * max(mib))
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _TOP + _HEIGHT * (1 - share)
        _line(picture, (_LEFT, y), (_LEFT + _WIDTH, y), SOFT)
        picture.text(14, y + 4, f"{share * most:.0f} MiB", size=11, colour=SOFT)
        x = _LEFT + _WIDTH * share
        picture.text(x - 16, _TOP + _HEIGHT + 18, f"{share * findings.runs:,.0f}", size=11, colour=SOFT)
    for killed in findings.killed_at:
        x = _LEFT + _WIDTH * killed / findings.runs
        _line(picture, (x, _TOP + _HEIGHT - 14), (x, _TOP + _HEIGHT), ACCENT, width=2)
    points = " ".join(
        f"{_LEFT + _WIDTH * at:.1f},{_TOP + _HEIGHT * (1 - value / most):.1f}" for at, value in _medians(mib)
    )
    picture.shapes.append(f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="1.5"/>')
    if findings.killed_at:
        told = f"orange: another service was killed or stopped ({len(findings.killed_at)} times)"
        picture.text(_LEFT, _TOP + _HEIGHT + 44, told, size=12, colour=ACCENT)
    picture.save(NAME)


def _medians(values: Sequence[float]) -> list[tuple[float, float]]:
    """Position along the axis (0 to 1) and median of each part; there are at most `_POINTS` of them."""
    size = math.ceil(len(values) / _POINTS)
    return [
        ((first + size / 2) / len(values), median(values[first : first + size]))
        for first in range(0, len(values), size)
    ]


def _line(
    picture: Picture, start: tuple[float, float], end: tuple[float, float], colour: str, *, width: float = 0.5
) -> None:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    picture.shapes.append(f'<line {ends} stroke="{colour}" stroke-width="{width}"/>')
