"""The reward as verl calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.types import Objective
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.problems import BenchmarkProblem
from afterburner.evals.tables import write_file
from afterburner.sandbox import UsageError
from afterburner.training.errors import TrainingError
from afterburner.training.reward import verl_reward
from afterburner.training.reward.judge import RewardJudge
from afterburner.training.reward.samples import ReadAnswer, Sample, Scored
from afterburner.training.reward.terms import Terms

from .answers import FAST, SLOW, WRONG, answered, problem

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox


def asked(*samples: Sample, **told: Any) -> list[float]:
    return verl_reward.compute_score(
        [told.pop("source", "afterburner")] * len(samples),
        [each.answer for each in samples],
        [each.problem_id for each in samples],
        [{"objective": each.objective.value, "original": each.original} for each in samples],
        **{"benchmark": "mine", "calls": 2, **told},
    )


@pytest.mark.slow
def test_the_weight_of_efficiency_grows_from_call_to_call(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = verl_reward._State(judges={"mine": RewardJudge(sandbox, {"sum": problem("sum", 300_000)})})
    monkeypatch.setattr(verl_reward, "_STATE", state)
    samples = (answered(FAST), answered(SLOW), answered(WRONG))
    first = asked(*samples, log=str(tmp_path / "rewards.jsonl"))
    last = asked(*samples, log=str(tmp_path / "rewards.jsonl"))
    assert first[2] == last[2] == pytest.approx(0.2 - 0.5)
    assert min(first[:2]) > first[2]
    log = (tmp_path / "rewards.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["efficiency_weight"] for line in log] == [0.3] * 3 + [0.5] * 3
    state.calls.clear()
    assert asked(*samples, log=str(tmp_path / "rewards.jsonl"))[2] == last[2]
    steps = [json.loads(line)["step"] for line in (tmp_path / "rewards.jsonl").read_text("utf-8").splitlines()]
    assert steps == [0] * 3 + [1] * 3 + [2] * 3, "a process that goes on knows what was logged"
    with pytest.raises(TrainingError, match="no setting noise"):
        asked(*samples, noise=0.1)
    with pytest.raises(UsageError, match="noise_floor 2"):
        asked(*samples, noise_floor=2)
    with pytest.raises(TrainingError, match="for gsm8k"):
        asked(*samples, source="gsm8k")


def test_a_sample_that_could_not_be_judged_has_no_advantage() -> None:
    def scored(original: str, total: float | None) -> Scored:
        terms = None if total is None else Terms(1.0, 0.5, 0.1, 0.3, total)
        return Scored(
            Sample("p", Objective.TIME, original, ""), ReadAnswer("x", strict=True, cheat=""), "", terms=terms
        )

    found = verl_reward.totals([scored("a", 1.0), scored("a", None), scored("a", 0.0), scored("b", None)])
    assert found == [1.0, 0.5, 0.0, 0.5]
    with pytest.raises(TrainingError, match="No answer of the batch could be judged"):
        verl_reward.totals([scored("a", None)])


@pytest.mark.slow
def test_the_problems_and_their_hidden_tests_come_from_the_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = verl_reward._State()
    monkeypatch.setattr(verl_reward, "_STATE", state)
    (tmp_path / ABOUT).write_text(json.dumps({"format": FORMAT, "name": "own"}), "utf-8")
    found = BenchmarkProblem("own", "sum", problem("sum", 5), private=problem("sum", 6))
    row = {"id": "sum", "split": "train", "json": found.to_json()}
    write_file(tmp_path / PROBLEMS / "sum.parquet", COLUMNS[PROBLEMS], [row])
    works, knows = asked(answered(FAST, ""), answered("input()\nprint(15)\n", ""), benchmark=str(tmp_path))
    state.sandboxes.close()
    assert works > 0.7
    assert knows == pytest.approx(0.2 - 0.25)
