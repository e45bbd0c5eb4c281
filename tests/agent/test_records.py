"""What is written down of winners once their test is over."""

from afterburner.agent.judge.confirmation import Confirmation
from afterburner.agent.loop.records import settled, withdrawn
from afterburner.agent.loop.state import empty_state
from afterburner.agent.types import Decision, Gain, HeldOut, JudgedCandidate
from afterburner.sandbox import Measurement, Verdict

MEASUREMENT = Measurement(0.5, 0.4, 10_240, 5120.0, 480)
GAIN = Gain(2.0, 1.8, 2.2, 0.98, 8)
HELD_OUT = HeldOut(3, passed=True, gain=GAIN)


def test_an_offer_that_differs_on_an_input_of_another_size_is_withdrawn() -> None:
    confirmation = Confirmation(
        "1.2", Decision.IMPROVED, Verdict.ACCEPTED, "2.00x", GAIN, MEASUREMENT, MEASUREMENT, HELD_OUT
    )
    winner, other = (
        JudgedCandidate(each, 1, "rules", Verdict.ACCEPTED, Decision.IMPROVED, "2.00x", GAIN, MEASUREMENT)
        for each in ("1.2", "1.1")
    )
    state = empty_state()
    state["confirmation"], state["records"] = confirmation, [winner, other]
    after = withdrawn(state, "f(8000) returned 1 instead of 2")
    assert after["confirmation"] is not None
    assert not after["confirmation"].confirmed
    assert after["confirmation"].gain is None
    told, untouched = after["records"]
    assert (told.decision, told.verdict) == (Decision.WRONG, Verdict.WRONG_ANSWER)
    assert told.counterexample == "f(8000) returned 1 instead of 2"
    assert untouched == other
    assert state["confirmation"].confirmed, "what was stored is left as it was"
    after = withdrawn(state, "f(8000) returned 1 instead of 2", "the same provided that `n` is small")
    assert after["confirmation"] is not None
    assert after["records"][0].decision is Decision.CONDITIONAL
    assert after["confirmation"].reason == "2.00x, the same provided that `n` is small"
    assert not after["confirmation"].confirmed


def test_a_winner_keeps_the_figure_that_its_test_was_about() -> None:
    record = JudgedCandidate("1.2", 1, "rules", Verdict.ACCEPTED, Decision.PROMISING, "2.00x", GAIN, MEASUREMENT)
    confirmation = Confirmation(
        "1.2", Decision.NOT_BETTER, Verdict.ACCEPTED, "", GAIN, MEASUREMENT, MEASUREMENT, HELD_OUT, figure="wall time"
    )
    told = settled(record, confirmation)
    assert (told.figure, told.over_original, told.over_original_figure) == ("", GAIN, "wall time")
