"""The whole way of the miniature, in its smallest size: problems, models, data, training, loops, report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("trl", reason="training is an extra")

from afterburner.evals.evaluation import load_evaluation
from afterburner.training.data.reading import read_data
from afterburner.training.miniature.running import MODELS, Miniature
from afterburner.training.miniature.size import SMOKE

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.nightly, pytest.mark.timeout(900)]


def test_the_smallest_miniature_goes_all_the_way_and_no_stage_is_made_twice(tmp_path: Path) -> None:
    said: list[str] = []
    Miniature(tmp_path, SMOKE, said.append).make()
    cold = read_data(tmp_path / "data" / "cold-start").card
    assert 0 < cold["kept"] <= cold["passing"] <= cold["strict"] <= cold["asked"]
    for model in MODELS:
        evaluation = load_evaluation(tmp_path / "0" / f"{model}-loop")
        assert len(evaluation.problems) == SMOKE.test_problems
    rewards = (tmp_path / "0" / "grpo" / "rewards.jsonl").read_text("utf-8").splitlines()
    assert len(rewards) == SMOKE.steps * 48
    assert any(json.loads(line)["strict"] for line in rewards)
    assert (tmp_path / "report" / "index.html").is_file()
    stages = [json.loads(line)["stage"] for line in (tmp_path / "times.jsonl").read_text("utf-8").splitlines()]
    assert len(stages) == len(set(stages)) == 1 + 2 + 3 + 1 + 4 + len(MODELS)
    said.clear()
    Miniature(tmp_path, SMOKE, said.append).make()
    assert said == []
