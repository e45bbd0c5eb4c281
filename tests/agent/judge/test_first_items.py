"""A generator is judged as it is used, too: by its first item, and by as many as its callers were seen to take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.first_items import later_items
from afterburner.agent.types import Objective

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - workbenches of small projects, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.workbench import Workbench

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

HEAD = """\
from itertools import islice

def steps(start):
    value, count = start, 1
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        count += 1
    return count

"""
MAIN = """
if __name__ == "__main__":
    starts = list(range(10**6, 10**6 + 2000))
    next(counts(starts))
    assert len(list(islice(counts(starts[1:]), 3))) == 3
"""
ORIGINAL = """\
def counts(starts):
    for start in starts:
        yield steps(start)
"""
EAGER = """\
def counts(starts):
    every = [steps(start) for start in starts]
    yield from every
"""
IN_BLOCKS = """\
def counts(starts):
    for at in range(0, len(starts), 100):
        block = [steps(start) for start in starts[at:at + 100]]
        yield from block
"""
AFTER_THE_FIRST = """\
def counts(starts):
    if starts:
        yield steps(starts[0])
        rest = [steps(start) for start in starts[1:]]
        yield from rest
"""
LAZY = """\
def counts(starts):
    return (steps(start) for start in starts)
"""


@pytest.fixture
def bench(make_bench: MakeBench) -> Workbench:  # noqa: F811 - the fixture above
    return make_bench(HEAD + ORIGINAL + MAIN, "counts")


def objection(bench: Workbench, rewrite: str) -> str | None:
    judge, calls = Judge(Objective.TIME, 0.05, seed=0), bench.workload.calls_in_order()
    return later_items(bench, judge, HEAD + rewrite + MAIN, calls, Deadline.after(120))


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize(
    ("rewrite", "said"),
    [
        pytest.param(EAGER, "its first item takes", id="eager", marks=pytest.mark.nightly),
        pytest.param(IN_BLOCKS, "its first item takes", id="in blocks"),
        pytest.param(AFTER_THE_FIRST, "the first 3 items, as many as a caller takes, take", id="after the first"),
    ],
)
def test_work_for_items_that_nobody_takes_is_no_gain(bench: Workbench, rewrite: str, said: str) -> None:
    assert {call.taken for call in bench.workload.calls_in_order()} >= {1, 3}
    assert said in (objection(bench, rewrite) or "")


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
def test_a_rewrite_that_stays_lazy_passes(bench: Workbench) -> None:
    assert objection(bench, LAZY) is None
