"""The miniature's report: what it says of made-up scores whose answer is known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from afterburner.evals.report.measures import BEYOND_I, MEASURES
from afterburner.training.miniature.costs import grpo_cost, stage_times_s
from afterburner.training.miniature.crossed import crossed_interval
from afterburner.training.miniature.families import split_problems, ways_of
from afterburner.training.miniature.outcome import Loops
from afterburner.training.miniature.report import Found, write_report
from afterburner.training.miniature.stages import FAST, HEAVY, SLOW, STAGES

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SEEDS, PROBLEMS, ITERATIONS = 5, 12, 10


def _loops(begin: float, end: float, spread: float, draw: int) -> Loops:
    """Scores that rise from one mean to another, with a part of their own for each seed, problem and iteration."""
    rng = np.random.default_rng(draw)
    line = np.linspace(begin, end, ITERATIONS + 1)
    parts = (rng.normal(0, spread, size) for size in ((SEEDS, 1, 1), (1, PROBLEMS, 1), (SEEDS, PROBLEMS, 1)))
    scores = np.clip(sum(parts, line), 0, 1)
    return Loops(dict.fromkeys(MEASURES, scores), scores, 11 * PROBLEMS * SEEDS, 8_000, 5_000)


def test_a_report_says_which_model_is_ahead_and_which_one_rises(tmp_path: Path) -> None:
    loops = {
        "cold start": _loops(0.3, 0.5, 0.02, 1),
        "SFT": _loops(0.4, 0.4, 0.02, 2),
        "GRPO": _loops(0.5, 0.9, 0.02, 3),
    }
    write_report(Found(loops, "cold start", "GRPO", ["SFT"], {"base model": 60.0, "sft, seed 0": 60.0}), tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert (tmp_path / "figure-5.svg").stat().st_size > 10_000
    assert "| GRPO - cold start | mean of all iterations | primary |" in text
    assert "5 of 5" in text
    scores = json.loads((tmp_path / "figures.json").read_text("utf-8"))["scores"]
    assert np.shape(scores["GRPO"][BEYOND_I.value]) == (SEEDS, PROBLEMS, ITERATIONS + 1)
    primary = _numbers(text, "| GRPO - cold start | mean of all iterations")
    expected = 100 * (loops["GRPO"].fast - loops["cold start"].fast).mean()
    assert primary[0] == pytest.approx(expected, abs=0.01)
    assert 0 < primary[1] < primary[0] < primary[2]
    rise = _numbers(text, "| SFT | 0.00")
    assert rise[0] == rise[1] == rise[2] == 0


def _numbers(text: str, beginning: str) -> list[float]:
    """The first number of a row with its interval, `12.34 (10.00, 14.00)`."""
    line = next(line for line in text.splitlines() if line.startswith(beginning))
    cell = next(each for each in line.split("|") if "(" in each)
    return [float(each) for each in cell.replace("(", "").replace(")", "").replace(",", "").split()]


def test_an_interval_of_crossed_scores_holds_the_truth_where_seeds_differ() -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        seeds, problems = rng.normal(0, 0.1, (SEEDS, 1)), rng.normal(0, 0.1, (1, PROBLEMS))
        found = crossed_interval(seeds + problems + rng.normal(0, 0.1, (SEEDS, PROBLEMS)))
        held += found.low <= 0 <= found.high
    assert 180 <= held <= 200


def test_a_seed_that_all_problems_share_is_no_chance_of_a_problem() -> None:
    by_seed = np.repeat(np.array([[0.0], [0.1], [0.2], [0.3], [0.4]]), PROBLEMS, axis=1)
    found = crossed_interval(by_seed)
    assert found.estimate == pytest.approx(0.2)
    assert found.half_width > 0.12, "five seeds, however many problems"


@pytest.mark.parametrize("shape", [(1, 12), (5, 1)])
def test_one_seed_or_one_problem_has_no_spread(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no spread"):
        crossed_interval(_ones(shape))


def _ones(shape: tuple[int, int]) -> NDArray[np.float64]:
    return np.ones(shape)


def test_the_ways_of_a_code_are_read_from_its_text() -> None:
    problem = split_problems().test[0]
    for ways in problem.ways:
        assert ways_of(problem, problem.solution(ways)) == ways
    ways = (FAST, SLOW, HEAVY)
    code = problem.solution(ways)
    stranger = next(stage for stage in STAGES if stage not in problem.stages)
    changed = code.replace(problem.stages[1].code(SLOW), stranger.code(FAST))
    assert ways_of(problem, changed) == (FAST, HEAVY)
    assert ways_of(problem, code.replace("    ", "  ").replace("range", "reversed")) != ways
    assert ways_of(problem, "") == ()


def test_the_time_of_grpo_is_added_up_over_processes(tmp_path: Path) -> None:
    rows = [
        {"step": 1, "time_s": 10.0, **_step(2.0, 6.0)},
        {"step": 2, "time_s": 20.0, **_step(2.0, 7.0)},
        {"step": 3, "time_s": 11.0, **_step(3.0, 6.0)},  # another process, which went on
        {"step": 3, "time_s": 12.0, "train_runtime": 12.0},
    ]
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cost = grpo_cost([path, path])
    assert (cost.generation_s, cost.reward_s, cost.update_s) == (14.0, 38.0, 2 * 31.0 - 52.0)
    assert cost.runs == 2 * 3 * 60
    assert cost.answer_tokens == 14.0 * 500
    assert cost.slots_busy == pytest.approx(0.9)


def _step(generation_s: float, reward_s: float) -> dict[str, float]:
    return {
        "generation/time_s": generation_s,
        "generation/tokens_per_s": 500.0,
        "reward/time_s": reward_s,
        "reward/runs": 60.0,
        "reward/slots_busy": 0.9,
    }


def test_stages_have_the_times_that_were_noted(tmp_path: Path) -> None:
    (tmp_path / "times.jsonl").write_text('{"stage": "base model", "time_s": 1.5}\n{"stage": "b", "time_s": 2.0}\n')
    assert stage_times_s(tmp_path) == {"base model": 1.5, "b": 2.0}
