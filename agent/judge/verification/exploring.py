"""CrossHair as one more source of inputs: calls on which its symbolic search sees a difference."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import function_source
from afterburner.agent.inputs.crosshair_interpreter import with_crosshair
from afterburner.agent.inputs.harness import Harness
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.measuring.workbench import Workbench

CPU_S = 3.0  # of its search: with 10 s it found nothing more in what was tried
START_S = 10.0  # for importing it and the module, at most
LEAST_S = CPU_S + 2.0  # the wall time that a search needs on an idle machine
SLOWDOWN = 4  # how many times longer it may take on a busy machine
MEMORY_KIB = 1 << 20  # it needs some 80 MiB
# What the values that it writes need.
_PRELUDE = "import collections, datetime, decimal, fractions\nfrom math import inf, nan\n"


@dataclass(frozen=True, slots=True)
class Exploration:
    """Calls to make again with plain values, as a snippet; or why there was no search."""

    snippet: str = ""
    left_out: str = ""


def explore(bench: Workbench, source: str, until: Deadline, *, cpu_s: float = CPU_S) -> Exploration:
    """Search for calls on which the file's function, in this text of the file, differs from the original.

    Args:
        bench: the original, and where the search runs.
        source: the text of the file with the rewrite in place.
        until: when the search is stopped, whatever it has found.
        cpu_s: the CPU time of the search.

    Raises:
        SandboxInternalError: the sandbox failed.
    """
    objection = _objection(bench, until)
    if objection:
        return Exploration(left_out=objection)
    try:
        environment, site = with_crosshair(bench.environment)
    except UsageError as error:
        return Exploration(left_out=str(error))
    if unsaid := _without_hint(function_source(bench.target)):
        return Exploration(left_out=f"`{unsaid}` has no type hint")
    wall_s = min(SLOWDOWN * cpu_s + START_S, until.left_s())
    limits = replace(bench.limits, wall_time_s=wall_s, cpu_time_s=2 * cpu_s + START_S, memory_kib=MEMORY_KIB)
    harness = Harness(bench.sandbox, bench.target, environment, limits)
    answer = harness.ask("explore", "explored", {"rewrite": source, "cpu_s": cpu_s, "extra_site": site})
    if not answer.suggested:
        return Exploration(left_out=next((failure.reason for failure in answer.failures), ""))
    return Exploration(snippet=_PRELUDE + "\n".join(answer.suggested))


def _objection(bench: Workbench, until: Deadline) -> str:
    """Why a search could not begin; empty if it can."""
    if bench.by_cases or bench.target.language != PYTHON:
        return "it only handles Python functions"
    if "." in (bench.target.function or ""):
        return "it does not handle methods"
    if until.left_s() < LEAST_S:
        return "no time was left"
    return ""


def _without_hint(function: str) -> str:
    """The name of the first parameter that has no type hint; empty: all have one."""
    parameters = next(each for each in ast.walk(ast.parse(function)) if isinstance(each, ast.arguments))
    known = [*parameters.posonlyargs, *parameters.args, parameters.vararg, *parameters.kwonlyargs, parameters.kwarg]
    return next((each.arg for each in known if each is not None and each.annotation is None), "")
