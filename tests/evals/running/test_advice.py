"""What a person is told to do where an evaluation, or a problem of it, cannot go on."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from running_problems import FAST, benchmark_problem

from afterburner.agent.option_kinds import Selection
from afterburner.evals.commands import showing
from afterburner.evals.commands.carrying_out import done_so_far
from afterburner.evals.commands.showing import (
    AtWork,
    Rate,
    advice_after,
    line_of,
    show_evaluation,
    tell_unfinished_benchmark,
    time_left,
)
from afterburner.evals.datasets.built import ABOUT
from afterburner.evals.errors import EvaluationError
from afterburner.evals.problems import Reference
from afterburner.evals.running.ledger import Ledger, Outcome
from afterburner.evals.running.loops import LeftOutError, starting_code
from afterburner.evals.running.progress import EvaluationEvent, Step
from afterburner.evals.running.settings import EvaluationSettings, Start

if TYPE_CHECKING:
    from collections.abc import Callable

RESUME = "afterburner-agent eval resume runs/mine"


def outcome(*failed: str, done: tuple[str, ...] = ()) -> Outcome:
    return Outcome(Path("runs/mine"), list(done), failed={str(at): line for at, line in enumerate(failed)})


def test_a_cap_that_is_reached_needs_a_larger_one() -> None:
    told = advice_after(outcome("a: of the cap of 9 tokens (--max-tokens) 1 are left", done=("b",)))
    assert told == f"Go on with a larger cap, which counts what was used before: {RESUME} --max-tokens N"


def test_each_problem_that_is_not_done_is_named_whatever_the_error_holds() -> None:
    told: list[str] = []
    ledger = Ledger(cast("Any", None), lambda event: told.append(event.detail), Outcome(Path("runs/mine")))
    for name, why in (("1", "no server at 127.0.0.1:8001"), ("sum", "sum: no case"), ("su", "sum: no case")):
        ledger.fail(name, EvaluationError(why))
    assert told == ["1: no server at 127.0.0.1:8001", "sum: no case", "su: sum: no case"]


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


@pytest.mark.parametrize(
    ("done", "problems", "told"),
    [
        (0, 8, "No problem is done yet."),
        (1, 8, "1 of 8 problems is done and stored."),
        (3, 8, "3 of 8 problems are done and stored."),
        (1, 1, "1 of 1 problem is done and stored."),
        (1, 0, "1 problem is done and stored."),
        (3, 0, "3 problems are done and stored."),
    ],
)
def test_a_run_that_is_stopped_says_how_many_problems_are_done(done: int, problems: int, told: str) -> None:
    assert done_so_far(done, problems) == told


def test_progress_says_how_many_of_how_many_and_what_was_used() -> None:
    begun = EvaluationEvent(Step.BEGUN, "900000", problems=5)
    assert line_of(begun) == "problem 900000: begun (0 of 5 done)"
    assert line_of(replace(begun, problems=0)) == "problem 900000: begun (0 done)"
    done = EvaluationEvent(Step.DONE, "a", "2 of 4 pass", 1, 5, 22, 4310, 0.5)
    assert (
        line_of(done) == "problem a: 2 of 4 pass · 1 of 5 done · 22 requests, 4,310 tokens, $0.5000 in the run so far"
    )
    assert line_of(replace(done, cost_usd=None)).endswith(" in the run so far, at a price that is not known")
    assert "1 of 5 done · about 8 minutes for the problems left, at this rate · 22" in line_of(done, time_left(480.0))
    assert not time_left(29.0)


def test_how_long_the_rest_takes_is_told_once_a_problem_is_done() -> None:
    rate = Rate(began=time.monotonic() - 60_000.0)
    events = [EvaluationEvent(Step.BEGUN, "a", problems=9, done=4)]  # four are done since an earlier command
    events += [EvaluationEvent(Step.DONE, name, problems=9, done=done) for name, done in (("a", 5), ("b", 6))]
    begun, first, second = (rate.left(event) for event in events)
    assert not begun
    assert 4_000 <= int(first.split()[1]) < 4_100
    assert 1_500 <= int(second.split()[1]) < 1_600


def test_the_time_that_a_run_takes_to_start_is_no_time_of_its_problems() -> None:
    rate = Rate(began=time.monotonic() - 60_000.0)
    starting = EvaluationEvent(Step.STARTING, "", "looking at the data")
    assert line_of(starting) == "starting: looking at the data"
    assert not rate.left(starting)
    assert not rate.left(EvaluationEvent(Step.DONE, "a", problems=9, done=1)), "next to nothing"


@pytest.mark.parametrize(("counts", "is_told"), [({}, True), ({"problems": 2, "left_out": 0}, False)])
def test_a_benchmark_that_is_not_finished_is_told(
    benchmark: Callable[..., Path],
    capsys: pytest.CaptureFixture[str],
    counts: dict[str, int],
    is_told: bool,
) -> None:
    place = benchmark("a", "b")
    about = json.loads((place / ABOUT).read_text("utf-8"))
    (place / ABOUT).write_text(json.dumps({**about, "counts": counts}), "utf-8")
    tell_unfinished_benchmark(EvaluationSettings(str(place), model="rules", start=Start.SLOW))
    told = capsys.readouterr().err
    assert ("caution: eval build was stopped before" in told) is is_told
    assert ("It has 2 problems so far." in told) is is_told


def test_of_many_records_that_cannot_be_used_the_first_five_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    with show_evaluation(quiet=False) as show:
        for number in range(222):
            show(EvaluationEvent(Step.REJECTED, "", f"raw.jsonl, record {number}: name: it is missing"))
        show(EvaluationEvent(Step.BEGUN, "a"))
    told = capsys.readouterr().err
    assert told.count("left out: ") == 5
    assert "problem a: begun" in told


def test_what_is_told_to_be_at_work_is_no_problem_that_waits_for_a_core() -> None:
    at_work = AtWork()

    def tell(step: Step, problem: str, detail: str) -> str:
        return at_work.after(EvaluationEvent(step, problem, detail))

    assert tell(Step.LOOP, "one", "measuring 1.1") == "problem one: measuring 1.1"
    assert tell(Step.LOOP, "two", "measuring 2.1") == "problem two: measuring 2.1"
    assert tell(Step.WAITING, "two", "waiting for a free CPU core") == "problem one: measuring 1.1"
    assert tell(Step.LOOP, "one", "measuring 1.2") == "problem one: measuring 1.2"
    told = tell(Step.WAITING, "one", "waiting for a free CPU core")
    assert told == "problem two: measuring 2.1", "it has waited longest, so it has the core by now"
    assert tell(Step.DONE, "two", "1 of 1 pass") == "problem one: measuring 1.2"
    assert tell(Step.FAILED, "one", "no answer") == ""


def test_a_reminder_names_the_problem_that_is_worked_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(showing, "SILENT_AT_MOST_S", 0.02)
    said = ""
    with show_evaluation(quiet=False) as show:
        show(EvaluationEvent(Step.LOOP, "one", "measuring 1.1"))
        show(EvaluationEvent(Step.BEGUN, "two"))
        show(EvaluationEvent(Step.WAITING, "two", "waiting for a free CPU core"))
        while "still at work; the last step: problem one: measuring 1.1\n" not in said:
            time.sleep(0.01)
            said += capfd.readouterr().err
    assert "problem two: begun" in said
    assert "waiting" not in said
