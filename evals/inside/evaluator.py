"""Judges outputs by the `evaluate` of a record of Venus or EffiBench-X."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from .checking import judge

if TYPE_CHECKING:
    from collections.abc import Callable

_ESCAPES = re.compile(r"\x1b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])")


def check_venus(preamble: str, evaluator: str) -> None:
    """Ask `evaluate(expected_output, program_output)`: Venus gives the expected one first."""

    def make_rule() -> Callable[[str, str, str], object]:
        evaluate = _evaluate(preamble, evaluator)
        return lambda _given, output, answer: _told(evaluate(answer, output))

    judge(make_rule, texts=True)


def check_effibench_x(preamble: str, evaluator: str) -> None:
    """Ask `evaluate(output, expected)`, the reverse of what EffiBench-X's own prompt says, as its grader does.

    Both are stripped before, and rid of what colours a terminal.
    """

    def make_rule() -> Callable[[str, str, str], object]:
        evaluate = _evaluate(preamble, evaluator)
        return lambda _given, output, answer: _told(evaluate(_cleaned(output), _cleaned(answer)))

    judge(make_rule, texts=True, most_seconds=10.0)


def _evaluate(preamble: str, evaluator: str) -> Callable[[str, str], object]:
    # An evaluator may read an output by `eval`; what a stranger's program printed is no code to run.
    names: dict[str, object] = {"__name__": "evaluator", "eval": _literal}
    for name, text in (("preamble", preamble), ("evaluator", evaluator)):
        exec(compile(text, name, "exec", dont_inherit=True), names)  # noqa: S102 - in the sandbox
    return names["evaluate"]  # type: ignore[return-value]


def _literal(text: str, *_names: object) -> object:
    return ast.literal_eval(text)


def _cleaned(text: str) -> str:
    return _ESCAPES.sub("", text).replace("\r\r\n", "\n").replace("\r\n", "\n").strip()


def _told(accepted: object) -> object:
    return None if accepted else "the problem's evaluator refuses the output"
