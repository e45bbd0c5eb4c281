"""Where no call can be used, the message names what stands in the way, and never what is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.advice import calls_advice, unhinted_parameters
from afterburner.agent.options import BatchPlace, InputOptions, ModelOptions, RunSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[[str, str], Target]

PLAIN = "def f(x):\n    return x\n"
MAIN = 'if __name__ == "__main__":\n    print()\n'


def advice(target: Target, inputs: InputOptions | None = None, **options: object) -> str:
    return calls_advice(target, RunSettings(target.path, "f", inputs=inputs or InputOptions(), **options))  # type: ignore[arg-type]


def test_what_is_missing_is_advised(make_target: MakeTarget) -> None:
    said = advice(make_target(PLAIN, "f"))
    assert said.startswith("Give --calls FILE.py, a Python file that calls it; give --cases DIR")
    assert 'add an `if __name__ == "__main__":` block' in said
    assert said.endswith("or give type hints to `x`.")


def test_what_is_there_is_not(make_target: MakeTarget) -> None:
    said = advice(make_target(PLAIN.replace("(x)", "(x: int)") + MAIN, "f"))
    assert "type hints" not in said
    assert "add an" not in said
    assert said.endswith("or let the file's `__main__` block make other calls of f.")


def test_what_was_given_is_not_asked_for_again(make_target: MakeTarget) -> None:
    target = make_target(PLAIN, "f")
    assert "Give --calls" not in advice(target, InputOptions(calls="mine.py"))
    assert "mine.py" in advice(target, InputOptions(calls="mine.py"))
    assert "--cases DIR" not in advice(target, InputOptions(cases="mine"))
    assert advice(target, batch=BatchPlace(command=("main.py",))).startswith("Let the command make other calls of f")
    assert "leave out --no-model-workload" in advice(target, models=ModelOptions(model_workload=False))


@pytest.mark.parametrize(
    ("source", "function", "missing"),
    [
        ("def f(a, b: int, c=3, *rest, d, e=4, **more):\n    pass\n", "f", ["a", "d"]),
        ("class A:\n    def f(self, a):\n        pass\n", "A.f", ["a"]),
        ("class A:\n    @staticmethod\n    def f(a):\n        pass\n", "A.f", ["a"]),
        ("class A:\n    @classmethod\n    def f(cls, a: int):\n        pass\n", "A.f", []),
        ("async def f(a: 'int'):\n    pass\n", "f", []),
        ("def f():\n    pass\n", "f", []),
    ],
)
def test_only_what_inputs_need_a_hint_for_counts(
    make_target: MakeTarget, source: str, function: str, missing: list[str]
) -> None:
    assert unhinted_parameters(make_target(source, function)) == missing
