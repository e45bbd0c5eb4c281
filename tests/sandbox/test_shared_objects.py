"""Where two versions differ in which objects are the same one, the places are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from calling import blob, verdict_on

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from calling import Call

SHARED = [
    (
        "return rows",
        "return list(rows)",
        "returned a list of its own; in the original it is the same list as `rows`",
    ),
    (
        "return [[], list(rows)]",
        "return [[], rows]",
        "returned a result whose [1] is the same list as `rows`; in the original it is a list of its own",
    ),
    (
        "rows[:] = [[], {1: []}]",
        "one = []; rows[:] = [one, {1: one}]",
        "left `rows[1][1]` as the same list as `rows[0]`; in the original it is a list of its own",
    ),
    (
        "rows += [[]] * 2",
        "rows += [[], []]",
        "left `rows[1]` as a list of its own; in the original it is the same list as `rows[0]`",
    ),
    (
        "rows += [{frozenset([(1,)])}, [1], [1]]",
        "rows += [{frozenset([(1,)])}, *[[1]] * 2]",
        "left `rows[2]` as the same list as another that the call returned or left; in the original it is a list of",
    ),
    ("raise KeyError([1], [1])", "one = [1]; raise KeyError(one, one)", "raised KeyError([1], <an object from above>)"),
]


@pytest.mark.parametrize(("original", "rewrite", "detail"), SHARED)
def test_an_object_that_only_one_version_shares_is_told(call: Call, original: str, rewrite: str, detail: str) -> None:
    whole = "def f(rows):\n    {}\n"
    verdict, told = verdict_on(call, whole.format(original), whole.format(rewrite), blob([]))
    assert verdict is Verdict.WRONG_ANSWER
    assert told.startswith("call 1 ")
    assert detail in told


def test_what_two_arguments_share_is_told_by_their_names(call: Call) -> None:
    source = "class Part:\n    pass\n\ndef f(first, *others, last=None):\n    {}\n"
    of_its_own = "first.append(Part()); first[0].rows = [1]; others[0].append(list(first[0].rows))"
    shared = of_its_own.replace("list(first[0].rows)", "first[0].rows")
    _, told = verdict_on(call, source.format(of_its_own), source.format(shared), blob([], []))
    assert told.endswith(
        "left `others[0][0]` as the same list as `first[0].rows`; in the original it is a list of its own"
    )
    replaced = "last.append(others[0])"
    _, told = verdict_on(call, source.format(replaced), source.format("last.append([])"), blob([], [], last=[]))
    assert told.endswith("left `last[0]` as a list of its own; in the original it is the same list as `others[0]`")
    _, told = verdict_on(call, source.format("others[0].append(1)"), source.format("pass"), blob([], [], last=[]))
    assert told.endswith("left argument `others[0]` (2nd) as [] instead of [1]")
