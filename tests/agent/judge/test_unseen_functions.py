"""Functions that calls give back, as the encoder tells them."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.unseen_functions import unseen_function
from afterburner.agent.types import WorkloadCall
from afterburner.sandbox.driver.encoding_parts import Tree
from afterburner.sandbox.driver.value_encoder import encode

if TYPE_CHECKING:
    from collections.abc import Callable


class Later:
    """Holds the function that it takes the place of."""

    def __init__(self, function: Callable[..., int], *given: int) -> None:
        self.function, self.given = function, given


@Later
def add(left: int, right: int) -> int:
    return left + right


def double(number: int) -> int:
    return 2 * number


def call_with(ending: str, value: object) -> WorkloadCall:
    expected = encode(Tree("outcome", "function", Tree(ending, value), Tree("args"), Tree("kwargs")))
    return WorkloadCall(b"", "pytest", "call 1", 0.0, expected)


@pytest.mark.parametrize("value", [add, [Later(add.function, 1)], {"add": functools.partial(add.function, 1)}])
def test_a_function_that_a_decorator_has_put_away_is_seen_nowhere_else(value: object) -> None:
    assert unseen_function([call_with("returned", 1), call_with("returned", value)]) == "add"


@pytest.mark.parametrize(
    "value",
    [1, double, [double], math.sqrt, int, ["function", "add (another of this name)"], functools.partial(double)],
)
def test_what_stands_under_its_own_name_is_compared_by_itself(value: object) -> None:
    assert not unseen_function([call_with("returned", value)])
    assert not unseen_function([call_with("raised", ValueError(add))]), "nothing was given back"
