"""What the benchmark has found: rows of one table, each figure beside its reference from the same run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = {
    "ratio": "the median of sandbox / reference",
    "added": "the median of sandbox - reference, in the unit",
    "change": "the median of sandbox / reference - 1, percent",
    "error": "the median distance of sandbox / reference from 1, percent",
    "spread": "90th less 10th percentile, percent of the median; the reference's own spread is beside it",
}
_HEADS = ("what", "backend", "sandbox", "reference", "result", "goal", "")


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        group: which of the benchmark's questions it answers.
        what: the program and the figure.
        backend: where it ran.
        unit: of `sandbox` and `reference`: `/s`, `ms`, `KiB·s`, `%` and the like.
        sandbox: the median of what the sandbox showed.
        reference: the median of the same without it, or the truth.
        result: what is concluded, from pairs of neighbours in time, and not from the two medians.
        kind: what `result` is, see `KINDS`.
        worst: the least favourable of the single results.
        best: the most favourable.
        rounds: how many single results.
        goal: the least ratio, or the largest error; None: there is none.
    """

    group: str
    what: str
    backend: str
    unit: str
    sandbox: float
    reference: float
    result: float
    kind: str
    worst: float
    best: float
    rounds: int
    goal: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None if there is none."""
        if self.goal is None:
            return None
        return self.result >= self.goal if self.kind == "ratio" else self.result <= self.goal

    def as_json(self) -> dict[str, Any]:
        """For the document."""
        return {**asdict(self), "met": self.met}


def compared(
    group: str,
    what: str,
    backend: str,
    pairs: Sequence[tuple[float, float]],
    *,
    unit: str,
    kind: str,
    goal: float | None = None,
) -> Row:
    """A row from what the sandbox showed and its reference, pair by pair."""
    results = [_conclude(kind, shown, reference) for shown, reference in pairs]
    return Row(
        group=group,
        what=what,
        backend=backend,
        unit=unit,
        sandbox=median(shown for shown, _ in pairs),
        reference=median(reference for _, reference in pairs),
        result=median(results),
        kind=kind,
        worst=min(results) if kind == "ratio" else max(results, key=abs),
        best=max(results) if kind == "ratio" else min(results, key=abs),
        rounds=len(pairs),
        goal=goal,
    )


def _conclude(kind: str, shown: float, reference: float) -> float:
    match kind:
        case "ratio":
            return shown / reference
        case "added":
            return shown - reference
        case "change":
            return 100 * (shown / reference - 1)
        case _:
            return 100 * abs(shown / reference - 1)


@dataclass(frozen=True)
class Missing:
    """What could not be measured here, and why."""

    what: str
    reason: str


def table(rows: list[Row]) -> str:
    """All rows as text, with a line for each group."""
    shown = [(row.group, _cells(row)) for row in rows]
    widths = [max(len(cells[i]) for cells in (_HEADS, *(cells for _, cells in shown))) for i in range(len(_HEADS))]
    lines = [_line(_HEADS, widths)]
    group = ""
    for name, cells in shown:
        if name != group:
            lines += ["", name]
            group = name
        lines.append(_line(cells, widths))
    return "\n".join(lines)


def _cells(row: Row) -> tuple[str, ...]:
    result, goal = _result(row, row.result), ""
    if row.goal is not None:
        goal = f"{'>=' if row.kind == 'ratio' else '<='} {_result(row, row.goal)}"
    spread = f" ({_result(row, row.worst)} to {_result(row, row.best)})" if row.rounds > 1 else ""
    met = {None: "", True: "met", False: "MISSED"}[row.met]
    return (row.what, row.backend, _figure(row.sandbox, row), _figure(row.reference, row), result + spread, goal, met)


def _figure(value: float, row: Row) -> str:
    return f"{value:.4g} {row.unit}" if value < 10_000 else f"{value:.0f} {row.unit}"


def _result(row: Row, value: float) -> str:
    return {
        "ratio": f"{value:.2f}x",
        "error": f"{value:.2f}%",
        "change": f"{value:+.2f}%",
        "added": f"{value:+.2f} {row.unit}",
        "spread": f"{value:.1f}%",
    }[row.kind]


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    aligned = [
        cell.rjust(width) if 2 <= i <= 3 else cell.ljust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return ("  " + "  ".join(aligned)).rstrip()
