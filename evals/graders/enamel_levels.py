"""What ENAMEL makes of a report: whether a solution passes, and its times at each level, for eff@k."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox import CaseReport, TestCase

_NAME = re.compile(r"level (\d+), case \d+")
_LIMITS = {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}
_LIKE_LIMITS = ("MemoryError", "OverflowError")  # exceptions that end a level in ENAMEL's own evaluation, no more


@dataclass(frozen=True, slots=True)
class Levels:
    """One run of a solution on the cases of a problem.

    Attributes:
        passed: by ENAMEL's rule: level 0 is right, and no case that was reached is wrong. Running out of time or memory
            at a later level is no failure.
        times_s: wall time of the whole process of each case, level by level; None: a case of this level, or of one
            before it, ran out of time or memory. eff@k takes those from level 1 on.
    """

    passed: bool
    times_s: tuple[tuple[float, ...] | None, ...]


def enamel_levels(cases: Sequence[TestCase], reports: Sequence[CaseReport]) -> Levels:
    """Tell passing and times from the reports on all cases of a problem that `read_enamel` made.

    Args:
        cases: of the problem, called `level 2, case 0`.
        reports: on them, in their order; the run was not stopped at a failure.

    Raises:
        ValueError: the cases are not ENAMEL's, or there is not one report for each.
    """
    by_level: dict[int, list[CaseReport]] = {}
    for case, report in zip(cases, reports, strict=True):
        found = _NAME.fullmatch(case.name)
        if found is None:
            raise ValueError(f"This is no case of ENAMEL: {case.name!r}.")
        by_level.setdefault(int(found[1]), []).append(report)
    times: list[tuple[float, ...] | None] = []
    for level in sorted(by_level):
        ended = next((each for each in by_level[level] if each.verdict is not Verdict.ACCEPTED), None)
        if ended is not None and (level == 0 or not _ran_out(ended)):
            return Levels(passed=False, times_s=(None,) * len(by_level))
        if ended is not None:
            break
        times.append(tuple(each.measurement.wall_time_s for each in by_level[level]))
    return Levels(passed=True, times_s=(*times, *(None,) * (len(by_level) - len(times))))


def _ran_out(report: CaseReport) -> bool:
    if report.verdict is Verdict.RUNTIME_ERROR:
        last = report.stderr.strip().rpartition("\n")[2]
        return last.startswith(_LIKE_LIMITS)
    return report.verdict in _LIMITS
