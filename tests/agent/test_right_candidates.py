"""The candidates that were right stand in one table against the original, each with why it is not offered."""

from __future__ import annotations

from dataclasses import replace

from afterburner.agent.judge.confirmation import Incumbent
from afterburner.agent.judge.screening import TOO_LATE_TO_SCREEN
from afterburner.agent.loop.results import RunResult, decision_words, why_none
from afterburner.agent.loop.right_candidates import RightCandidate, right_candidates
from afterburner.agent.types import Decision, Gain, HeldOut, JudgedCandidate, Machine, Objective, Target
from afterburner.sandbox import Measurement, Verdict

USED = Measurement(1.0, 1.0, 1000, 1000.0)
ORIGINAL, FIRST = Incumbent("original", "", USED, 1.0), Incumbent("1.2", "", USED, 8.0)


def candidate(name: str, decision: Decision, ratio: float | None, reason: str = "") -> JudgedCandidate:
    gain = None if ratio is None else Gain(ratio, ratio, ratio, 0.0, 2)
    verdict = Verdict.WRONG_ANSWER if decision is Decision.WRONG else Verdict.ACCEPTED
    return JudgedCandidate(name, int(name[0]), "model", verdict, decision, reason, gain)


def result_of(*candidates: JudgedCandidate, improved: bool = True) -> RunResult:
    return RunResult(
        run_id="x",
        target=Target("/a.py", "", "f", "a", "/", "/"),
        objective=Objective.TIME,
        model="model",
        improved=improved,
        summary="",
        gain=None,
        original=USED,
        best=USED,
        held_out=HeldOut(0, passed=True, gain=None),
        candidates=candidates,
        patch="",
        best_source="",
        readability=None,
        workload_origins=(),
        skipped=(),
        machine=Machine("Linux", "CPU", 2, 1, "3.11", "bubblewrap", "rlimits"),
        elapsed_s=1.0,
        trajectory=(ORIGINAL, FIRST, FIRST),
    )


def test_all_that_were_right_are_told_against_the_original_the_winner_first() -> None:
    confirmed = replace(candidate("1.2", Decision.IMPROVED, 9.0), over_original=Gain(8.0, 7.0, 9.0, 0.98, 8))
    result = result_of(
        candidate("1.1", Decision.PROMISING, 3.0),
        confirmed,
        candidate("1.3", Decision.WRONG, None, "returned 1"),
        candidate("1.4", Decision.NOT_BETTER, 0.5, "worse: 0.50x"),
        candidate("2.1", Decision.NOT_BETTER, 0.5, "worse: 0.50x"),
        candidate("2.2", Decision.REFUSED, 2.0, "it leaves files behind"),
    )
    assert right_candidates(result) == [
        RightCandidate("1.2", 8.0, ""),
        RightCandidate("2.2", 16.0, "the same on the workload, but it leaves files behind"),
        RightCandidate("2.1", 4.0, "the same on the workload, but no better than 1.2 in screening"),
        RightCandidate("1.1", 3.0, "the same on the workload, but 1.2 was tested first"),
        RightCandidate("1.4", 0.5, "the same on the workload, but worse: 0.50x"),
    ]


def test_the_figure_is_that_of_the_gain_that_is_shown() -> None:
    screened = replace(candidate("1.1", Decision.NOT_BETTER, 2.0), figure="wall time")
    tested = replace(screened, id="1.2", over_original=Gain(3.0, 2.0, 4.0, 0.98, 8))
    waiting = replace(tested, id="1.3", figure="", over_original_figure="wall time")
    rows = right_candidates(result_of(screened, tested, waiting, improved=False))
    assert {row.id: row.figure for row in rows} == {"1.1": "wall time", "1.2": "", "1.3": "wall time"}


def test_without_an_offer_each_is_told_what_stood_against_it() -> None:
    result = result_of(
        candidate("1.1", Decision.PROMISING, 3.0), candidate("1.2", Decision.CONDITIONAL, 9.0), improved=False
    )
    assert [(row.id, row.why_not) for row in right_candidates(result)] == [
        ("1.2", "the same only on a condition"),
        ("1.1", "the same on the workload, but no test was left for it"),
    ]


def test_what_was_not_confirmed_is_not_called_right() -> None:
    equal = candidate("1.1", Decision.NOT_BETTER, 1.0)
    assert why_none([equal]) == "the only candidate is the same on the workload but not better"
    others = [candidate("1.1", each, None) for each in Decision if each is not Decision.IMPROVED]
    assert not [each for each in others if "right" in why_none([each])]


def test_what_was_not_measured_is_not_called_refused() -> None:
    late = candidate("1.1", Decision.REFUSED, None, TOO_LATE_TO_SCREEN)
    refused = candidate("1.2", Decision.REFUSED, None, "it leaves files behind")
    assert (decision_words(late), decision_words(refused)) == ("not measured", "refused")
    assert why_none([late]) == "the only candidate was not measured in time"
    assert why_none([late, late, refused]) == "of 3 candidates 1 was refused, 2 were not measured in time"
