"""Which rewrite becomes the best so far, and which of them are confirmed in which order."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.confirmation import ORIGINAL, Incumbent
from afterburner.agent.loop.graph import Loop
from afterburner.agent.loop.state import LoopState, empty_state
from afterburner.agent.loop.winners import unconditional_first, winners_of
from afterburner.agent.types import Decision, Gain, JudgedCandidate
from afterburner.sandbox import Measurement, Verdict

SECOND = JudgedCandidate("2.1", 2, "rules", Verdict.ACCEPTED, Decision.PROMISING, "", source="second")


class Selecting:
    """As much of a loop as selects where the time for the search is over: then no difference is looked for."""

    settings = SimpleNamespace(search=SimpleNamespace(iterations=4))

    def __init__(self) -> None:
        self.search_until = Deadline.after(0)

    def on_event(self, event: object) -> None:
        """Nobody is told."""


def _selected(gain: Gain, *, of_original: bool = False) -> LoopState:
    measurement = Measurement(1.0, 1.0, 1000, 1.0, 1, 0.1, "tier")
    original, first = (Incumbent(name, name, measurement, ratio) for name, ratio in ((ORIGINAL, 1.0), ("1.1", 13.5)))
    lineage = [original] if of_original else [original, first]
    earlier = JudgedCandidate(
        "1.1", 1, "rules", Verdict.ACCEPTED, Decision.PROMISING, "", Gain(13.5, 13.0, 18.0, 0.0, 2), source="1.1"
    )
    second = replace(SECOND, gain=gain)
    records = [second] if of_original else [earlier, second]
    state = empty_state() | {"iteration": 2, "lineage": lineage, "records": records}
    return cast("LoopState", state | Loop.select(cast("Loop", Selecting()), cast("LoopState", state)))


@pytest.mark.parametrize(
    ("gain", "of_original", "order"),
    [
        pytest.param(Gain(1.06, 0.93, 1.06, 0.0, 2), False, ["1.1", "2.1"], id="a gain that may be none"),
        pytest.param(Gain(1.06, 1.02, 1.10, 0.0, 2), False, ["2.1", "1.1"], id="a clear one"),
        pytest.param(Gain(1.30, 0.93, 1.40, 0.0, 2), True, ["2.1"], id="in place of the original"),
    ],
)
def test_when_the_time_is_over_a_right_rewrite_is_not_given_up_for_one_that_may_be_no_better(
    gain: Gain, order: list[str], *, of_original: bool
) -> None:
    state = _selected(gain, of_original=of_original)
    assert [each.id for each in winners_of(state, 0.05)] == order
    assert (state["records"][-1].decision is Decision.PROMISING) == (order[0] == "2.1")


@pytest.mark.parametrize(
    ("ratios", "conditional", "order"),
    [
        pytest.param([14.3, 13.2, 1.1], {"0"}, ["1", "2", "0"], id="another is nearly as good"),
        pytest.param([14.3, 7.0, 1.1], {"0"}, ["0", "1", "2"], id="far better than the others"),
        pytest.param([14.3, 13.2], {"0", "1"}, ["0", "1"], id="all of them"),
        pytest.param([14.3, 13.2], set(), ["0", "1"], id="none of them"),
    ],
)
def test_who_needs_a_condition_is_tested_behind_who_does_not(
    ratios: list[float], conditional: set[str], order: list[str]
) -> None:
    measurement = Measurement(1.0, 1.0, 1000, 1.0, 1, 0.1, "tier")
    winners = [Incumbent(str(number), "", measurement, ratio) for number, ratio in enumerate(ratios)]
    assert [each.id for each in unconditional_first(winners, conditional)] == order
