"""Calls that a language model suggests: run in the sandbox, kept to the contract, and judged like made inputs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.verification.made_inputs import Suggested
from afterburner.agent.judge.verification.outcome import SUGGESTED, Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...evidence.conftest import MakeBench  # noqa: TID252 - the same workbenches

    Suggest = Callable[..., Counterexample | Agreement]

pytestmark = pytest.mark.slow

CALLS = "f([3, 1, 2])\nf([4, 4])\nf([])"
SLOW = """\
def f(items{hint}):
    best = []
    for item in items:
        if item not in best:
            best.append(item)
    return best
"""
SHRINKING_S = 60.0  # on a machine that is busy with other things
BY_DICT = "def f(items{hint}):\n    return list(dict.fromkeys(items))\n"


@pytest.fixture
def suggest(make_bench: MakeBench) -> Suggest:
    """Compare two definitions of `f` on the calls of a snippet; `calls` is the body of the file's main block."""

    def search(
        original: str,
        candidate: str,
        snippet: str,
        *,
        calls: str = CALLS,
        assume: tuple[str, ...] = (),
        rounds: int = 2,
        by_hints: bool = True,
    ) -> object:
        main = 'if __name__ == "__main__":\n' + "".join(f"    {line}\n" for line in calls.splitlines())
        bench = make_bench(f"{original}\n\n{main}", "f")
        bench = replace(bench, workload=replace(bench.workload, assume=assume))
        found = DifferenceSearch(bench, bench.target.source, seed=0, shrinking_s=SHRINKING_S)
        return found.against_suggested(
            f"{candidate}\n\n{main}", Suggested(snippet, SUGGESTED, by_hints), Deadline.after(60), rounds=rounds
        )

    return search


def told(found: Counterexample | Agreement) -> str:
    assert isinstance(found, Agreement), found
    return found.told_of_suggested


def original(hint: str = "") -> str:
    return SLOW.format(hint=hint)


def rewrite(hint: str = "") -> str:
    return BY_DICT.format(hint=hint)


def test_a_call_within_the_contract_refuses_whatever_else_the_snippet_does(suggest: Suggest) -> None:
    wrong = rewrite().replace("list(", "[70_001] if 70_000 in items else list(")
    found = suggest(original(), wrong, "raise ValueError\nf([70_001])\nwhile True: pass\nf([5, 70_000, 5])\nf(")
    assert isinstance(found, Counterexample)
    assert (found.kind, found.calls, found.provided) == (SUGGESTED, ("f([70000])",), ())
    assert found.place == "on a call that a model suggested to tell the two apart"


def test_calls_of_other_kinds_than_the_real_ones_are_left_out(suggest: Suggest) -> None:
    snippet = "f([[1], [1]])\nf('abc')\nf(None)\nf([True])\nf([1], 2)\nf([7, 7])"
    assert told(suggest(original(), rewrite(), snippet)) == (
        "they are the same on 1 call (5 left out: with arguments of other kinds than the type hints or the "
        "real calls say)"
    )


@pytest.mark.nightly
def test_what_the_type_hints_say_is_within_the_contract(suggest: Suggest) -> None:
    hint = ": list[int] | list[list[int]]"
    assert isinstance(suggest(original(hint), rewrite(hint), "f([[1], [1]])"), Counterexample)
    assert told(suggest(original(hint), rewrite(hint), "f(['a', 'a'])\nf([True])")).startswith("it gave none")
    assert told(suggest(original(hint), rewrite(hint), "f([[1], [1]])", by_hints=False)).startswith("it gave none")


@pytest.mark.nightly
def test_a_call_that_breaks_what_held_in_every_real_call_makes_it_conditional(suggest: Suggest) -> None:
    ascending = "from bisect import bisect_left\ndef f(items, one):\n    return bisect_left(items, one)\n"
    linear = "def f(items, one):\n    return sum(item < one for item in items)\n"
    calls = "f([1, 2, 3], 2)\nf([2, 5, 9], 7)\nf([4, 6], 1)"
    found = suggest(linear, ascending, "f([3, 1, 2], 2)", calls=calls)
    assert isinstance(found, Counterexample)
    assert [each.expression for each in found.provided] == ["list(items) == sorted(items)"]
    stated = suggest(
        linear, ascending, "f([3, 1, 2], 2)\nf([1, 3], 2)", calls=calls, assume=("list(items) == sorted(items)",)
    )
    assert told(stated) == "they are the same on 1 call"


def test_a_snippet_changes_neither_the_module_nor_objects(suggest: Suggest) -> None:
    table = (
        "RATES = {{'a': 1}}\nclass Cart:\n    def __init__(self, n): self.n = abs(n)\n\n\ndef f(cart):\n    return {}\n"
    )
    calls = "f(Cart(2))\nf(Cart(3))\nf(Cart(0))"
    snippet = (
        "RATES['a'] = 5\nRATES.clear()\nf(Cart(4))\ncart = Cart(5)\n"
        "cart.n = -5\nsetattr(cart, 'n', -5)\ncart.__dict__['n'] = -5\nf(cart)\ndef g(): f(cart)\n"
    )
    found = suggest(table.format("cart.n * RATES['a']"), table.format("abs(cart.n)"), snippet, calls=calls)
    assert told(found) == (
        "they are the same on 2 calls (4 left out: statements that set attributes, use private names or define "
        "something)"
    )


def test_a_mistake_of_the_caller_is_no_call_of_the_function(suggest: Suggest) -> None:
    summed = "def f(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n"
    assert told(suggest(summed, "def f(items):\n    return sum(items)\n", "f()\nf(3)\nf(['a'])")).startswith(
        "it gave none that can be used"
    )
