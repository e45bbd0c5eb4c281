"""Batches in the real sandbox: right and wrong answers, cheats, failures that are ours, and an original that drifts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Problem
from afterburner.agent.types import Objective
from afterburner.evals.problems import Figures, code_id
from afterburner.evals.running.measure import Measured
from afterburner.sandbox import CancelledError, CancelToken, Limits, SandboxInternalError, TestCase, Verdict
from afterburner.training.errors import TrainingError
from afterburner.training.reward.baselines import Baselines
from afterburner.training.reward.judge import RewardJudge
from afterburner.training.reward.log import RewardLog, summary
from afterburner.training.reward.samples import Sample, Scored
from afterburner.training.reward.settings import RewardSettings

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow
FAST = "n = int(input())\nprint(n * (n + 1) // 2)\n"
SLOW = "n = int(input())\ntotal = 0\nfor i in range(n + 1):\n    total += i\nprint(total)\n"
WRONG = "input()\nprint(0)\n"
CHEAT = "import sys\nframe = sys._getframe()\nn = int(input())\nprint(n * (n + 1) // 2)\n"
MEMORY, TIME = Objective.MEMORY, Objective.TIME


def problem(name: str, n: int = 2_000_000) -> Problem:
    case = TestCase(f"{n}\n".encode(), f"{n * (n + 1) // 2}\n".encode())
    return Problem(
        name, "Print the sum of the numbers from 0 to n.", (case,), limits=Limits(wall_time_s=10.0, cpu_time_s=10.0)
    )


def answered(code: str, original: str = SLOW, objective: Objective = TIME, name: str = "sum") -> Sample:
    text = f"<thinking>\nless work\n</thinking>\n<solution>\n```python\n{code}```\n</solution>"
    return Sample(name, objective, original, text)


def total(found: Scored) -> float:
    assert found.terms is not None, found.dropped
    return found.terms.total


@pytest.fixture(scope="module")
def scored(sandbox: Sandbox) -> dict[str, Scored]:
    """A batch with one answer of each kind."""
    samples = {
        "fast": answered(FAST),
        "same": answered(SLOW),
        "wrong": answered(WRONG),
        "cheat": answered(CHEAT),
        "bare": Sample("sum", TIME, SLOW, f"```python\n{FAST}```"),
        "first": answered(FAST, original=""),
        "mended": answered(FAST, original=WRONG),
        "still wrong": answered("print(1)\n", original=WRONG),
        "another": answered(FAST, name="more", objective=MEMORY),
    }
    judge = RewardJudge(sandbox, {"sum": problem("sum"), "more": problem("more", 5)})
    return dict(zip(samples, judge.score(list(samples.values()), progress=0.0), strict=True))


def test_correctness_is_of_the_change_and_only_a_strict_answer_has_code(scored: dict[str, Scored]) -> None:
    correctness = {name: each.terms.correctness for name, each in scored.items() if each.terms is not None}
    assert correctness == {
        "fast": 0.5,
        "same": 0.5,
        "wrong": -1.0,
        "cheat": -1.0,
        "bare": -1.0,
        "first": 1.0,
        "mended": 1.0,
        "still wrong": -0.5,
        "another": 0.5,
    }
    assert {name for name, each in scored.items() if each.terms and each.terms.format < 0} == {"bare"}
    assert {name: each.verdict for name, each in scored.items() if each.verdict != "accepted"} == {
        "wrong": "wrong_answer",
        "cheat": "cheats",
        "bare": "",
        "still wrong": "wrong_answer",
    }


def test_efficiency_is_of_figures_in_seconds_and_kib(scored: dict[str, Scored]) -> None:
    fast, same, first = scored["fast"], scored["same"], scored["first"]
    assert fast.before is not None
    assert fast.after is not None
    assert 0.02 < fast.after.figure < fast.before.figure < 10
    assert fast.terms is not None
    assert same.terms is not None
    assert fast.terms.efficiency > 0.1
    assert same.terms.efficiency < fast.terms.efficiency
    assert first.before is not None
    assert (first.before.passed, first.before.figure) == (False, 90.0)
    assert scored["another"].before is not None
    assert 4_000 < scored["another"].before.figure < 100_000
    assert scored["wrong"].terms is not None
    assert scored["wrong"].terms.efficiency == 0


def test_what_a_gate_refuses_is_logged_and_rewarded_like_a_failure(scored: dict[str, Scored], tmp_path: Path) -> None:
    assert total(scored["cheat"]) == pytest.approx(total(scored["wrong"]))
    log = RewardLog(tmp_path / "run" / "rewards.jsonl")
    log.append(3, list(scored.values()))
    rows = [json.loads(line) for line in log.path.read_text("utf-8").splitlines()]
    assert [row["step"] for row in rows] == [3] * len(scored)
    (cheat,) = (row for row in rows if row["cheat"])
    assert "looks at its own caller" in cheat["cheat"]
    assert cheat["efficiency_weight"] == 0.3
    found = summary(list(scored.values()))
    assert found["cheats"] == pytest.approx(1 / 9)
    assert found["dropped"] == 0
    assert found["passed"] == pytest.approx(5 / 9)
    assert found["reward"] == pytest.approx(sum(map(total, scored.values())) / 9)


def test_a_failure_of_the_sandbox_drops_the_samples_of_its_problem_alone(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither rewarded nor punished."""
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5), "more": problem("more", 6)})
    run = type(sandbox).run

    def fail(self: Sandbox, program: object, cases: object, *more: object, **named: object) -> object:
        if cases == judge.problems["more"].test_cases:
            raise SandboxInternalError("the disk is full")
        return run(self, program, cases, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(type(sandbox), "run", fail)
    good, lost = judge.score([answered(FAST), answered(FAST, name="more")], progress=0.0)
    assert good.terms is not None
    assert lost.terms is None
    assert "the disk is full" in lost.dropped
    assert summary([good, lost])["dropped"] == 0.5
    assert summary([lost]).keys() == {"passed", "strict", "dropped", "cheats"}


def test_an_original_is_measured_once_and_then_tells_the_drift() -> None:
    known = Baselines()

    def run_of(code: str, *walls: float) -> list[Measured]:
        return [
            Measured(code_id(code), n, n, Verdict.ACCEPTED, "", Figures(wall, wall, 1_000.0, wall * 1_000))
            for n, wall in enumerate(walls)
        ]

    assert known.missing("sum", [SLOW, FAST]) == [SLOW, FAST]
    known.keep("sum", [SLOW, FAST], [*run_of(SLOW, 2.2, 2.0, 2.1), *run_of(FAST, 0.5)])
    assert known.missing("sum", [SLOW, WRONG]) == [WRONG]
    found = known.of("sum", SLOW)
    assert found is not None
    assert found.wall_time_s == 2.0
    known.keep("sum", [WRONG], [Measured("x", 0, 0, Verdict.WRONG_ANSWER, "", None)])
    assert known.of("sum", WRONG) is None
    now = {each.code_id: each.figures for each in (*run_of(SLOW, 3.0), *run_of(FAST, 0.5)) if each.figures}
    drift = known.drift("sum", [SLOW, FAST, WRONG], now)
    assert drift == {Objective.TIME: pytest.approx(1.25), MEMORY: 1.0, Objective.INTEGRAL: pytest.approx(1.25)}
    assert known.drift("sum", [WRONG], {}) == dict.fromkeys(Objective, 1.0)


def test_an_unknown_problem_and_a_cancelled_batch_end_it(sandbox: Sandbox) -> None:
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5)}, RewardSettings(repeats=2))
    with pytest.raises(TrainingError, match="no problem 'other'"):
        judge.score([answered(FAST, name="other")], progress=0.0)
    judge.cancel = CancelToken()
    judge.cancel.cancel()
    with pytest.raises(CancelledError):
        judge.score([answered(FAST)], progress=0.0)


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot be written"):
        RewardLog(tmp_path / "file" / "rewards.jsonl").append(0, [])
