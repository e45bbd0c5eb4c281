"""Trials of `compare`: identical code with the versions in either order, and exact gains and losses."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from random import Random
from typing import TYPE_CHECKING

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.comparing import Comparing, ComparisonDecision
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.selfcheck.exact import lower_bound, upper_bound
from afterburner.agent.selfcheck.subjects import DISGUISES
from afterburner.agent.types import Objective
from scripts.selection_bench.plan import GAINS, IDENTICAL, share_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.selection_bench.book import Record
    from scripts.selection_bench.plan import Function
    from scripts.selection_bench.trials import Bench

LOSSES = tuple(1 / gain for gain in GAINS)
MOST_S = 120.0  # of one test
HEADS = ("what is true", "tests", "faster", "slower", "same", "too noisy", "wrong", "right", "median blocks")


@dataclass(frozen=True)
class Pair:
    """Two versions that are to be compared. `ratio` is how many times as much work BEFORE does."""

    function: str
    ratio: float
    number: int

    @property
    def key(self) -> str:
        """Its name in the book of results."""
        return f"compare/{self.function}/{self.ratio:.3f}/{self.number}"

    @property
    def truth(self) -> ComparisonDecision:
        """The decision that is right."""
        if self.ratio == IDENTICAL:
            return ComparisonDecision.SAME
        return ComparisonDecision.FASTER if self.ratio > 1 else ComparisonDecision.SLOWER


def plan_pairs(functions: Sequence[Function], identical: int, changes: int) -> list[Pair]:
    """All pairs, in turns over ratios, so that an interrupted run has some of each."""
    found: list[tuple[float, Pair]] = []
    for ratio in (IDENTICAL, *GAINS, *LOSSES):
        total = identical if ratio == IDENTICAL else changes
        counts = share_out([function.weight for function in functions], total)
        for function, count in zip(functions, counts, strict=True):
            found += [((n + 0.5) / count, Pair(function.name, ratio, n)) for n in range(count)]
    return [pair for _, pair in sorted(found, key=lambda each: each[0])]


def make_pair(bench: Bench, pair: Pair) -> Record:
    """Compares the two versions by the test alone, for they are known to do the same."""
    started_s, chance = time.monotonic(), Random(pair.key)
    prepared, subject = bench.prepare(pair.function), bench.subject(pair.function)
    layouts = [DISGUISES[0], chance.choice(DISGUISES)]
    chance.shuffle(layouts)  # either version may be the one in other words
    before = subject.source(layouts[0], slower=max(pair.ratio, 1.0))
    after = subject.source(layouts[1], slower=max(1 / pair.ratio, 1.0))
    prepared = prepared.of_source(before)
    judge = TwoSidedJudge(Objective.TIME, bench.min_effect, chance.randrange(1_000_000))
    deadline = Deadline.after(MOST_S)
    comparing = Comparing(prepared.bench, judge, deadline, lambda _event: None)
    confirming = Confirming(prepared.bench, judge, deadline, lambda _event: None)
    other = type(prepared.original)("after", after, prepared.original.measurement, ratio=1.0)
    found = comparing.measure(confirming, other, prepared.original)
    gain = found.gain
    return {
        "key": pair.key,
        **asdict(pair),
        "decision": found.decision.value,
        "truth": pair.truth.value,
        "reason": found.reason,
        "gain": None if gain is None else [gain.low, gain.ratio, gain.high],
        "blocks": gain.pairs if gain else 0,
        "seconds": time.monotonic() - started_s,
        "load": os.getloadavg()[0],
    }


def rows(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """A row for each true ratio, with exact bounds of what went wrong and of what was found."""
    found: list[tuple[str, ...]] = [HEADS]
    for ratio in (IDENTICAL, *GAINS, *LOSSES):
        mine = [record for record in records if abs(record["ratio"] - ratio) < 1e-6]
        if mine:
            found.append(_row(ratio, mine))
    return found


def false_answers(records: Sequence[Record]) -> int:
    """Tests that gave a wrong answer; none at all is not wrong."""
    return sum(record["decision"] not in (record["truth"], ComparisonDecision.TOO_NOISY.value) for record in records)


def _row(ratio: float, records: Sequence[Record]) -> tuple[str, ...]:
    trials, wrong = len(records), false_answers(records)
    right = sum(record["decision"] == record["truth"] for record in records)
    counts = [
        str(sum(record["decision"] == decision.value for record in records))
        for decision in ComparisonDecision
        if decision is not ComparisonDecision.DIFFERENT
    ]
    blocks = sorted(record["blocks"] for record in records)[trials // 2]
    return (
        _name(ratio),
        str(trials),
        *counts,
        f"{wrong}, at most {100 * upper_bound(wrong, trials):.3g}%",
        f"{right}, at least {100 * lower_bound(right, trials):.3g}%",
        str(blocks),
    )


def _name(ratio: float) -> str:
    if ratio == IDENTICAL:
        return "identical code"
    return (
        f"BEFORE does {100 * (ratio - 1):.0f}% more" if ratio > 1 else f"AFTER does {100 * (1 / ratio - 1):.0f}% more"
    )
