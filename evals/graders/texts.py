"""Graders of benchmarks whose solutions are programs: checkers of what they print."""

from __future__ import annotations

from afterburner.agent.job.problem import SUBMISSION
from afterburner.evals.graders import preambles
from afterburner.evals.graders.calls import CHECKER_LIMITS
from afterburner.evals.graders.inside_programs import inside_program
from afterburner.sandbox import Program
from afterburner.sandbox.checkers import Custom


def program_runner(preamble: str) -> str:
    """Give a runner for solutions that are programs: imports, and then the solution."""
    return f"{preamble}\n{SUBMISSION}\n"


def venus_checker(evaluator: str) -> Custom:
    """Venus's rule: what `evaluate(expected_output, program_output)` of a record says. Equal texts are right."""
    return _checker("evaluator", "check_venus", preamble=preambles.VENUS, evaluator=evaluator)


def effibench_x_checker(evaluator: str) -> Custom:
    """EffiBench-X's rule: what `evaluate` of a record says, given the output first. Equal texts are right."""
    preamble = preambles.EFFIBENCH_X["python"]
    return _checker("evaluator", "check_effibench_x", preamble=preamble, evaluator=evaluator)


def apps_checker() -> Custom:
    """The rule of APPS for programs, which forgives order, repetitions and rounding; see `evals/inside/apps.py`."""
    return _checker("apps", "check_lines")


def apps_python_checker() -> Custom:
    """APPS_Python's rule: the same text but for whitespace at its ends."""
    return _checker("stripped", "check")


def livecodebench_checker() -> Custom:
    """LiveCodeBench's rule for programs: lines that are equal, or equal as decimal numbers one by one."""
    return _checker("livecodebench", "check_lines")


def _checker(module: str, function: str, **arguments: object) -> Custom:
    return Custom(Program("python", inside_program(module, function, **arguments)), CHECKER_LIMITS, accepts_equal=True)
