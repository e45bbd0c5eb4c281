"""What a person is told to do where an evaluation, or a problem of it, cannot go on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from running_problems import FAST, benchmark_problem

from afterburner.agent.option_kinds import Selection
from afterburner.evals.commands.showing import advice_after, line_of, show_evaluation
from afterburner.evals.problems import Reference
from afterburner.evals.running.ledger import Outcome
from afterburner.evals.running.loops import LeftOutError, starting_code
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.evals.running.settings import EvaluationSettings, Start

RESUME = "afterburner-agent eval resume runs/mine"


def outcome(*failed: str, done: tuple[str, ...] = ()) -> Outcome:
    return Outcome(Path("runs/mine"), list(done), failed={str(at): line for at, line in enumerate(failed)})


def test_a_cap_that_is_reached_needs_a_larger_one() -> None:
    told = advice_after(outcome("a: of the cap of 9 tokens (--max-tokens) 1 are left", done=("b",)))
    assert told == f"Go on with a larger cap, which counts what was used before: {RESUME} --max-tokens N"


def test_where_nothing_came_of_a_run_its_options_may_be_wrong() -> None:
    assert advice_after(outcome("a: the server does not answer", done=("b",))) == f"Go on with: {RESUME}"
    told = advice_after(outcome("a: openai/gtp-4o: there is no such model"))
    assert RESUME in told
    assert "such as --model, begin another run with another --out" in told


@pytest.mark.parametrize(
    ("model", "selection", "references", "advice"),
    [
        ("replay:x", Selection.PAPER, True, "begin another run with --start none or original."),
        ("rules", Selection.PAPER, True, "begin another run with --start original."),
        ("replay:x", Selection.VERIFIED, True, "begin another run with --start original."),
        ("replay:x", Selection.PAPER, False, "begin another run with --start none."),
        ("rules", Selection.PAPER, False, "Add the field start, or references, to it."),
    ],
)
def test_another_start_is_advised_only_where_it_can_be(
    model: str, selection: Selection, references: bool, advice: str
) -> None:
    known = (Reference(FAST),) if references else ()
    problem = replace(benchmark_problem("one"), references=known)
    settings = EvaluationSettings("own", model=model, selection=selection, start=Start.SLOW)
    with pytest.raises(LeftOutError) as told:
        starting_code(problem, settings)
    assert str(told.value).endswith(advice)


def test_progress_says_how_many_of_how_many_and_what_was_used() -> None:
    begun = EvaluationEvent(Step.BEGUN, "900000", problems=5)
    assert line_of(begun) == "problem 900000: begun (0 of 5 done)"
    assert line_of(replace(begun, problems=0)) == "problem 900000: begun (0 done)"
    done = EvaluationEvent(Step.DONE, "a", "2 of 4 pass", 1, 5, 22, 4310, 0.5)
    assert (
        line_of(done) == "problem a: 2 of 4 pass · 1 of 5 done · 22 requests, 4,310 tokens, $0.5000 in the run so far"
    )
    assert line_of(replace(done, cost_usd=None)).endswith(" in the run so far, at a price that is not known")


def test_of_many_records_that_cannot_be_used_the_first_five_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with show_evaluation(quiet=False) as show:
        for number in range(222):
            show(EvaluationEvent(Step.REJECTED, "", f"raw.jsonl, record {number}: name: it is missing"))
        show(EvaluationEvent(Step.BEGUN, "a"))
    told = capsys.readouterr().err
    assert told.count("left out: ") == 5
    assert "problem a: begun" in told
