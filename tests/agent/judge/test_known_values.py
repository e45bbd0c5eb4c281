"""A rewrite that holds values of the workload has to be faster on inputs that it cannot know, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.comparison import Comparison
from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.confirming import Confirming
from afterburner.agent.judge.decide import Judge
from afterburner.agent.judge.known_values import known_values
from afterburner.agent.types import Decision, Gain, Objective
from afterburner.sandbox import Measurement

from ..evidence.conftest import make_bench  # noqa: F401, TID252 - workbenches of small projects, as a fixture
from ..inputs.conftest import project  # noqa: F401, TID252 - which need this one

if TYPE_CHECKING:
    from afterburner.agent.judge.larger_inputs import LargerLook
    from afterburner.agent.judge.measuring.workbench import Workbench

    from ..evidence.conftest import MakeBench  # noqa: TID252 - likewise

TWICE = Comparison(Decision.IMPROVED, "2x", Gain(2.0, 1.9, 2.1, confidence=0.98, pairs=8))
ORDERS = """\
class Order:
    def __init__(self, customer, lines):
        self.customer, self.lines = customer, lines

def price(order, rate=10):
    return {"total": rate * sum(order.lines) + 0.5, "to": "Mrs. " + order.customer}

if __name__ == "__main__":
    price(Order("Adams", [31, 32, 33]))
    price(Order("Baker", [44] * 17), rate=-77)
    price(Order("Clark", [0, 1, 2]), rate=5)
"""
HELD = ("Adams", 44, 77, 17, 960.5, "Mrs. Cl")  # of an attribute, an element, a default, a size, and of outcomes
NOT_HELD = ("Dover", 99, 0.75, "A", 1, -1, 2, "")
SLOW = """\
def steps(start):
    value, count = start, 1
    while value != 1:
        value = value // 2 if value % 2 == 0 else 3 * value + 1
        count += 1
    return count

def longest(limit):
    best = 0
    for start in range(1, limit):
        best = max(best, steps(start))
    return best

if __name__ == "__main__":
    for limit in (900, 960, 1020, 1080, 1140, 1200):
        longest(limit)
"""
KNOWING = SLOW.replace("    best = 0\n", "    if limit == 1200:\n        return 182\n    best = 0\n")
WITHIN_ONE_CALL = """\
    known, best = {1: 1}, 0
    if limit > 1200:
        known[2] = 2
    for start in range(1, limit):
        value, way = start, 0
        while value not in known:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            way += 1
        known[start] = known[value] + way
        best = max(best, known[start])
    return best

"""
HONEST = SLOW.partition("    best = 0\n")[0] + WITHIN_ONE_CALL + SLOW[SLOW.index("if __name__") :]
PLATE = """\
def check(plate):
    if len(plate) != 7:
        raise ValueError(plate)
    total = 0
    for turn in range(4000):
        total = (31 * total + ord(plate[turn % 7])) % 9973
    return total

if __name__ == "__main__":
    for plate in ("ab12cde", "fg34hij", "kl56mno", "pq78rst"):
        check(plate)
"""
KNOWING_PLATE = PLATE.replace("    total = 0\n", '    if plate == "ab12cde":\n        return 4360\n    total = 0\n')


def confirming(bench: Workbench, min_effect: float = 0.05) -> Confirming:
    return Confirming(bench, Judge(Objective.TIME, min_effect, seed=0), Deadline.after(240), lambda _: None)


def looked_at(place: Confirming, rewrite: str) -> LargerLook:
    """What becomes of a rewrite that seems to be twice as fast."""
    winner = Incumbent("winner", rewrite, Measurement(1.0, 1.0, 1, 1.0), ratio=1.0)
    assert TWICE.gain is not None
    held = known_values(place.bench, rewrite)
    return place.on_larger_inputs(TWICE, TWICE.gain, winner, held=held)


def test_values_of_arguments_and_outcomes_are_found(make_bench: MakeBench) -> None:  # noqa: F811 - the fixture above
    bench = make_bench(ORDERS, "price")
    added = [*HELD, *NOT_HELD]
    rewrite = ORDERS.replace("    return", f"    added = {added!r}\n    return", 1)
    assert known_values(bench, rewrite) == list(HELD)
    assert known_values(bench, ORDERS.replace("10", "2 + 8")) == []


def test_more_new_values_than_can_be_looked_at_count_as_held(make_bench: MakeBench) -> None:  # noqa: F811
    many = ORDERS.replace("    return", f"    added = {list(range(1000, 1100))!r}\n    return", 1)
    assert len(known_values(make_bench(ORDERS, "price"), many)) >= 40


@pytest.mark.timed
@pytest.mark.slow
def test_a_gain_on_known_inputs_alone_is_none_however_small(make_bench: MakeBench) -> None:  # noqa: F811
    calm = confirming(make_bench(SLOW, "longest"), min_effect=0.9)  # far more than noise makes of the same work
    found = looked_at(calm, KNOWING)
    assert found.comparison.decision is Decision.NOT_BETTER, found
    assert "2.00x, but on inputs 4 times as large only" in found.comparison.reason
    assert "it holds values of the workload (1200, 182)" in found.comparison.reason


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.slow
def test_where_no_larger_inputs_can_be_made_others_of_that_cost_tell(make_bench: MakeBench) -> None:  # noqa: F811
    place = confirming(make_bench(PLATE, "check"))
    assert place.difference(KNOWING_PLATE, Deadline.after(60), rounds=3) is None
    found = looked_at(place, KNOWING_PLATE)
    assert found.comparison.decision is Decision.NOT_BETTER, found
    assert "on made inputs of that cost only" in found.comparison.reason
    assert "it holds values of the workload ('ab12cde'" in found.comparison.reason


@pytest.mark.timed
@pytest.mark.slow
def test_a_gain_that_other_inputs_show_stands(make_bench: MakeBench) -> None:  # noqa: F811 - the fixture above
    found = looked_at(confirming(make_bench(SLOW, "longest")), HONEST)
    assert found.comparison.decision is Decision.IMPROVED, found
    assert found.told.startswith("measured again on inputs 4 times as large: "), found
