"""Trials of `compare`: identical code with the versions in either order, and exact gains and losses."""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from afterburner.agent import Job, Proof, Search, open_session
from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.two_sided import TwoSidedJudge
from afterburner.agent.judge.version_comparison import ComparisonDecision, VersionJudge
from afterburner.agent.options import InputOptions
from afterburner.agent.selfcheck.exact import lower_bound, upper_bound
from afterburner.agent.selfcheck.subjects import DISGUISES, FUNCTION, MODULE
from afterburner.agent.types import Objective
from scripts.selection_bench.plan import GAINS, IDENTICAL, share_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.version_comparison import VersionFindings
    from afterburner.agent.selfcheck.decision import Prepared
    from afterburner.agent.selfcheck.subjects import Subject
    from scripts.selection_bench.book import Record
    from scripts.selection_bench.plan import Function
    from scripts.selection_bench.trials import Bench

LOSSES = tuple(1 / gain for gain in GAINS)
MOST_S = 120.0  # of one test
HEADS = ("truth", "tests", "faster", "slower", "same", "too noisy", "wrong", "right", "median blocks")


@dataclass(frozen=True)
class Pair:
    """Two versions that are to be compared. `ratio` is how many times as much work BEFORE does.

    `whole`: by the whole command, which looks for inputs and differences, too; otherwise by the timing decision alone.
    """

    function: str
    ratio: float
    number: int
    whole: bool = False

    @property
    def key(self) -> str:
        """Its name in the book of results."""
        return f"{'whole' if self.whole else 'compare'}/{self.function}/{self.ratio:.3f}/{self.number}"

    @property
    def truth(self) -> ComparisonDecision:
        """The decision that is right."""
        if self.ratio == IDENTICAL:
            return ComparisonDecision.SAME
        return ComparisonDecision.FASTER if self.ratio > 1 else ComparisonDecision.SLOWER


def plan_pairs(functions: Sequence[Function], identical: int, changes: int, *, whole: bool = False) -> list[Pair]:
    """All pairs, in turns over ratios, so that an interrupted run has some of each."""
    found: list[tuple[float, Pair]] = []
    for ratio in (IDENTICAL, *GAINS, *LOSSES):
        total = identical if ratio == IDENTICAL else changes
        counts = share_out([function.weight for function in functions], total)
        for function, count in zip(functions, counts, strict=True):
            found += [((n + 0.5) / count, Pair(function.name, ratio, n, whole)) for n in range(count)]
    return [pair for _, pair in sorted(found, key=lambda each: each[0])]


def make_pair(bench: Bench, pair: Pair) -> Record:
    """Compares the two versions."""
    started_s, chance = time.monotonic(), Random(pair.key)
    prepared, subject = bench.prepare(pair.function), bench.subject(pair.function)
    layouts = [DISGUISES[0], chance.choice(DISGUISES)]
    chance.shuffle(layouts)  # either version may be the one in other words
    before = subject.source(layouts[0], slower=max(pair.ratio, 1.0))
    after = subject.source(layouts[1], slower=max(1 / pair.ratio, 1.0))
    seed = chance.randrange(1_000_000)
    if pair.whole:
        found = _by_command(bench, subject, before, after, seed)
    else:
        found = _by_timing(prepared.of_source(before), after, TwoSidedJudge(Objective.TIME, bench.min_effect, seed))
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


def _by_timing(prepared: Prepared, after: str, judge: TwoSidedJudge) -> VersionFindings:
    """By the timing decision alone: the versions are known to do the same."""
    deadline = Deadline.after(MOST_S)
    comparing = VersionJudge(prepared.bench, judge, deadline, lambda _event: None)
    confirming = Confirming(prepared.bench, judge, deadline, lambda _event: None)
    other = type(prepared.original)("after", after, prepared.original.measurement, ratio=1.0)
    return comparing.measure(confirming, other, prepared.original)


def _by_command(bench: Bench, subject: Subject, before: str, after: str, seed: int) -> VersionFindings:
    """As `compare` does it, from the files to the growth of both."""
    after += "\n_TRIAL = None\n"  # `compare` runs nothing where the code of both files is the same
    with TemporaryDirectory(prefix="afterburner-bench-") as folder:
        path, calls = Path(folder) / f"{MODULE}.py", Path(folder) / "calls.py"
        path.write_text(before, encoding="utf-8")
        calls.write_text(subject.calls_source(seed), encoding="utf-8")
        jobs = (
            Job.from_file(path, function=FUNCTION, inputs=InputOptions(calls=str(calls))),
            Job.from_text(path, after, function=FUNCTION),
        )
        with open_session(sandbox=bench.sandbox, store=None) as session:
            search, proof = Search(max_seconds=MOST_S, seed=seed), Proof(min_effect=bench.min_effect)
            return session.compare(*jobs, search, proof=proof).compared


def rows(records: Sequence[Record]) -> list[tuple[str, ...]]:
    """A row for each true ratio, with exact bounds of what went wrong and of what was found."""
    found: list[tuple[str, ...]] = [HEADS]
    for whole, ratio in itertools.product((False, True), (IDENTICAL, *GAINS, *LOSSES)):
        mine = [
            record for record in records if abs(record["ratio"] - ratio) < 1e-6 and record.get("whole", False) == whole
        ]
        if mine:
            found.append(_row(_name(ratio) + ", by the whole command" * whole, mine))
    return found


def false_answers(records: Sequence[Record]) -> int:
    """Tests that gave a wrong answer; none at all is not wrong."""
    return sum(record["decision"] not in (record["truth"], ComparisonDecision.TOO_NOISY.value) for record in records)


def _row(name: str, records: Sequence[Record]) -> tuple[str, ...]:
    trials, wrong = len(records), false_answers(records)
    right = sum(record["decision"] == record["truth"] for record in records)
    counts = [
        str(sum(record["decision"] == decision.value for record in records))
        for decision in ComparisonDecision
        if decision not in {ComparisonDecision.DIFFERENT, ComparisonDecision.CONDITIONAL}
    ]
    blocks = sorted(record["blocks"] for record in records)[trials // 2]
    return (
        name,
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
