"""What a user can do where no calls can be used: never what is there already."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from afterburner.agent.code.statements import function_on_lines
from afterburner.agent.inputs.inside.user_code import main_blocks

if TYPE_CHECKING:
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target

_CASES = "--cases DIR with NAME.in and NAME.out for a whole program"


def calls_advice(target: Target, settings: RunSettings) -> str:
    """Say what gives usable calls of a function, by what the user has given and what the file holds."""
    inputs = settings.inputs
    if inputs.calls is not None:
        return f"Let {inputs.calls} make other calls of {target.function}: the lines above say what stands in the way."
    if inputs.cases is not None:
        return (
            f"Let the cases in {inputs.cases} make other calls of {target.function}, or give --calls FILE.py, a Python "
            "file that calls it, in place of --cases."
        )
    if settings.batch.command:
        return f"Let the command make other calls of {target.function}, or optimise it by itself, with --calls FILE.py."
    ways = ["give --calls FILE.py, a Python file that calls it", f"give {_CASES}"]
    if main_blocks(target.source.replace("\r\n", "\n"), target.path):
        ways.append(f"let the file's `__main__` block make other calls of {target.function}")
    else:
        ways.append('add an `if __name__ == "__main__":` block to the file')
    unhinted = unhinted_parameters(target)
    if unhinted:
        ways.append(f"give type hints to {', '.join(f'`{name}`' for name in unhinted)}")
    if not settings.models.model_workload:
        ways.append("leave out --no-model-workload")
    *others, last = ways
    text = f"{'; '.join(others)}; or {last}."
    return text[0].upper() + text[1:]


def unhinted_parameters(target: Target) -> list[str]:
    """The parameters of a function that inputs cannot be made for without a type hint."""
    function = function_on_lines(target.source, target.first_line, target.last_line)
    if function is None:
        return []
    arguments = function.args
    placed = [*arguments.posonlyargs, *arguments.args]
    required = placed[: len(placed) - len(arguments.defaults)]
    required += [each for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not default]
    is_bound = "." in (target.function or "") and not any(
        isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list
    )
    return [each.arg for each in required[is_bound:] if each.annotation is None]
