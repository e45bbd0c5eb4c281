"""Every earlier solution with its figures, as the history-aware loop of the paper's rebuttal shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.languages import spoken_name
from afterburner.agent.code.locate import function_source, with_source
from afterburner.agent.models.prompts.prompt import block, performance_lines
from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import JudgedCandidate, Target

MOST_SOLUTIONS = 32  # the longest loop that the rebuttal reports


def earlier_solutions(records: Sequence[JudgedCandidate], target: Target) -> str:
    """Write (C_0, M_0), (C_1, M_1), …, the newest last; empty if there are none.

    Args:
        records: of all earlier iterations. An answer without code has nothing to show.
        target: what they are solutions of; of a function, no other part of its file is shown.
    """
    shown = [each for each in records if each.source][-MOST_SOLUTIONS:]
    language = spoken_name(target.language)
    return "\n".join(
        f"### Solution {number}\n{block(language, function_source(with_source(target, each.source)))}\n{_figures(each)}"
        for number, each in enumerate(shown, start=1)
    )


def _figures(record: JudgedCandidate) -> str:
    used = record.measurement
    return performance_lines(
        record.verdict is Verdict.ACCEPTED,
        used.wall_time_s if used else None,
        used.peak_memory_kib if used else None,
        used.memory_integral_kib_s if used else None,
    )
