"""A gain counts as far as first calls of a process have it, wherever a rewrite keeps what it has learnt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.first_calls import look_at_first_calls
from afterburner.agent.types import Gain, Objective

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - workbenches of small projects, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from afterburner.agent.judge.first_calls import FirstCalls
    from afterburner.agent.judge.measuring.workbench import Workbench

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise
    from ..inputs.conftest import Project  # noqa: TID252 - likewise

SHOP = "_cache = {}\n\ndef add(known, start, steps):\n    known[start] = steps\n"
ORIGINAL = """\
import shop

def steps(start):
    value, count = start, 1
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        count += 1
    return count

def longest(limit):
    return max((steps(start) for start in range(1, limit)), default=0)
"""
MAIN = """
if __name__ == "__main__":
    for limit in (900, 960, 1020, 1080, 1140, 1200):
        longest(limit)
"""
KEEPING = """\
def longest(limit):
    best = 0
    for start in range(1, limit):
        if start not in shop._cache:
            KEEP
        best = max(best, shop._cache[start])
    return best
"""
QUICKER = """\
def steps(start):
    value, count = start, 1
    while value != 1:
        if value & 1:
            value, count = (3 * value + 1) >> 1, count + 2
        else:
            value, count = value >> 1, count + 1
    return count
"""
WAYS = {
    "under another name": "known = shop._cache; known[start] = steps(start)",
    "by a method of its type": "dict.update(shop._cache, {start: steps(start)})",
    "through a function that it is handed to": "shop.add(shop._cache, start, steps(start))",
}
WITHIN_ONE_CALL = """\
def longest(limit):
    known, best = {1: 1}, 0
    for start in range(1, limit):
        value, way = start, 0
        while value not in known:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            way += 1
        known[start] = known[value] + way
        best = max(best, known[start])
    return best
"""


@pytest.fixture
def bench(project: Project, make_bench: MakeBench) -> Workbench:  # noqa: F811 - the fixtures above
    project.write("shop.py", SHOP)
    return make_bench(ORIGINAL + MAIN, "longest")


def rewritten(longest: str, before: str = ORIGINAL) -> str:
    return before.partition("def longest")[0] + longest + MAIN


def looked_at(bench: Workbench, rewrite: str) -> tuple[Gain, FirstCalls]:
    """The gain in a process that makes all calls, and what first calls say of it."""
    judge, until = Judge(Objective.TIME, 0.05, seed=0), Deadline.after(120)
    source, _ = bench.block_source(bench.target.source, [rewrite], judge.objective, held_out=True)
    [seen] = judge.screen(source, until)
    assert seen.gain is not None, seen.reason
    return seen.gain, look_at_first_calls(bench, judge, rewrite, seen.gain, until)


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=[] if at == 0 else [pytest.mark.nightly]) for at, way in enumerate(WAYS)]
)
def test_what_is_kept_in_another_module_is_no_gain(bench: Workbench, way: str) -> None:
    gain, first = looked_at(bench, rewritten(KEEPING.replace("KEEP", WAYS[way])))
    assert gain.ratio > 1.5, "later calls are faster"
    assert "only after other calls, from what they have left" in first.objection


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
def test_a_small_gain_of_first_calls_is_not_enough_for_a_large_one_of_later_calls(bench: Workbench) -> None:
    quicker = QUICKER + ORIGINAL.partition("return count\n")[2]
    gain, first = looked_at(
        bench, "import shop\n\n" + rewritten(KEEPING.replace("KEEP", WAYS["under another name"]), quicker)
    )
    small = re.search(
        r"for the most part only after other calls.* ([\d.]+)x where a call is the first", first.objection
    )
    assert small is not None, first.objection
    assert 1.05 < float(small[1]) < gain.ratio**0.5, first.objection


@pytest.mark.timed
@pytest.mark.slow
def test_what_is_kept_within_a_call_is_a_gain(bench: Workbench) -> None:
    gain, first = looked_at(bench, rewritten(WITHIN_ONE_CALL))
    assert gain.ratio > 1.5
    assert not first.objection


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
def test_a_gain_of_which_first_calls_show_only_a_part_is_told(bench: Workbench) -> None:
    judge, until = Judge(Objective.TIME, 0.05, seed=0), Deadline.after(120)
    gain, _ = looked_at(bench, rewritten(WITHIN_ONE_CALL))
    larger = Gain(gain.ratio**1.6, gain.ratio, gain.ratio**2, 0.98, 8)
    first = look_at_first_calls(bench, judge, rewritten(WITHIN_ONE_CALL), larger, until)
    assert not first.objection
    assert "the first call of a process gains" in first.note
