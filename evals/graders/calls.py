"""Graders of benchmarks whose solutions are functions: runners that call them, and checkers of what they return."""

from __future__ import annotations

from afterburner.evals.graders.inside_programs import inside_program, inside_runner
from afterburner.sandbox import Limits, Program
from afterburner.sandbox.checkers import Custom

CHECKER_LIMITS = Limits(wall_time_s=60.0, cpu_time_s=60.0)


def calling_runner(entry: str, preamble: str = "") -> str:
    """Give a runner that calls a solution once, with tagged JSON (`evals/inside/values.py`) in and out.

    Args:
        entry: `name` or `Solution.name`.
        preamble: Python that runs before the solution, and whose names it knows.
    """
    return inside_runner("calling", "answer", preamble=preamble, entry=entry)


def strict_checker() -> Custom:
    """Our own rule: equal to the answer, and of its types all the way down; floats within a relative 1e-9."""
    return _checker("same", "strict")


def json_checker() -> Custom:
    """Equal to the answer for what JSON knows: a tuple is a list; floats as close as NumPy's `allclose` has them."""
    return _checker("same", "as_json")


def enamel_checker(prompt: str, checker: str) -> Custom:
    """ENAMEL's rule: what `__check(input, answer, output)` of a record says, which sees the input as it was."""
    return _checker("enamel", "check", prompt=prompt, checker=checker)


def mercury_runner(convert: str, entry: str) -> str:
    """Give Mercury's way of calling: `convert_offline` of the inputs, and one instance for all of them."""
    return inside_runner("mercury", "answer", convert=convert, entry=entry)


def mercury_checker(convert: str, evaluate: str, *, only_true: bool, inputs_after: bool) -> Custom:
    """Mercury's rule: what `evaluate_offline(inputs, outputs, expected)` of a record says of each case.

    Args:
        convert: source of `convert_offline`.
        evaluate: source of `evaluate_offline`.
        only_true: whether it has to say True; otherwise, as in Mercury's own, anything that counts as true will do.
        inputs_after: whether it sees the inputs as the solution left them, as in Mercury's own, rather than as they
            were before the call.
    """
    arguments = {"convert": convert, "evaluate": evaluate, "only_true": only_true, "inputs_after": inputs_after}
    return _checker("mercury", "check", accepts_equal=False, **arguments)


def _checker(module: str, function: str, *, accepts_equal: bool = True, **arguments: object) -> Custom:
    program = Program("python", inside_program(module, function, **arguments))
    return Custom(program, CHECKER_LIMITS, accepts_equal=accepts_equal)
