"""Where blocks of samples come from: fresh processes, or forks of one template."""

from __future__ import annotations

import hashlib
import itertools
import random
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from afterburner.agent.inputs.replayed_calls import HASH_SEEDS
from afterburner.agent.judge.measuring.figures import waits
from afterburner.agent.judge.measuring.sampling import (
    ORIGINAL,
    Block,
    Sample,
    SampleFailedError,
    SampleMode,
    add_up,
    block_order,
)
from afterburner.agent.judge.measuring.timing_core import TimingCore, timed_on
from afterburner.sandbox import CallCase, Measurement, TestCase, Verdict
from afterburner.sandbox.checkers import Lines
from afterburner.sandbox.duels import Duel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox import CaseReport, Limits, Program, Report
    from afterburner.sandbox.checkers import Checker
    from afterburner.sandbox.duels import DuelReport, DuelSample
    from afterburner.sandbox.sandbox import Sandbox

Case: TypeAlias = TestCase | CallCase

_DUEL_OUTPUT_BYTES = 48 * 1024 * 1024
_BLOCK_S = 0.4  # a block of short samples gets so many of them: the smallest of many is far steadier than that of two
_MOST_REPEATS = 16
_TOGETHER_S = 0.25  # the same of samples that run together, which are far steadier
_BRIEF_S = 0.1  # the same where the sides differ plainly
_MOMENT_S = 0.002  # of a call: about as long as the kernel lets one of several processes have a core
_MOMENTS_S = 0.01  # of the calls of a sample: enough to meet the same ups and downs as another that runs at once
_SHARED = ("files", "processes")  # what samples that run together would meet of each other
_GRACE_S = 5.0
_BY_LINES = Lines()


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes samples of programs on one set of cases, one process at a time."""

    sandbox: Sandbox
    cases: tuple[Case, ...]
    limits: Limits
    core: TimingCore | None  # None: nothing is timed
    checker: Checker = _BY_LINES

    def sample(self, program: Program) -> Sample:
        """Run every case once in a fresh process.

        Raises:
            SampleFailedError: an outcome was not the expected one, or a limit was hit.
            SandboxInternalError: the sandbox failed; it says nothing of the program.
        """
        with timed_on(self.core, self.sandbox) as cpu:
            report = self.sandbox.run(program, self.cases, self.limits, checker=self.checker, cpu=cpu)
        if report.verdict is not Verdict.ACCEPTED:
            raise SampleFailedError.of_report(report)
        by_case = tuple(_work_of(case) for case in report.cases)
        return Sample(add_up(by_case), report.measurement, by_case, _first_pass_cpu_s(self.cases, report))


@dataclass(frozen=True, slots=True)
class FreshSource:
    """Blocks of processes that are started from nothing: for whole programs, and for memory."""

    sampler: Sampler
    original: Program
    rewrites: tuple[Program, ...]
    is_brief: bool = False

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:  # noqa: ARG002 - all are
        """See `BlockSource`."""
        order = block_order(1 + len(self.rewrites), repeats, _salted(seed, self.rewrites), ways=self.per_repeat)
        return _blocks_of([(side, self._sample(side)) for side in order])

    def paced(self, blocks: Sequence[Block], *, brief: bool = False) -> tuple[FreshSource, int]:
        """See `BlockSource`."""
        paced = replace(self, is_brief=brief)
        return paced, _repeats(_sample_s(blocks), paced.round_size, _BRIEF_S if paced.is_brief else _BLOCK_S)

    @property
    def is_together(self) -> bool:
        """See `BlockSource`. Starting them would be most of what they do together."""
        return False

    def apart(self) -> FreshSource:
        """See `BlockSource`."""
        return self

    @property
    def per_repeat(self) -> int:
        """See `BlockSource`: there and back, unless it is brief."""
        return 1 if self.is_brief else 2

    @property
    def round_size(self) -> int:
        """See `BlockSource`."""
        return self.per_repeat * (1 + len(self.rewrites))

    @property
    def most_repeats(self) -> int:
        """See `BlockSource`."""
        return _MOST_REPEATS

    def only(self, numbers: Sequence[int]) -> FreshSource:
        """See `BlockSource`."""
        return replace(self, rewrites=tuple(self.rewrites[number] for number in numbers))

    def _sample(self, side: int) -> Sample:
        try:
            return self.sampler.sample((self.original, *self.rewrites)[side])
        except SampleFailedError as error:
            raise SampleFailedError(error.verdict, error.detail, side) from error


@dataclass(frozen=True, slots=True)
class DuelSource:
    """Blocks of processes that are forked off one template, each block off another: for calls of a function.

    Forks share the template's hash seed and its place in memory, and code may be luckier in one place than in another.

    The speed of a machine changes from one moment to the next. After a first round of samples that run alone, samples
    of all sides run together, so that they meet the same changes: in turns, call by call, or, where a call takes longer
    than a moment, at once.

    Brief blocks are for sides that differ far more than any such change: as few samples as can be, each alone, in an
    order that a coin decides. Their figures are less steady, and a test of them is as exact.
    """

    sandbox: Sandbox
    original: Program
    rewrites: tuple[Program, ...]
    case: CallCase  # the pool of calls, each of which a sample makes once
    limits: Limits  # of one sample
    core: TimingCore | None  # None: nothing is timed
    mode: SampleMode = SampleMode.ALONE
    may_run_together: bool = True
    originals: int = 1  # samples of the original in a group
    is_brief: bool = False

    def take(self, repeats: int, seed: int, *, alone: bool = True) -> tuple[Block, ...]:
        """See `BlockSource`. The calls are made in another order, and under another hash seed, for every seed."""
        groups = self._groups(repeats, seed, alone=alone)
        places = list(range(len(self.case.calls)))
        random.Random(seed).shuffle(places)  # noqa: S311 - no secret, as above
        case = _reordered(self.case, places, seed)
        rivals = tuple(rewrite.source for rewrite in self.rewrites)
        watched = self._watched(repeats, seed, alone=alone)
        is_by_call = self.mode is SampleMode.IN_TURNS
        duel = Duel(rivals, case, groups, self.limits.wall_time_s, watched, call_by_call=is_by_call)
        with timed_on(self.core, self.sandbox) as cpu:
            report = self.sandbox.duel(self.original, duel, self._limits(duel), cpu=cpu)
        _check(report, groups)
        return _blocks_of([(each.side, self._sample(each, places, report, groups)) for each in report.samples])

    def paced(self, blocks: Sequence[Block], *, brief: bool = False) -> tuple[DuelSource, int]:
        """See `BlockSource`."""
        if brief:
            paced = replace(self.apart(), is_brief=True)
            return paced, min(_repeats(_sample_s(blocks), paced.round_size, _BRIEF_S), paced.most_repeats)
        # What disturbs the original shifts its comparison with every rewrite: of several it is sampled twice in a group
        # (Dunnett 1955: as often as the square root of their number). Calls in turns are compared pair by pair.
        mode = self._mode_of(blocks)
        originals = 2 if mode is SampleMode.AT_ONCE and len(self.rewrites) > 1 else 1
        paced = replace(self, mode=mode, originals=originals)
        if not paced._fit(blocks):  # noqa: SLF001 - of our own class
            paced = self.apart()
        repeats = _repeats(_sample_s(blocks), paced.round_size, _TOGETHER_S if paced.is_together else _BLOCK_S)
        return paced, min(repeats, paced.most_repeats)

    @property
    def is_together(self) -> bool:
        """See `BlockSource`."""
        return self.mode is not SampleMode.ALONE

    def apart(self) -> DuelSource:
        """See `BlockSource`."""
        return replace(self, mode=SampleMode.ALONE, may_run_together=False, originals=1, is_brief=False)

    @property
    def per_repeat(self) -> int:
        """See `BlockSource`: there and back. Who runs at once does not wait for a turn, and a coin is as fair there."""
        return 1 if self.is_brief or self.mode is SampleMode.AT_ONCE else 2

    @property
    def most_repeats(self) -> int:
        """See `BlockSource`. Outcomes come out of the sandbox, so large ones allow few samples at once."""
        return max(1, min(_MOST_REPEATS, _DUEL_OUTPUT_BYTES // max(self._expected_bytes * self.round_size, 1)))

    def only(self, numbers: Sequence[int]) -> DuelSource:
        """See `BlockSource`."""
        return replace(self, rewrites=tuple(self.rewrites[number] for number in numbers))

    @property
    def round_size(self) -> int:
        """See `BlockSource`."""
        return self.per_repeat * (self.originals + len(self.rewrites))

    @property
    def _expected_bytes(self) -> int:
        return sum(map(len, self.case.expected_outcomes or ()))

    def _mode_of(self, blocks: Sequence[Block]) -> SampleMode:
        """How samples are to run, as far as these that ran alone tell of the original.

        One that leaves files or processes would find those that another process left, if they ran together. Where one
        starts processes or threads, nobody can tell whose they are in mode, and wall time decides where the rewrite
        does, which is known of samples that ran alone.
        """
        before = [sample for block in blocks for sample in block.before]
        if not self.may_run_together or any(
            complaint.startswith(_SHARED) for sample in before for complaint in sample.complaints
        ):
            return SampleMode.ALONE
        if any(sample.tasks for block in blocks for sample in (*block.before, *block.after)):
            return SampleMode.ALONE
        calls_s = [each.cpu_time_s for each in Block.of(before, before).used[ORIGINAL]]
        long_s = sum(call_s for call_s in calls_s if call_s > _MOMENT_S)
        if waits(before) or long_s < max(sum(calls_s) / 2, _MOMENTS_S):
            return SampleMode.IN_TURNS
        return SampleMode.AT_ONCE

    def _fit(self, blocks: Sequence[Block]) -> bool:
        """Whether a group and the template fit into the memory limit, each as large as the original was alone."""
        peak_kib = max(sample.process.peak_memory_kib for block in blocks for sample in block.before)
        return peak_kib * (1 + self.originals + len(self.rewrites)) <= self.limits.memory_kib

    def _groups(self, repeats: int, seed: int, *, alone: bool) -> tuple[tuple[int, ...], ...]:
        """The sides of the samples, in the groups that run together; those in which each runs alone come first."""
        sides, seats, salt = 1 + len(self.rewrites), self.originals + len(self.rewrites), _salted(seed, self.rewrites)
        order = tuple(seat % sides for seat in block_order(seats, repeats, salt, ways=self.per_repeat))
        if not self.is_together:
            return tuple((side,) for side in order)
        together = (order[at : at + seats] for at in range(0, len(order), seats))
        return (*((side,) for side in self._alone(salt) if alone), *together)

    def _alone(self, salt: str) -> tuple[int, ...]:
        """The order of the samples that run alone in a block of others."""
        return block_order(1 + len(self.rewrites), 1, f"alone {salt}", ways=self.per_repeat)

    def _watched(self, rounds: int, seed: int, *, alone: bool) -> tuple[int, ...]:
        """The samples of one round, by chance: to look at what was left behind takes longer than a short call."""
        if self.is_together:
            return tuple(range(1 + len(self.rewrites))) if alone else ()
        first = random.Random(f"watched {seed}").randrange(rounds) * self.round_size  # noqa: S311 - likewise
        return tuple(range(first, first + self.round_size))

    def _sample(
        self, taken: DuelSample, places: Sequence[int], report: DuelReport, groups: Sequence[Sequence[int]]
    ) -> Sample:
        mode = self.mode if len(groups[taken.group]) > 1 else SampleMode.ALONE
        return _sample_of(taken, places, report.peak_memory_kib, mode)

    def _limits(self, duel: Duel) -> Limits:
        samples = len(duel.order)
        wall_s = samples * self.limits.wall_time_s + _GRACE_S
        output_bytes = max(_DUEL_OUTPUT_BYTES, 2 * samples * self._expected_bytes) + (16 << 20)
        processes = self.limits.processes * max(map(len, duel.groups))
        return replace(
            self.limits, wall_time_s=wall_s, cpu_time_s=wall_s, output_bytes=output_bytes, processes=processes
        )


def _sample_s(blocks: Sequence[Block]) -> float:
    """What a sample takes, in seconds of wall time."""
    return statistics.fmean(sample.process.wall_time_s for block in blocks for sample in (*block.before, *block.after))


def _repeats(sample_s: float, samples_a_round: int, block_s: float = _BLOCK_S) -> int:
    return max(1, min(_MOST_REPEATS, int(block_s / (max(sample_s, 1e-3) * samples_a_round))))


def _salted(seed: int, rewrites: Sequence[Program]) -> str:
    """A seed that is another one for other rewrites."""
    texts = "\0".join(rewrite.source for rewrite in rewrites)
    return f"{seed} {hashlib.sha256(texts.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _reordered(case: CallCase, places: Sequence[int], seed: int) -> CallCase:
    expected = case.expected_outcomes
    return replace(
        case,
        calls=tuple(case.calls[place] for place in places),
        expected_outcomes=None if expected is None else tuple(expected[place] for place in places),
        hash_seed=HASH_SEEDS[seed % len(HASH_SEEDS)],
    )


def _check(report: DuelReport, groups: Sequence[Sequence[int]]) -> None:
    """Raise what went wrong. Where nobody can tell whose fault it was, it is told of the original."""
    failed = [sample for sample in report.samples if sample.calls is None]
    if failed:
        # Where one of a group hangs all are too late: it is the first of those that have come the least far.
        same = [sample for sample in failed if sample.group == failed[0].group]
        first = min(same, key=lambda sample: (sample.load_cpu_s > 0, len(sample.outcomes)))
        raise SampleFailedError(first.verdict, first.detail, first.side)
    if report.broken_off is not None:
        verdict = report.verdict if report.verdict is not Verdict.ACCEPTED else Verdict.RUNTIME_ERROR
        ends = itertools.accumulate(map(len, groups))
        group = next((group for group, end in zip(groups, ends, strict=True) if end > len(report.samples)), groups[-1])
        raise SampleFailedError(verdict, report.broken_off, group[0] if len(group) == 1 else ORIGINAL)


def _sample_of(taken: DuelSample, places: Sequence[int], peak_memory_kib: int, mode: SampleMode) -> Sample:
    assert taken.calls is not None  # noqa: S101 - narrows the type; `_check` has looked
    process = replace(
        taken.calls,
        wall_time_s=taken.process_wall_s,
        cpu_time_s=taken.process_cpu_s,
        peak_memory_kib=peak_memory_kib,
    )
    by_call: list[Measurement] = [taken.calls] * len(places)
    for place, outcome in zip(places, taken.outcomes, strict=True):
        by_call[place] = replace(taken.calls, wall_time_s=outcome.wall_time_s, cpu_time_s=outcome.cpu_time_s)
    return Sample(
        taken.calls,
        process,
        tuple(by_call),
        load_cpu_s=taken.load_cpu_s,
        untold_cpu_s=max(taken.process_cpu_s - taken.told_cpu_s, 0.0),
        complaints=taken.complaints,
        kept_bytes=taken.kept_bytes,
        queued_s=taken.queued_s,
        tasks=taken.tasks,
        mode=mode,
    )


def _blocks_of(samples: Sequence[tuple[int, Sample]]) -> tuple[Block, ...]:
    """A block for each rewrite."""
    by_side: dict[int, list[Sample]] = {}
    for side, sample in samples:
        by_side.setdefault(side, []).append(sample)
    return tuple(Block.of(by_side[ORIGINAL], by_side[side]) for side in sorted(by_side) if side != ORIGINAL)


def _first_pass_cpu_s(cases: Sequence[Case], report: Report) -> float | None:
    if not any(isinstance(case, CallCase) and case.passes > 1 for case in cases):
        return None
    return sum(case.first_pass_cpu_s or 0.0 for case in report.cases)


def _work_of(case: CaseReport) -> Measurement:
    return case.call_measurement or case.measurement
