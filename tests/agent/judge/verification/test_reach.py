"""Inputs that take a new way through the code are varied further, and lines that none reaches are named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.judge.confirmation import unproven
from afterburner.agent.judge.verification import reach
from afterburner.agent.judge.verification.changed_lines import changed_lines
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.reach import UnseenLine, lines_in_words, unreached_lines
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.types import Decision, Gain

if TYPE_CHECKING:
    from ...evidence.conftest import MakeBench  # noqa: TID252 - a fixture of its
    from .conftest import Compare

pytestmark = pytest.mark.slow

# Each branch takes one change more than the one around it.
NESTED = """\
def f(kind, weight, zones, stamp):
    cost = 0
    if kind == "parcel-xl":
        cost = 4
        if weight > 7301:
            cost = 9
            if zones == []:
                cost = 11
                if stamp < 0:
                    cost = 12
    return cost
"""
PATTERN = """\
def f(items):
    total = 0
    for item in items:
        total += item
        if item * item % 1_000_003 == 271_829:
            total -= 1
            total *= 2
    return total


if __name__ == "__main__":
    f([1, 2, 3])
    f([5])
"""


@pytest.mark.nightly
def test_what_takes_a_new_way_is_varied_further(compare: Compare) -> None:
    wrong = NESTED.replace("cost = 12", "cost = 13")
    found = compare(NESTED, wrong, "f('letter', 20, [3, 1], 5)\nf('card', 1, [2], 9)", rounds=4)
    assert isinstance(found, Counterexample)
    assert found.difference == "returned 13 instead of 12"


def test_lines_that_no_input_reaches_are_named_and_make_a_change_of_them_conditional(make_bench: MakeBench) -> None:
    bench = make_bench(PATTERN, "f")
    search = DifferenceSearch(bench, PATTERN, seed=0)
    rewrite = PATTERN.replace("total *= 2", "total += total").replace("total += item", "total = total + item")
    agreed = search.against(rewrite, Deadline.after(60), rounds=2)
    assert isinstance(agreed, Agreement)
    agreed = replace(agreed, unreached=search.unreached_lines(rewrite))
    assert agreed.unreached == (6, 7)
    assert agreed.line.endswith("; no input reached lines 6 and 7 of the original")

    changed = changed_lines(PATTERN, rewrite, agreed.unreached)
    assert changed == (6, 7)
    gain = Gain(3.0, 2.9, 3.1, confidence=0.99, pairs=20)
    verdict = unproven(agreed, gain, 1, unreached=changed)
    assert verdict is not None
    assert verdict.decision is Decision.CONDITIONAL
    assert "no call reaches lines 6 and 7 of the original" in verdict.reason
    assert unproven(agreed, gain, 1) is None


ANEW = """\
import ast


def checked(function):
    with open(__file__) as file:
        tree = ast.parse(file.read())
    body = next(each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == function.__name__)
    body.decorator_list = []
    names = dict(function.__globals__)
    exec(compile(ast.Module([body], []), function.__code__.co_filename, "exec"), names)
    return names[function.__name__]


@checked
"""


def test_lines_of_a_function_that_a_decorator_compiles_anew_are_seen(make_bench: MakeBench) -> None:
    """As typeguard does: what was put into the text of the file is gone then."""
    text = ANEW + PATTERN
    search = DifferenceSearch(make_bench(text, "f"), text, seed=0)
    agreed = search.against(text.replace("total *= 2", "total += total"), Deadline.after(60), rounds=2)
    assert isinstance(agreed, Agreement)
    above = ANEW.count("\n")
    assert search.unreached_lines(text) == (6 + above, 7 + above)


def test_a_line_of_the_rewrite_that_no_input_reaches_is_known(make_bench: MakeBench) -> None:
    text = PATTERN.replace(
        "        if item * item % 1_000_003 == 271_829:\n            total -= 1\n            total *= 2\n", ""
    )
    rewrite = text.replace(
        "    total = 0\n", "    total = 0\n    if len(items) > 10_000_000:\n        return sum(items)\n"
    )
    search = DifferenceSearch(make_bench(text, "f"), text, seed=0)
    agreed = search.against(rewrite, Deadline.after(60), rounds=1)
    assert isinstance(agreed, Agreement)
    assert isinstance(search.against(text, Deadline.after(60), rounds=1), Agreement)
    assert search.unreached_lines(rewrite) == search.unreached_lines_after(text) == ()
    [line] = search.unreached_lines_after(rewrite)
    assert rewrite.splitlines()[line - 1].strip() == "return sum(items)"
    assert changed_lines(rewrite, text, [line]) == (line,)


def test_every_line_that_a_real_call_reaches_counts_as_reached(make_bench: MakeBench) -> None:
    text = PATTERN.replace("271_829", "4")
    search = DifferenceSearch(make_bench(text, "f"), text, seed=0)
    assert isinstance(search.against(text, Deadline.after(60), rounds=1), Agreement)
    assert search.unreached_lines(text) == ()


WAITING = """\
import time


