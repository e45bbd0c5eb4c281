"""A gain on a problem is proved as on a program: selection="verified", with calls, a checker and a start."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Job, JsonCall, ModelOptions, Problem, Proof, Search, open_session
from afterburner.agent.errors import WorkloadError
from afterburner.agent.types import Decision
from afterburner.sandbox import CancelledError, CancelToken, TestCase, UsageError
from afterburner.sandbox.checkers import Floats

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.events import ProgressEvent
    from afterburner.sandbox import Sandbox

START = """\
class Solution:
    def means(self, values: List[int]) -> List[float]:
        found = []
        for end in range(1, len(values) + 1):
            found.append(sum(values[:end]) / end)
        return found
"""
FAST = """\
class Solution:
    def means(self, values: List[int]) -> List[float]:
        return [total * (1 / end) for end, total in enumerate(accumulate(values), start=1)]
"""
WRONG = FAST.replace("start=1", "start=2")
SIZES = (0, 3, 9_000, 8_000, 7_000)


def means(size: int) -> list[float]:
    return [(end - 1) / 2 for end in range(1, size + 1)]


PROBLEM = Problem(
    "means",
    "Give the mean of each beginning of the list.",
    tuple(JsonCall([list(range(size))], means(size)) for size in SIZES),
    function="Solution.means",
    preamble="from itertools import *\nfrom typing import *\n",
    start=START,
    checker=Floats(1e-9, 1e-9),
)


@pytest.fixture
def model(tmp_path: Path) -> str:
    codes = [WRONG, FAST, FAST]
    answers = [f"<thinking>why</thinking><solution>\n```python\n{code}```\n</solution>" for code in codes]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps({"content": each}) + "\n" for each in answers))
    return f"replay:{tmp_path / 'answers.jsonl'}"


@pytest.mark.slow
@pytest.mark.timed
@pytest.mark.nightly
def test_a_gain_on_a_problem_is_proved_and_each_round_is_kept(sandbox: Sandbox, model: str, tmp_path: Path) -> None:
    """It is cancelled when the second candidate is timed, and resumed; floats are as close as the problem says."""
    token, begun = CancelToken(), []

    def watch(event: ProgressEvent) -> None:
        if event.iteration == 2 and event.stage == "profile":
            token.cancel()

    search = Search(iterations=3, max_seconds=240.0)
    models = ModelOptions(model=model, keep_answers=True)
    with open_session(sandbox=sandbox, models=models, store=tmp_path / "runs") as session:
        with pytest.raises(CancelledError):
            session.optimize(Job.from_problem(PROBLEM), search, on_event=watch, cancel=token, on_begun=begun.append)
        result = session.resume(begun[0])
    assert [each.decision for each in result.candidates] == [Decision.WRONG, Decision.IMPROVED, Decision.REFUSED]
    assert result.improved
    assert result.gain is not None
    assert result.gain.low > 1.05
    assert result.best_source == FAST
    assert result.held_out.inputs >= 1
    assert [each and each.source for each in result.trajectory] == [START, START, FAST, FAST]
    assert [each.answer is not None for each in result.candidates] == [True] * 3
    assert result.ended_early == ""


def test_what_cannot_be_proved_is_said_with_what_to_do(sandbox: Sandbox, model: str) -> None:
    search = Search(iterations=1, max_seconds=60.0)
    unexpected = Problem("open", "Print.", (TestCase(b"1"), TestCase(b"2")), start="print()")
    with open_session(sandbox=sandbox, model=model, store=None) as session:
        with pytest.raises(UsageError, match=r'no code to begin with.*Give `start`, or Search\(selection="paper"\)'):
            session.optimize(Job.from_problem(replace(PROBLEM, start="")), search)
        with pytest.raises(UsageError, match="receipt names the file of a project"):
            session.optimize(Job.from_problem(PROBLEM), search, proof=Proof(receipt=True))
        with pytest.raises(WorkloadError, match=r"means itself fails on case 2: wrong answer.*Correct the program"):
            session.optimize(Job.from_problem(replace(PROBLEM, start=WRONG)), search)
        with pytest.raises(WorkloadError, match="just one usable input"):
            session.optimize(Job.from_problem(replace(PROBLEM, cases=PROBLEM.cases[1:2])), search)
        with pytest.raises(UsageError, match="Case 1 of the problem open has no expected output"):
            session.optimize(Job.from_problem(unexpected), search)
