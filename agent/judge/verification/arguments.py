"""Whether a target takes arguments, so that inputs can be made for it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import function_source

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.workbench import Workbench


def takes_arguments(bench: Workbench) -> bool:
    """Whether the target is a function with a parameter; the object of a method counts as one."""
    if bench.by_cases or bench.target.language != PYTHON:
        return False
    parameters = next(
        each for each in ast.walk(ast.parse(function_source(bench.target))) if isinstance(each, ast.arguments)
    )
    return any((parameters.posonlyargs, parameters.args, parameters.vararg, parameters.kwonlyargs, parameters.kwarg))
