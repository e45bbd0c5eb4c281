"""One look at larger inputs spares a run the measuring, and hides neither a slow-down nor a gain that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.slower_on_larger import LargerGlances, glance_at_larger_inputs
from afterburner.agent.types import Objective

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - the same workbenches, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

    Glance = Callable[[str], LargerGlances]

pytestmark = pytest.mark.slow

NEEDED = 1.05
MAIN = "\n\nif __name__ == '__main__':\n    f([n * n % 97 for n in range(300)])\n    f([3, 1, 3])\n"
SEARCHING = """\
def f(items):
    kept = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
"""
BY_DICT = "def f(items):\n    return list(dict.fromkeys(items))\n"
SORTED = "def f(items):\n    return sorted(set(items))\n"
REMEMBERING = """\
def f(items, known={}):
    key = tuple(items)
    if key not in known:
        known[key] = []
        for item in items:
            if item not in known[key]:
                known[key].append(item)
    return list(known[key])
"""
ELSEWHERE = """\
import os

def f(items):
    if len(items) > 400:
        reading, writing = os.pipe()
        if not os.fork():
            for _ in range(40):
                [item for at, item in enumerate(items) if item not in items[:at]]
            os._exit(0)
        os.close(writing)
        os.read(reading, 1)
        os.close(reading)
    return list(dict.fromkeys(items))
"""
COPYING = SEARCHING.replace("not in kept:", "not in list(kept):")


@pytest.fixture
def glance(make_bench: MakeBench) -> Glance:  # noqa: F811 - the fixture above
    """Glance at a rewrite of the searching version."""
    bench = make_bench(SEARCHING + MAIN, "f")
    judge = Judge(Objective.TIME, NEEDED - 1, 0)
    return lambda rewrite: glance_at_larger_inputs(bench, judge, rewrite + MAIN, Deadline.after(240))


def test_what_is_plainly_faster_need_not_be_measured_there(glance: Glance) -> None:
    seen = glance(BY_DICT)
    assert "natural" not in [variety for variety, _ in seen.doubtful]
    assert seen.plain_gain(NEEDED).startswith("run once on inputs ")
    made_of = "times as large, made of the workload's costliest calls, in a fresh process: about "
    assert made_of in seen.plain_gain(NEEDED)
    assert not seen.plain_gain(1_000_000.0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "rewrite",
    [
        pytest.param(SEARCHING, id="as fast"),
        pytest.param(COPYING, id="slower"),
        pytest.param(SORTED, id="something else"),
        pytest.param(ELSEWHERE, id="the work goes on in a process of its own"),
    ],
)
def test_what_may_be_slower_or_does_something_else_is_in_doubt(glance: Glance, rewrite: str) -> None:
    seen = glance(rewrite)
    assert "natural" in [variety for variety, _ in seen.doubtful]
    assert not seen.plain_gain(NEEDED)


def test_a_rewrite_that_remembers_what_it_has_seen_shows_no_gain(glance: Glance) -> None:
    assert not glance(REMEMBERING).plain_gain(NEEDED)


SPINNING = """\
import time

def f(items):
    until_s = time.thread_time() + 3e-5 * len(items) ** 2
    while time.thread_time() < until_s:
        pass
    return len(items)
"""
DEAR_MAIN = "\n\nif __name__ == '__main__':\n    for start in range(3):\n        f(list(range(start, start + 100)))\n"


@pytest.mark.nightly
def test_where_all_larger_calls_are_dear_they_are_made_if_that_is_wanted(make_bench: MakeBench) -> None:  # noqa: F811
    """A call of 100 elements takes 0.3 s, and of 200 elements 1.2 s."""
    bench = make_bench(SPINNING + DEAR_MAIN, "f")
    judge = Judge(Objective.TIME, NEEDED - 1, 0)
    rewrite = SPINNING.replace("3e-5", "3e-7") + DEAR_MAIN
    assert not glance_at_larger_inputs(bench, judge, rewrite, Deadline.after(240)).plain_gain(NEEDED)
    seen = glance_at_larger_inputs(bench, judge, rewrite, Deadline.after(240), however_dear=True)
    assert seen.plain_gain(NEEDED).startswith("run once on inputs 2 times as large")
