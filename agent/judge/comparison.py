"""What a comparison of a rewrite with another program says, and the words and figures it is told with."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.judge.gates import judge_complaints
from afterburner.agent.judge.measuring.sampling import ORIGINAL
from afterburner.agent.types import Decision
from afterburner.agent.wording import format_beside, format_ratio
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.judge.measuring.sampling import Block, SampleFailedError
    from afterburner.agent.types import Gain, GainRange
    from afterburner.sandbox import Measurement


HARDLY_WORSE = 0.995  # prints as 1.00x


@dataclass(frozen=True, slots=True)
class Comparison:
    """A rewrite against the original or the incumbent: decision, reason, gain and its interval."""

    decision: Decision
    reason: str
    gain: Gain | None = None
    before: Measurement | None = None
    after: Measurement | None = None
    verdict: Verdict | None = None  # of the rewrite's timed run, if that failed
    by_size: GainRange | None = None  # from small inputs to large ones; of the test of a time alone
    blocks: tuple[Block, ...] = field(default=(), repr=False)
    figure: str = ""  # that the gain is of, where that is not the objective's own: "wall time", "instructions"

    @classmethod
    def of_blocks(cls, decision: Decision, reason: str, gain: Gain, blocks: Sequence[Block]) -> Comparison:
        """One that was measured."""
        alone = [block.alone() for block in blocks]
        before = median_measurement([sample.work for block in alone for sample in block.before])
        after = median_measurement([sample.work for block in alone for sample in block.after])
        return cls(decision, reason, gain, before, after, blocks=tuple(blocks))

    @classmethod
    def failed(cls, error: SampleFailedError, when: str) -> Comparison:
        """One that could not be measured."""
        if error.side == ORIGINAL:
            reason = f"{when}, the original behaved differently beside it: {error.detail}"
            return cls(Decision.REFUSED, reason)
        # What is late is not known to be different: a busy machine makes everybody late.
        decision = Decision.REFUSED if error.verdict is Verdict.TIME_LIMIT else Decision.WRONG
        return cls(decision, f"{when}: {error.detail}", verdict=error.verdict)


def median_measurement(measurements: Sequence[Measurement]) -> Measurement:
    """The median of each figure by itself."""
    first = measurements[0]
    return type(first)(
        wall_time_s=statistics.median(m.wall_time_s for m in measurements),
        cpu_time_s=statistics.median(m.cpu_time_s for m in measurements),
        peak_memory_kib=round(statistics.median(m.peak_memory_kib for m in measurements)),
        memory_integral_kib_s=statistics.median(m.memory_integral_kib_s for m in measurements),
        samples=round(statistics.median(m.samples for m in measurements)),
        sampling_interval_s=first.sampling_interval_s,
        tier=first.tier,
    )


def left_behind(blocks: Sequence[Block]) -> str | None:
    """What the rewrite leaves changed or running that the original never does."""
    before = dict.fromkeys(complaint for block in blocks for sample in block.before for complaint in sample.complaints)
    after = dict.fromkeys(complaint for block in blocks for sample in block.after for complaint in sample.complaints)
    return judge_complaints(list(before), list(after))


def interval_text(gain: Gain) -> str:
    """A gain with its interval in words."""
    return f"{format_ratio(gain.ratio)} ({format_ratio(gain.low)} to {format_ratio(gain.high)})"


def too_noisy_text(gain: Gain, needed: float, blocks: Sequence[Block]) -> str:
    """Why a gain that may be large enough is none."""
    ratio, low, high, least = format_beside((gain.ratio, gain.low, gain.high), needed)
    return f"too noisy to tell: {ratio} ({low} to {high}) after {len(blocks)} blocks, needed above {least}"


def not_better_text(gain: Gain, needed: float) -> str:
    """Why a gain is none."""
    if gain.high < 1:
        return f"{'worse' if gain.ratio < HARDLY_WORSE else 'no gain'}: {interval_text(gain)}"
    ratio, low, least = format_beside((gain.ratio, gain.low), needed)
    return f"no proven gain: {ratio}, lower bound {low}, needed above {least}"
