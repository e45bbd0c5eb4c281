"""Code that a model wrote: whatever goes wrong with it is told in words, and it may not be nested at will."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.additions import RewriteError
from afterburner.agent.code.foreign_code import MAX_LEVELS, attempted, check_levels, most_levels
from afterburner.agent.code.splice import parse_answer_code, splice
from afterburner.agent.errors import TargetError
from afterburner.agent.types import Rewrite
from afterburner.sandbox import CancelledError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ZeroDivisionError("division\nby zero"), "The answer cannot be read: ZeroDivisionError: division by zero"),
        (RecursionError(), "The answer is nested too deeply to be read."),
        (MemoryError(), "The answer takes more memory to be read than there is."),
        (UsageError("No such language."), "No such language."),
        (RewriteError("It lacks f."), "It lacks f."),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)
def test_whatever_a_step_raises_is_a_refusal_with_its_reason(error: Exception, message: str) -> None:
    def step() -> None:
        raise error

    with pytest.raises(RewriteError) as raised:
        attempted(step, "read")
    assert str(raised.value) == message


def test_a_step_that_is_cancelled_is_no_refusal() -> None:
    def step() -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        attempted(step, "read")
    assert attempted(lambda: 7, "read") == 7


@pytest.mark.parametrize(
    "expression",
    [" + ".join(["x"] * 3000), " + ".join(["x"] * 800), f"x{'.y' * 400}", f"x{'[0]' * 400}", f"{'not ' * 400}x"],
    ids=["sum of 3,000", "sum of 800", "attributes", "subscripts", "not"],
)
def test_a_long_sum_or_chain_is_refused_with_what_to_do(make_target: MakeTarget, expression: str) -> None:
    target = make_target("def f(x):\n    return x\n", "f")
    code = f"def f(x):\n    return {expression}\n"
    with pytest.raises(RewriteError, match="nested too deeply"):
        parse_answer_code(code, target)
    with pytest.raises(RewriteError, match="nested too deeply"):
        splice(target, Rewrite(code))
    with pytest.raises(RewriteError, match="nested too deeply"):
        splice(target, Rewrite("def f(x):\n    return g(x)\n", helpers=(code.replace("def f", "def g"),)))


def test_what_the_users_file_does_a_rewrite_may_do(make_target: MakeTarget) -> None:
    long_sum = " + ".join(["x"] * 230)
    target = make_target(f"def f(x):\n    y = {long_sum}\n    return y\n", "f")
    assert most_levels(target.source) > MAX_LEVELS
    assert splice(target, parse_answer_code(f"def f(x):\n    return {long_sum}\n", target)).count("+") == 229


def test_the_line_that_is_nested_too_deeply_is_told() -> None:
    check_levels(ast.parse("x = 1\ny = a + b + c\n"), "answer", most=6)
    with pytest.raises(RewriteError, match="The answer is nested too deeply in line 2: it has more than 5 levels"):
        check_levels(ast.parse("x = 1\ny = a + b + c\n"), "answer", most=5)


@pytest.mark.parametrize("literal", ["0x" + "f" * 5000, "0b" + "1" * 20_000, "0o" + "7" * 6000, "9" * 5000])
def test_a_number_that_python_does_not_write_out_is_refused(make_target: MakeTarget, literal: str) -> None:
    target = make_target("def f(x):\n    return x\n", "f")
    code = f"def f(x):\n    return x + {literal}\n"
    with pytest.raises(RewriteError, match=r"not Python, line 2: .*\d digits"):
        parse_answer_code(code, target)
    with pytest.raises(RewriteError, match="not Python"):
        splice(target, Rewrite(code))
    with pytest.raises(TargetError, match="line 2"):
        make_target(code, "f", "other.py")


def test_a_long_hexadecimal_number_is_read_if_python_writes_it_out(make_target: MakeTarget) -> None:
    target = make_target("def f(x):\n    return x\n", "f")
    code = f"def f(x):\n    return x + 0x{'f' * 3400}\n"
    assert splice(target, parse_answer_code(code, target)) == code
    text = f"def f(x):\n    return x + '0x{'f' * 9000}'\n"
    assert splice(target, parse_answer_code(text, target)) == text