def f(seconds):
    time.sleep(seconds)
    if seconds > 0.5:
        return "late"
    return "soon"


if __name__ == "__main__":
    f(0.01)
    f(1.0)
"""


@pytest.mark.nightly
def test_calls_that_were_stopped_are_looked_at_again_before_a_line_counts_as_unseen(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first look stops the slow call before its last lines, and knows what it has reached by then."""
    bench = make_bench(WAITING, "f")
    harness = Harness(bench.sandbox, bench.target, bench.environment, bench.limits)
    calls = [call for call in bench.workload.calls_in_order() if "1.0" in call.description]
    first, second = ((30.0, 0.2), (60.0, 20.0))
    monkeypatch.setattr(reach, "_LOOKS", (first,))
    unseen = unreached_lines(harness, calls)
    assert unseen == (6, 7, 8)
    assert all(isinstance(line, UnseenLine) for line in unseen)
    monkeypatch.setattr(reach, "_LOOKS", (first, second))
    unreached = unreached_lines(harness, calls)
    assert unreached == (8,)
    assert not any(isinstance(line, UnseenLine) for line in unreached)


def test_whether_a_line_is_reached_may_stay_unknown_which_is_told_and_is_no_offer() -> None:
    agreed = Agreement((("empty", 900),), unreached=(UnseenLine(6), UnseenLine(7)))
    assert "whether an input reached lines 6 and 7 of the original is not known" in agreed.line
    changed = changed_lines("\n" * 5 + "a\nb\n", "\n" * 5 + "a\nc\n", agreed.unreached)
    verdict = unproven(agreed, None, 800, unreached=changed)
    assert verdict is not None
    assert verdict.decision is Decision.CONDITIONAL
    assert "no call reaches lines 6 and 7 of the original: it is not known whether an input did" in verdict.reason


EVERY_KIND = """\
import functools


class Held:
    def f(self, n):
        '''A text that has to come first.'''
        if n > 5: return "large"
        elif n == 3:
            return "three"
        @functools.cache
        def inner(m):
            global known
            known = m
            while m:
                m -= 1
            else:
                return (
                    m,
                )
        try:
            [][n]
        except IndexError:
            n = n
        finally:
            n = n + 0
        match n:
            case 2:
                return "two"
            case _:
                pass
        with open("/dev/null") as file:
            for line in file:
                print(line)
        return inner(n), self.f.__doc__


if __name__ == "__main__":
    print(Held().f(1))
    print(Held().f(0))
"""


def test_lines_of_every_kind_of_statement_are_told_apart(make_bench: MakeBench) -> None:
    bench = make_bench(EVERY_KIND, "Held.f")
    harness = Harness(bench.sandbox, bench.target, bench.environment, bench.limits)
    calls = [call for call in bench.workload.calls_in_order() if call.origin.startswith("captured")]
    assert unreached_lines(harness, calls) == (9, 28, 33)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ((7,), "line 7"),
        ((7, 9, 12), "lines 7, 9 and 12"),
        (tuple(range(1, 10)), "lines 1, 2, 3, 4, 5, 6 and 3 others"),
    ],
)
def test_lines_are_named_as_a_person_would(lines: tuple[int, ...], words: str) -> None:
    assert lines_in_words(lines) == words
