"""The line profile of the best code so far: a profiler's run in the sandbox on the inputs that it is measured on."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.inputs.harness import Harness
from afterburner.sandbox import AfterburnerError, CancelledError

if TYPE_CHECKING:
    from afterburner.agent.inputs.harness_answers import Answer
    from afterburner.agent.types import Target, Workload
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

MOST_S = 12.0  # wall time of one profile: a profiled line takes some ten times as long
LEAST_S = 1.0  # with less there is none
MOST_CALLS_S = 0.5  # of the original's CPU time, unless the one call that is made takes longer
MOST_CALLS = 200


@dataclass(frozen=True, slots=True)
class LineCost:
    """One line of the file: its share of the time of all lines, and how often it ran."""

    line: int  # from 1
    share: float
    hits: int


@dataclass(frozen=True, slots=True)
class LineProfile:
    """Where one text of the file spends its time. Without lines, `note` says why there are none."""

    of: str  # id of the incumbent that was profiled
    lines: list[LineCost] = field(default_factory=list)  # in the order of the file
    note: str = ""


def profile_lines(
    sandbox: Sandbox,
    target: Target,
    environment: PythonEnvironment,
    workload: Workload,
    limits: Limits,
    *,
    of: str,
    most_s: float,
) -> LineProfile:
    """Profile the text that `target` holds on inputs of selection: the costliest that fit, one case of a program.

    It never fails: where the sandbox, the program or the time lets no profile be made, the result has a note and no
    lines. Only numbers are taken from what the sandbox answers.

    Args:
        sandbox: where it runs.
        target: with the text to profile as its source.
        environment: its interpreter.
        workload: held-out inputs are not used.
        limits: all but the time.
        of: id of the incumbent.
        most_s: wall time; above `MOST_S` it makes no difference.
    """
    if most_s < LEAST_S:
        return LineProfile(of, note="no time was left for it")
    most_s = min(most_s, MOST_S)
    harness = Harness(sandbox, target, environment, replace(limits, wall_time_s=most_s, cpu_time_s=most_s))
    try:
        if workload.cases:
            costliest = max(workload.cases, key=lambda case: case.cpu_time_s if case.cpu_time_s <= MOST_CALLS_S else 0)
            fields = {"qualname": "", "mentions": [], "profile": "lines", "stdin": costliest.stdin.decode("latin-1")}
            answer = harness.ask("main", "line profile", fields)
        else:
            answer = harness.ask("lines", "line profile", {"blobs": _chosen(workload)})
    except CancelledError:
        raise
    except AfterburnerError as error:
        return LineProfile(of, note=f"it could not be made: {error}")
    return _profile_in(answer, of)


def _chosen(workload: Workload) -> list[str]:
    """The costliest calls that fit, as the harness reads them; the cheapest if none does."""
    by_cost = sorted(workload.calls, key=lambda call: call.cpu_time_s)
    chosen = by_cost[:1]
    left_s = MOST_CALLS_S - sum(call.cpu_time_s for call in chosen)
    for call in reversed(by_cost[1:]):
        if call.cpu_time_s <= left_s and len(chosen) < MOST_CALLS:
            chosen.append(call)
            left_s -= call.cpu_time_s
    return [base64.b64encode(call.blob).decode("ascii") for call in chosen]


def _profile_in(answer: Answer, of: str) -> LineProfile:
    found = {each.line: each for each in answer.lines}
    whole_s = sum(each.time_s for each in found.values())
    reasons = "; ".join(dict.fromkeys(failure.reason for failure in answer.failures))
    if whole_s <= 0:
        return LineProfile(of, note=reasons or "no line of the file ran")
    lines = [LineCost(line, found[line].time_s / whole_s, found[line].hits) for line in sorted(found)]
    return LineProfile(of, lines, reasons)
