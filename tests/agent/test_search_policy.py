"""From where a round goes on, how bold the model is, and when the search is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.loop.search_policy import SearchPolicy, fruitless_rounds, over_original
from afterburner.agent.loop.state import empty_state
from afterburner.agent.option_kinds import SearchStyle, Temperature
from afterburner.agent.options import RunSettings, Search
from afterburner.agent.types import Decision, Gain, JudgedCandidate
from afterburner.sandbox import Measurement, UsageError

if TYPE_CHECKING:
    from afterburner.agent.loop.state import LoopState

USED = Measurement(1.0, 1.0, 1, 1.0)


def record(name: str, ratio: float, decision: Decision = Decision.PROMISING) -> JudgedCandidate:
    gain = Gain(ratio, ratio, ratio, 0.0, 2)
    return JudgedCandidate(
        name, int(name.partition(".")[0]), "m", None, decision, "", gain, USED, source=f"code {name}"
    )


def state_of(iteration: int, records: list[JudgedCandidate], *kept: tuple[str, float]) -> LoopState:
    lineage = [Incumbent(name, f"code {name}", USED, ratio) for name, ratio in (("original", 1.0), *kept)]
    return {**empty_state(), "iteration": iteration, "records": records, "lineage": lineage}


def policy(**settings: int | str) -> SearchPolicy:
    return SearchPolicy.of(RunSettings("x.py", search=Search(**{"iterations": 20, **settings})))  # type: ignore[arg-type]


def test_the_temperature_goes_straight_from_the_first_round_to_the_last() -> None:
    rising = policy(iterations=5, temperature="0.2:1.0")
    assert [rising.temperature_of(number) for number in range(1, 6)] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    falling = policy(iterations=3, temperature="1:0")
    assert [falling.temperature_of(number) for number in (1, 2, 3)] == pytest.approx([1.0, 0.5, 0.0])
    assert [policy(temperature="0.7").temperature_of(number) for number in (1, 9, 20)] == pytest.approx([0.7] * 3)
    assert policy(iterations=1, temperature="0.3:0.9").temperature_of(1) == pytest.approx(0.3)
    assert policy().temperature_of(1) is None


@pytest.mark.parametrize("text", ["warm", "", "0.1:0.2:0.3", "-0.1", "2.1", "0.5:3", ":", "nan", "inf", "1:"])
def test_what_is_no_temperature_is_said(text: str) -> None:
    with pytest.raises(UsageError, match=r"from 0 to 2, such as 0\.7, or two"):
        Temperature.read(text)


def test_the_search_ends_when_nothing_better_came_for_long_enough() -> None:
    patient = policy(patience=3)
    found = [record("2.1", 3.0)]
    assert [fruitless_rounds(state_of(number, found, ("2.1", 3.0))) for number in (2, 3, 5)] == [0, 1, 3]
    assert not patient.is_over(state_of(4, found, ("2.1", 3.0)))
    assert patient.is_over(state_of(5, found, ("2.1", 3.0)))
    assert patient.has_given_up(state_of(3, []))
    assert not patient.is_over(state_of(2, []))
    assert not policy(patience=0).is_over(state_of(19, []))


def test_the_last_round_and_an_exhausted_proposer_end_it_too() -> None:
    greedy = policy(style="greedy", iterations=6)
    assert greedy.is_over(state_of(6, []))
    assert not greedy.is_over(state_of(5, []))
    assert greedy.is_over({**state_of(1, []), "exhausted": True})


def test_each_restart_goes_on_from_the_next_best_and_from_each_once() -> None:
    """4.2 was compared with 3.1, which is five times as good as the original: it is the best of the others."""
    records = [
        record("1.1", 2.0),
        record("1.2", 4.0),
        record("1.3", 9.0, Decision.WRONG),
        record("3.1", 2.5),
        record("4.1", 1.6),
        record("4.2", 1.2),
        record("5.1", 0.9, Decision.NOT_BETTER),
    ]
    state = state_of(6, records, ("1.1", 2.0), ("3.1", 5.0), ("4.1", 8.0))
    assert over_original(records[5], state["lineage"]) == pytest.approx(6.0)
    restarting = policy(restart=2, patience=0)
    order = []
    while (again := restarting.restart_from(state)) is not None:
        order.append(again.id)
        state = {**state, "iteration": state["iteration"] + 1, "restarts": [*state["restarts"], again.id]}
    assert order == ["4.2", "3.1", "1.2", "1.1"], "then from the best again"
    assert restarting.restart_from(state_of(5, records, ("4.1", 8.0))) is None, "one fruitless round is not enough"
    assert restarting.restart_from(state_of(6, [], ("4.1", 8.0))) is None, "nobody to go on from"
    assert policy(restart=0).restart_from(state_of(19, records, ("4.1", 8.0))) is None


def test_greedy_is_the_papers_loop_and_options_say_more_than_the_preset() -> None:
    greedy, adaptive = policy(style="greedy"), policy()
    assert (greedy.patience, greedy.restart, greedy.temperature) == (0, 0, None)
    assert adaptive.patience > adaptive.restart > 0
    assert RunSettings("x.py").search.candidates == 1
    assert RunSettings("x.py").search.style == SearchStyle.ADAPTIVE
    assert (policy(style="greedy", restart=1).restart, policy(patience=0).patience) == (1, 0)
    with pytest.raises(UsageError, match=r"no search 'wild'.*adaptive, greedy"):
        policy(style="wild")
