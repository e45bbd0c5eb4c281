"""Batches in the real sandbox: right and wrong answers, cheats, failures that are ours, and an original that drifts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.types import Objective
from afterburner.evals.problems import Figures, code_id
from afterburner.sandbox import CancelledError, CancelToken, SandboxInternalError
from afterburner.training.errors import TrainingError
from afterburner.training.reward.baselines import Baselines
from afterburner.training.reward.judge import RewardJudge
from afterburner.training.reward.log import RewardLog, summary
from afterburner.training.reward.samples import Sample, Scored
from afterburner.training.reward.settings import RewardSettings

from .answers import CHEAT, FAST, SLOW, WRONG, answered, problem

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Program, Sandbox

pytestmark = pytest.mark.slow
MEMORY, TIME = Objective.MEMORY, Objective.TIME


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
    assert 0 < fast.after.figure < fast.before.figure < 10
    assert fast.terms is not None
    assert same.terms is not None
    assert fast.terms.efficiency > 0
    assert same.terms.efficiency == pytest.approx(0, abs=1e-6), "a copy gains nothing, whatever the machine did"
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


def breaking(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, marked: str, cases: object = None) -> None:
    """Have the sandbox fail on programs in which a text stands, or on these cases of them."""
    run = type(sandbox).run

    def fail(self: Sandbox, program: Program, given: object, *more: object, **named: object) -> object:
        if marked in str(program.source) and cases in {None, given}:
            raise SandboxInternalError("the disk is full")
        return run(self, program, given, *more, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(type(sandbox), "run", fail)


def test_a_code_that_breaks_the_sandbox_costs_the_others_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is neither rewarded nor punished."""
    breaking(sandbox, monkeypatch, "breaks it")
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5)})
    good, lost, other = judge.score([answered(FAST), answered(f"{FAST}# breaks it\n"), answered(WRONG)], progress=0.0)
    assert good.terms is not None
    assert other.terms is not None
    assert lost.terms is None
    assert "the disk is full" in lost.dropped
    assert summary([good, lost])["dropped"] == 0.5
    assert summary([lost]).keys() == {"passed", "strict", "dropped", "cheats"}


def test_where_the_original_cannot_be_measured_nothing_is_rewarded(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it breaks the sandbox, or passed once and does not any more: its problem alone has no rewards."""
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5), "more": problem("more", 5)})
    judge.baselines.keep("sum", WRONG, Figures(1.0, 1.0, 9_000.0, 9_000.0))
    lost, good = judge.score([answered(FAST, original=WRONG), answered(FAST, name="more")], progress=0.0)
    assert lost.dropped == "1 of 1 originals fail now, and passed before"
    assert good.terms is not None
    breaking(sandbox, monkeypatch, "for i in range")
    (lost,) = RewardJudge(sandbox, judge.problems).score([answered(FAST)], progress=0.0)
    assert "the disk is full" in lost.dropped


def test_a_code_has_to_pass_the_hidden_tests_too(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """What knows the measured tests by heart is no solution."""
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5)}, {"sum": problem("sum", 6)})
    knows, works = judge.score([answered("input()\nprint(15)\n"), answered(FAST)], progress=0.0)
    assert (knows.verdict, works.verdict) == ("hidden_tests", "accepted")
    assert knows.terms is not None
    assert knows.terms.correctness == -1
    odd = f"{FAST}print('breaks it') if 0 else None\n"
    breaking(sandbox, monkeypatch, "'breaks it'", cases=judge.hidden["sum"].test_cases)
    lost, kept = judge.score([answered(odd), answered(FAST)], progress=0.0)
    assert "the disk is full" in lost.dropped
    assert kept.terms is not None


def test_files_are_no_way_around_the_figures_of_memory(sandbox: Sandbox) -> None:
    spills = f"open('spill', 'wb').write(bytes(8 << 20))\n{FAST}"
    (found,) = RewardJudge(sandbox, {"sum": problem("sum", 5)}).score([answered(spills)], progress=0.0)
    assert found.terms is not None
    assert found.terms.correctness == -1


def test_an_original_is_measured_once_and_then_tells_the_drift_of_time() -> None:
    def used(wall_s: float) -> Figures:
        return Figures(wall_s, wall_s, 1_000.0, wall_s * 1_000)

    known = Baselines()
    assert known.missing("sum", [SLOW, FAST]) == [SLOW, FAST]
    known.keep("sum", SLOW, used(2.0))
    known.keep("sum", FAST, used(0.5))
    assert known.missing("sum", [SLOW, WRONG]) == [WRONG]
    assert known.missing("more", [SLOW]) == [SLOW]
    known.keep("sum", WRONG, None)
    assert known.of("sum", WRONG) is None
    now = {code_id(SLOW): replace(used(3.0), peak_memory_kib=5_000.0), code_id(FAST): used(0.5)}
    drift = known.drift("sum", [SLOW, FAST, WRONG], now)
    assert drift == {TIME: pytest.approx(1.25), MEMORY: 1.0, Objective.INTEGRAL: pytest.approx(1.25)}
    assert known.drift("sum", [WRONG], {}) == dict.fromkeys(Objective, 1.0)


def test_what_the_machine_gains_since_is_taken_out(sandbox: Sandbox) -> None:
    """The original took ten times as long when it was first seen: the copy of it has gained nothing."""
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5)})
    judge.baselines.keep("sum", SLOW, Figures(5.0, 5.0, 9_000.0, 45_000.0))
    (found,) = judge.score([answered(SLOW)], progress=0.0)
    assert found.after is not None
    assert found.after.figure == pytest.approx(5.0)


def test_an_unknown_problem_and_a_cancelled_batch_end_it(sandbox: Sandbox) -> None:
    judge = RewardJudge(sandbox, {"sum": problem("sum", 5)}, settings=RewardSettings(repeats=2))
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
