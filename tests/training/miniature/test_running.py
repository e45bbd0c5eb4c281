"""The whole miniature at its smallest size: problems, models, data, training, loops, report."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

from transformers.utils import logging

from afterburner.evals.evaluation import load_evaluation
from afterburner.training.data.reading import read_data
from afterburner.training.miniature.arms import ABLATIONS, MAIN, Experiment
from afterburner.training.miniature.record import check_same
from afterburner.training.miniature.running import Miniature
from afterburner.training.miniature.size import SMOKE

from .loop_folders import write_loop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
SHARED_STAGES = 1 + 2 + 4 + 1  # the base model, two benchmarks, four data sets, what the cold start learns
# Starting a server takes longer than anything else in a loop, so only two of the loops are run.
TWO_LOOPS = Experiment(MAIN.name, MAIN.title, MAIN.arms, MAIN.loops[-2:], MAIN.comparisons[:1])


def go(out: Path, *experiments: Experiment) -> str:
    """Make the miniature, make it again to check that no stage is repeated, and return the report."""
    said: list[str] = []
    Miniature(out, SMOKE, said.append, experiments).make()
    cold = read_data(out / "data" / "cold-start").card
    assert 0 < cold["examples"] <= cold["passing"] <= cold["strict"] <= cold["asked"]
    loops = [loop for each in experiments for loop in each.loops]
    for loop in loops:
        evaluation = load_evaluation(out / "0" / loop.folder)
        assert len(evaluation.problems) == SMOKE.test_problems
        assert evaluation.settings["tell"] == loop.tell
    stages = [json.loads(line)["stage"] for line in (out / "times.jsonl").read_text("utf-8").splitlines()]
    arms = [arm for each in experiments for arm in each.arms]
    assert len(stages) == len(set(stages)) == SHARED_STAGES + len(arms) + len(loops)
    report = report_again(out, *experiments)
    scores = reported_scores(out)
    assert list(scores) == [loop.label for loop in loops]
    for found in scores.values():
        assert found["answers"] == SMOKE.test_problems * (SMOKE.iterations + 1)
    return report


def report_again(out: Path, *experiments: Experiment) -> str:
    """The report that a command writes which finds all stages done."""
    said: list[str] = []
    Miniature(out, SMOKE, said.append, experiments).make()
    assert said == []
    return (out / "report" / "report.md").read_text("utf-8")


def reported_scores(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "report" / "figures.json").read_text("utf-8"))["scores"]
    return found


def pretend_made(out: Path, *experiments: Experiment) -> None:
    """Leave what the stages of experiments leave, without making any of it; loops are as a run leaves them."""
    miniature = Miniature(out, SMOKE, print, experiments)
    check_same(out, SMOKE, experiments)
    for stage in miniature._stages(miniature._split):
        stage.made.mkdir(parents=True)
    for loop in (loop for each in experiments for loop in each.loops):
        write_loop(out / "0" / loop.folder, miniature._split.test, fast=[[0, 1]])
    (out / "times.jsonl").touch()
    shares = {"generation/time_s": 1, "generation/tokens_per_s": 500, "reward/time_s": 1, "reward/runs": 9}
    (out / "0" / "grpo" / "metrics.jsonl").write_text(json.dumps({"step": 1, "time_s": 3, **shares}) + "\n")


def test_an_interrupted_miniature_notes_the_time_and_says_where_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    said: list[str] = []
    miniature = Miniature(tmp_path, SMOKE, said.append, (TWO_LOOPS,))
    monkeypatch.setattr(Miniature, "_pretrain", interrupt)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            miniature.make()
    assert said == ["stage 1 of 14: base model …", "stage 1 of 14: base model from its beginning …"]
    rows = [json.loads(line) for line in (tmp_path / "times.jsonl").read_text("utf-8").splitlines()]
    assert [(row["stage"], row["finished"]) for row in rows] == [("base model", False)] * 2
    said.clear()
    (tmp_path / "base").mkdir()
    monkeypatch.setattr(Miniature, "_build", interrupt)
    with pytest.raises(KeyboardInterrupt):
        miniature.make()
    assert said == ["1 of 14 stages are done already", "stage 2 of 14: train benchmark …"]


def test_the_base_model_tells_its_progress_early_and_is_saved_without_bars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    said: list[str] = []
    size = replace(SMOKE, base=replace(SMOKE.base, steps=40, batch=2))
    logging.enable_progress_bar()  # as transformers begins, whatever ran before
    monkeypatch.setattr(Miniature, "_build", interrupt)
    with pytest.raises(KeyboardInterrupt):
        Miniature(tmp_path, size, said.append, (TWO_LOOPS,)).make()
    assert (tmp_path / "base" / "model.safetensors").is_file()
    assert said[1].startswith("  step 2/40: loss ")
    assert "Writing model shards" not in capfd.readouterr().err


def test_a_report_has_the_experiments_of_its_command_and_what_is_made_of_the_known_ones(tmp_path: Path) -> None:
    pretend_made(tmp_path / "all", MAIN, ABLATIONS)
    every = [loop.label for loop in (*MAIN.loops, *ABLATIONS.loops)]
    for experiments in ((MAIN, ABLATIONS), (MAIN,)):
        assert "## Ablations" in report_again(tmp_path / "all", *experiments)
        assert list(reported_scores(tmp_path / "all")) == every, "what is made stays in the report"
    pretend_made(tmp_path / "two", TWO_LOOPS)
    assert "| GRPO - cold start |" in report_again(tmp_path / "two", TWO_LOOPS)
    assert list(reported_scores(tmp_path / "two")) == [loop.label for loop in TWO_LOOPS.loops]


@pytest.mark.nightly
def test_the_smallest_miniature_goes_all_the_way_and_no_stage_is_made_twice(tmp_path: Path) -> None:
    report = go(tmp_path, TWO_LOOPS)
    assert "| GRPO - cold start | mean of all iterations |" in report
    rewards = (tmp_path / "0" / "grpo" / "rewards.jsonl").read_text("utf-8").splitlines()
    assert len(rewards) == SMOKE.steps * 2 * 4
    assert any(json.loads(line)["strict"] for line in rewards)


@pytest.mark.nightly
def test_all_loops_and_all_ablations_go_the_same_way(tmp_path: Path) -> None:
    report = go(tmp_path, MAIN, ABLATIONS)
    assert "| GRPO - DPO |" in report
    assert "GRPO, no feedback" in report
    run = json.loads((tmp_path / "0" / "grpo-less-correctness" / "run.json").read_text("utf-8"))
    assert run["config"]["reward"]["correctness_weight"] == 0.2
    assert "GRPO, no feedback" in report_again(tmp_path, MAIN), "what is made stays in the report"
