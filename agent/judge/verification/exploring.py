"""CrossHair as one more source of inputs: calls that its symbolic search takes for a difference."""

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
START_S = 10.0  # for importing it and the module
SLOWDOWN = 4  # how many times longer it may take on a busy machine
MEMORY_KIB = 1 << 20  # it needs some 80 MiB
# What its texts of values need.
_PRELUDE = "import collections, datetime, decimal, fractions\nfrom math import inf, nan\n"


@dataclass(frozen=True, slots=True)
class Exploration:
    """Calls that are to be made again with plain values, as a snippet; or why nothing was searched."""

    snippet: str = ""
    left_out: str = ""


def explore(bench: Workbench, source: str, until: Deadline) -> Exploration:
    """Search for calls on which the file's function, in this text of the file, differs from the original.

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
    seconds = SLOWDOWN * CPU_S + START_S
    limits = replace(bench.limits, wall_time_s=seconds, cpu_time_s=2 * CPU_S + START_S, memory_kib=MEMORY_KIB)
    harness = Harness(bench.sandbox, bench.target, environment, limits)
    answer = harness.ask("explore", "explored", {"rewrite": source, "cpu_s": CPU_S, "extra_site": site})
    if not answer.suggested:
        return Exploration(left_out=next((failure.reason for failure in answer.failures), ""))
    return Exploration(snippet=_PRELUDE + "\n".join(answer.suggested))


def _objection(bench: Workbench, until: Deadline) -> str:
    """Why a search could not begin; empty if it can."""
    if bench.by_cases or bench.target.language != PYTHON:
        return "it searches functions of Python"
    if "." in (bench.target.function or ""):
        return "it searches no methods"
    if until.left_s() < CPU_S:
        return "no time was left"
    unsaid = _without_hint(function_source(bench.target))
    return f"`{unsaid}` has no type hint" if unsaid else ""


def _without_hint(function: str) -> str:
    """The name of the first parameter that has no type hint; empty: all have one."""
    parameters = next(each for each in ast.walk(ast.parse(function)) if isinstance(each, ast.arguments))
    known = [*parameters.posonlyargs, *parameters.args, parameters.vararg, *parameters.kwonlyargs, parameters.kwarg]
    return next((each.arg for each in known if each is not None and each.annotation is None), "")
