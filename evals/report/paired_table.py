"""Paired tests between runs on one dataset: the same problems, side by side."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from afterburner.agent.options import DEFAULT_MIN_EFFECT
from afterburner.agent.types import Objective
from afterburner.agent.wording import count
from afterburner.evals.errors import EvaluationError
from afterburner.evals.metrics.gains import gain_between_runs
from afterburner.evals.metrics.intervals import FEW
from afterburner.evals.metrics.machines import machine_ratios
from afterburner.evals.metrics.paired import compare, compare_passes
from afterburner.evals.report.captions import NO_REFERENCES, captions
from afterburner.evals.report.comparability import machine_ratio, warnings_about
from afterburner.evals.report.measures import MEASURES, PASSING, Score
from afterburner.evals.report.ranks_picture import NOUNS
from afterburner.evals.report.run_scores import percent, raw_scores
from afterburner.evals.report.table import Cell, Table, empty_table, text_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.evals.evaluation import Evaluation
    from afterburner.evals.report.measures import Measure
    from afterburner.evals.report.run_scores import RunScores

_KEY, _TITLE = "paired", "Paired tests between runs"
_SCALED = ", scaled"
_LESS_AND_MORE = {
    NOUNS[Objective.TIME]: ("is faster", "is slower"),
    NOUNS[Objective.MEMORY]: ("needs less memory", "needs more memory"),
    NOUNS[Objective.INTEGRAL]: ("needs less memory over time", "needs more memory over time"),
}
_FEWEST_DIGITS, _MOST_DIGITS = 3, 9  # of a ratio
_MOST_PAIRS_OF = 5  # runs; of more, each is compared with the first alone
_COLUMNS = ("before", "after", "of", "problems", "difference, points", "p", "p of exchanges", "ratio")
_TESTS = (
    "Each run counts at its last iteration, on the problems that both have. p: McNemar's exact test for Pass@1, else "
    "Wilcoxon's signed-rank test; p of exchanges: of the test that exchanges the scores of both at random. Nothing is "
    "corrected for the number of tests. Where all problems differ by the same, the interval is the exact bound on how "
    "many others may differ."
)
_RATIO = (
    "Ratio: the figure after over the figure before, below 1 is better; the geometric mean over problems of which a "
    f"solution passes in both. A difference of less than {DEFAULT_MIN_EFFECT:.0%} is too small to matter."
)


def paired_table(runs: Sequence[RunScores]) -> Table:
    """The table of two or more runs on one dataset."""
    rows = [row for before, after in _pairs(runs) for row in _rows(before, after)]
    if not rows:
        return empty_table(_KEY, _TITLE, "No two of these runs have a problem in common.")
    notes = (*captions(runs), _TESTS, _RATIO)
    return Table(_KEY, _TITLE, _COLUMNS, tuple(rows), notes, cautions=cautions(runs))


def cautions(runs: Sequence[RunScores]) -> tuple[str, ...]:
    """What speaks against comparing these runs as they are, a sentence each."""
    pairs = [((before.run, after.run), _sides(before, after)) for before, after in _pairs(runs)]
    return tuple(dict.fromkeys(line for pair, sides in pairs for line in warnings_about(pair, sides)))


def comparisons(runs: Sequence[RunScores]) -> Iterator[str]:
    """The same for a terminal: what speaks against comparing the runs, then a line for each row."""
    yield from (f"caution: {line}" for line in cautions(runs))
    pairs = _pairs(runs)
    if pairs:
        yield "Differences and ratios are those of the second run against the first; a ratio below 1x is better."
    for one, other in pairs:
        is_known = bool(machine_ratios(*_sides(one, other), Objective.TIME))
        for row in _rows(one, other):
            before, after, of, problems, difference, p, _, ratio = (
                " ".join(filter(None, (cell.ours, cell.interval))) for cell in row
            )
            if missing := row[4].missing or row[-1].missing:
                yield f"{before} -> {after}: {of}: {missing}"
                continue
            ratio += _finding(after, of, row[-1].score, int(problems), is_known=is_known)
            found = f"{difference} points, p {p}" if difference else f"ratio {ratio}"
            yield f"{before} -> {after}: {of}: {found} ({count(int(problems), 'problem')})"


def _size(ratio: Score) -> str:
    """Whether a ratio whose interval excludes 1 is shown to differ from it enough to matter; empty: it is."""
    changes = sorted(abs(math.log(each)) for each in (ratio.low, ratio.high) if each is not None and each > 0)
    least = math.log(1 + DEFAULT_MIN_EFFECT)
    if not changes or changes[0] >= least:
        return ""
    may_be = "" if changes[-1] < least else "that may be "
    return f": a difference {may_be}too small to matter (below {DEFAULT_MIN_EFFECT:.0%})"


def _finding(after: str, of: str, ratio: Score | None, problems: int, *, is_known: bool) -> str:
    """What a ratio says of the second run: nothing where its interval holds 1, or the problems are few.

    Nothing either of a time, unless known solutions tell how fast the two machines were. A run is called better or
    worse only where all of the interval is at least as far from 1 as the gain that the product asks for by default.
    """
    if ratio is None:
        return ""
    if not is_known and of.removesuffix(_SCALED) != NOUNS[Objective.MEMORY]:
        return ": this may be the machine's doing, so no run is called faster"
    if problems < FEW:
        return f": too few problems to tell, fewer than {FEW}"
    less, more = _LESS_AND_MORE[of.removesuffix(_SCALED)]
    if ratio.low is not None and ratio.low > 1:
        return _size(ratio) or f": {after} {more}"
    if ratio.high is not None and ratio.high < 1:
        return _size(ratio) or f": {after} {less}"
    return ": no difference shown"


def _digits(ratio: Score) -> int:
    """So many digits that an interval that excludes 1 is not written as one that holds it."""
    if ratio.low is None or ratio.high is None or ratio.low <= 1 <= ratio.high:
        return _FEWEST_DIGITS
    nearest = ratio.low if ratio.low > 1 else ratio.high
    enough = (digits for digits in range(_FEWEST_DIGITS, _MOST_DIGITS) if round(nearest, digits) != 1)
    return next(enough, _MOST_DIGITS)


def _pairs(runs: Sequence[RunScores]) -> list[tuple[RunScores, RunScores]]:
    pairs = list(combinations(runs, 2))
    return pairs if len(runs) <= _MOST_PAIRS_OF else [pair for pair in pairs if pair[0] is runs[0]]


def _rows(before: RunScores, after: RunScores) -> Iterator[tuple[Cell, ...]]:
    sides = _sides(before, after)
    names = text_cells(before.run.label, after.run.label)
    for measure in MEASURES:
        try:
            yield (*names, *_measure_row(sides, measure))
        except EvaluationError:
            yield (*names, *text_cells(measure.value, 0), Cell(missing=NO_REFERENCES), *text_cells("", "", ""))
    for objective in (Objective.TIME, Objective.MEMORY, Objective.INTEGRAL):
        yield (*names, *_ratio_row(sides, objective))
        if machine_ratio(*sides, objective) is not None:
            yield (*names, *_ratio_row(sides, objective, machine_ratios(*sides, objective)))


def _sides(before: RunScores, after: RunScores) -> tuple[Evaluation, Evaluation]:
    """What is compared: the scored sides, or the public ones where a problem is scored on different tests in them."""
    sides = before.main.evaluation, after.main.evaluation
    tests = sides[1].tests
    is_same = all(tests.get(problem, on) == on for problem, on in sides[0].tests.items())
    return sides if is_same else (before.run.public, after.run.public)


def _measure_row(sides: tuple[Evaluation, Evaluation], measure: Measure) -> tuple[Cell, ...]:
    before, after = (raw_scores(each, measure, each.iterations) for each in sides)
    found = compare(before, after)
    p = compare_passes(before, after).p if measure is PASSING else found.wilcoxon_p
    difference = Cell(score=percent(found.difference))
    ps = text_cells(_p(p), _p(found.permutation_p))
    return (*text_cells(measure.value, found.problems), difference, *ps, Cell())


def _ratio_row(
    sides: tuple[Evaluation, Evaluation], objective: Objective, machine: Mapping[str, float] | None = None
) -> tuple[Cell, ...]:
    noun = NOUNS[objective] + (_SCALED if machine is not None else "")
    last = [(side, side.iterations) for side in sides]
    try:
        found = gain_between_runs(last[0], last[1], objective, machine=machine)
    except EvaluationError:
        found = None
    if found is None or not found.problems:
        missing = Cell(missing="There is no problem of which a solution passes in both.")
        return (*text_cells(noun, 0, "", "", ""), missing)
    mean = found.geometric_mean
    score = Score(mean.estimate, mean.low, mean.high)
    return (*text_cells(noun, found.problems, "", "", ""), Cell(score=score, digits=_digits(score), unit="x"))


def _p(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.4f}"
