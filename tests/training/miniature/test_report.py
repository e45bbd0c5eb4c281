"""The miniature's report: what it says of made-up scores whose answer is known."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from afterburner.evals.report.measures import BEYOND_I, BEYOND_T, MEASURES, PASSING
from afterburner.sandbox import UsageError
from afterburner.training.errors import TrainingError
from afterburner.training.miniature.arms import MAIN, Comparison, Experiment, Loop
from afterburner.training.miniature.costs import GrpoCost, grpo_cost, note_time, stage_times_s, was_begun
from afterburner.training.miniature.crossed import crossed_interval, crossed_percentiles, resampled_deviation
from afterburner.training.miniature.families import split_problems, ways_of
from afterburner.training.miniature.outcome import LoopScores, check_scored, read_loops
from afterburner.training.miniature.record import check_same
from afterburner.training.miniature.report import Results, write_report
from afterburner.training.miniature.size import FULL, SMOKE
from afterburner.training.miniature.stages import FAST, HEAVY, SLOW, STAGES

from .loop_folders import write_loop

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

SEEDS, PROBLEMS, ITERATIONS = 5, 12, 10


def _scores(
    begin: float, end: float, draw: int, *, seeds: int = SEEDS, problems: int = PROBLEMS, iterations: int = ITERATIONS
) -> LoopScores:
    """Beyond-I rises from one mean to another, with a part of its own for each seed and problem; the rest differs."""
    rng = np.random.default_rng(draw)
    line = np.linspace(begin, end, iterations + 1)
    parts = (rng.normal(0, 0.02, size) for size in ((seeds, 1, 1), (1, problems, 1), (seeds, problems, 1)))
    known = np.clip(sum(parts, line), 0, 1)
    others = {each: np.full(known.shape, 0.1 * at) for at, each in enumerate(MEASURES)}
    drifts = np.full((seeds, problems), 1.03)
    return LoopScores({**others, BEYOND_I: known}, known**2, 660, 8_000, 5_000, drifts, 2, "A processor")


def _report(tmp_path: Path, scores: dict[str, LoopScores], *comparisons: Comparison, warning: str = "") -> str:
    experiment = Experiment("figure-5", "Main experiment", (), tuple(Loop(label, "") for label in scores), comparisons)
    times_s = {"base model": 60.0, "sft, seed 0": 60.0, "sft, seed 1": 30.0}
    cost = GrpoCost(10.0, 80.0, 10.0, 5_000, 400, 0.95)
    write_report(Results((experiment,), scores, times_s, cost, warning), tmp_path)
    return (tmp_path / "report.md").read_text("utf-8")


@pytest.mark.nightly
def test_a_report_says_which_loop_is_ahead_and_which_one_rises(tmp_path: Path) -> None:
    scores = {"cold start": _scores(0.3, 0.5, 1), "SFT": _scores(0.4, 0.4, 2), "GRPO": _scores(0.5, 0.9, 3)}
    text = _report(tmp_path, scores, Comparison("GRPO", "cold start"), Comparison("GRPO", "SFT", 0.975))
    assert (tmp_path / "figure-5.svg").stat().st_size > 10_000
    after, before = (scores[label].scores[BEYOND_I] for label in ("GRPO", "cold start"))
    mean, low, high = _numbers(text, "| GRPO - cold start | mean of all iterations | ")
    assert mean == pytest.approx(100 * (after - before).mean(), abs=0.01)
    assert 0 < low < mean < high
    late = _numbers(text, "| GRPO - SFT | gain after iteration 5 | ")
    assert late[0] == pytest.approx(20, abs=0.5)
    assert "| 97.5% | 5 of 5 |" in text
    assert _numbers(text, "| SFT | 0.00 ") == [0, 0, 0]
    assert "| GRPO | 2 of 60 | 1.03 to 1.03 | 660 | 8,000 | 5,000 |" in text
    assert "| sft | 1.5 |" in text
    assert "| all | 2.5 |" in text
    found = json.loads((tmp_path / "figures.json").read_text("utf-8"))["scores"]
    assert np.shape(found["GRPO"][BEYOND_I.value]) == (SEEDS, PROBLEMS, ITERATIONS + 1)


def test_a_tie_is_no_gain_however_sums_are_rounded(tmp_path: Path) -> None:
    found = _scores(0.3, 0.5, 1)
    known = found.scores[BEYOND_I]
    shares = np.array([5, 10, 22]) / 27  # the sum of their differences to the same in another order is not 0
    known[0, :3], known[1:, :3] = np.roll(shares, 1)[:, None], 0.1
    rolled = known.copy()
    rolled[0, :3], rolled[1:, :3] = shares[:, None], 0.9
    after = replace(found, scores={**found.scores, BEYOND_I: rolled})
    assert ((rolled - known)[0].mean(axis=0) > 0).all()
    text = _report(tmp_path, {"SFT": found, "GRPO": after}, Comparison("GRPO", "SFT"), Comparison("SFT", "GRPO"))
    row = next(line for line in text.splitlines() if line.startswith("| GRPO - SFT | last iteration"))
    assert row.endswith(f"| {SEEDS - 1} of {SEEDS} |")
    assert next(line for line in text.splitlines() if line.startswith("| SFT - GRPO | last")).endswith("| 0 of 5 |")


@pytest.mark.slow
def test_a_report_of_the_smallest_size_speaks_of_what_it_has(tmp_path: Path) -> None:
    """One seed, one problem and one iteration: no interval, and no fifth iteration to gain after."""
    scores = {label: _scores(0.3, 0.5, draw, seeds=1, problems=1, iterations=1) for draw, label in enumerate("ab")}
    text = _report(tmp_path, scores, Comparison("a", "b"), warning="The figures mean nothing.")
    picture = (tmp_path / "figure-5.svg").read_text("utf-8")
    assert "<!-- The figures mean nothing. -->" in picture
    assert "<!-- Miniature: mean over 1 problem and 1 seed -->" in picture
    assert "| a | gain after iteration 0 | 20.00 |" in text
    assert "after iteration 5" not in text
    assert "Means over problems and seeds." in text
    assert "95% intervals" not in text
    assert "Student" not in text
    larger = _report(tmp_path, {"a": _scores(0.3, 0.5, 1), "b": _scores(0.3, 0.5, 2)}, Comparison("a", "b"))
    assert "Means over problems and seeds, with 95% intervals from resampling both." in larger


def test_loops_are_read_by_seed_problem_and_iteration(tmp_path: Path) -> None:
    """Folders that hold the problems in another order, with a code that fails, and anchors that have drifted."""
    one, two = split_problems().test[:2]
    folders = [
        write_loop(tmp_path / "0", (two, one), fast=[(0, 1, 1), (-1, 2, 3)]),
        write_loop(tmp_path / "1", (one, two), fast=[(3, 3, 3), (0, 0, 2)]),
    ]
    found = read_loops(folders, (one, two))
    assert (3 * found.fast).round().tolist() == [[[0, 2, 3], [0, 1, 1]], [[3, 3, 3], [0, 0, 2]]]
    # A code with f fast ways costs 4 - f: as much as one of the four references, once these are scaled by the drift.
    expected = [[[0, 0.75, 1], [0.25, 0.5, 0.5]], [[1, 1, 1], [0.25, 0.25, 0.75]]]
    for measure in (BEYOND_I, BEYOND_T):
        assert found.scores[measure].tolist() == expected
    assert found.scores[PASSING].tolist() == [[[0, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]]]
    assert (found.answers, found.prompt_tokens, found.answer_tokens) == (12, 12 * 70, 12 * 40)
    assert found.drifts.tolist() == [[1.25, 1.25], [1.25, 1.25]]
    assert found.flagged == 4
    with pytest.raises(TrainingError, match=r"has no score in .*: the folder's report says why. Remove the folder and"):
        check_scored(folders[0], split_problems().test[:3])


def _numbers(text: str, beginning: str) -> list[float]:
    """The first number of a row with its interval, `12.34 (10.00, 14.00)`."""
    line = next(line for line in text.splitlines() if line.startswith(beginning))
    cell = next(each for each in line.split("|") if "(" in each)
    return [float(each) for each in cell.replace("(", "").replace(")", "").replace(",", "").split()]


@pytest.mark.parametrize(("of_problems", "level"), [(0.1, 0.95), (0.1, 0.975), (0.0, 0.95), (0.0, 0.975)])
def test_an_interval_of_crossed_scores_holds_the_truth_as_often_as_it_says(of_problems: float, level: float) -> None:
    """Also where seeds alone differ: then the means of five are all there is to know."""
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        seeds, problems = rng.normal(0, 0.1, (SEEDS, 1)), rng.normal(0, of_problems, (1, PROBLEMS))
        found = crossed_interval(seeds + problems + rng.normal(0, of_problems, (SEEDS, PROBLEMS)), level=level)
        held += found.low <= 0 <= found.high
    chance = math.sqrt(400 * level * (1 - level))
    assert held >= 400 * level - 2.5 * chance


def test_an_interval_is_no_wider_than_it_has_to_be() -> None:
    by_seed = np.repeat(np.array([[0.1], [0.2], [0.3], [0.4], [0.5]]), PROBLEMS, axis=1)
    found = crossed_interval(by_seed)
    exact = 2.776 * 0.15811 / math.sqrt(5)  # Student's interval for the mean of five
    assert found.estimate == pytest.approx(0.3)
    assert found.half_width == pytest.approx(exact, rel=0.05)
    assert crossed_interval(2 * by_seed, (0.0, 0.7)).high == 0.7


def test_the_closed_form_is_what_resampling_comes_to() -> None:
    """Resamples are drawn one by one here: seeds and problems with replacement, and all pairs of them."""
    rng = np.random.default_rng(1)
    values = rng.normal(0, 0.1, (SEEDS, 1)) + rng.normal(0, 0.1, (SEEDS, PROBLEMS))
    means = [
        values[np.ix_(rng.integers(0, SEEDS, SEEDS), rng.integers(0, PROBLEMS, PROBLEMS))].mean() for _ in range(20_000)
    ]
    assert resampled_deviation(values) == pytest.approx(np.std(means), rel=0.03)
    low, high = np.quantile(means, [0.025, 0.975])
    found = crossed_percentiles(values)
    assert found.low < low < found.estimate < high < found.high, "expanded, since five seeds are few"


@pytest.mark.parametrize("shape", [(1, 12), (5, 1)])
def test_one_seed_or_one_problem_has_no_spread(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="no spread"):
        crossed_interval(_ones(shape))
    with pytest.raises(ValueError, match="no spread"):
        crossed_percentiles(_ones(shape))


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


def test_a_process_that_goes_on_later_in_its_own_time_counts_as_another(tmp_path: Path) -> None:
    """The second process logs its first step later after its start than the first process its last one."""
    path = tmp_path / "metrics.jsonl"
    for marks in (({"resumed_from": 0}, {"resumed_from": 1}), ({}, {})):  # earlier versions wrote no mark
        rows = [
            {"step": 1, "time_s": 10.0, **_step(2.0, 7.0), **marks[0]},
            {"step": 2, "time_s": 14.0, **_step(2.0, 9.0), **marks[1]},
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert grpo_cost([path]).update_s == 24.0 - 20.0


def _step(generation_s: float, reward_s: float) -> dict[str, float]:
    return {
        "generation/time_s": generation_s,
        "generation/tokens_per_s": 500.0,
        "reward/time_s": reward_s,
        "reward/runs": 60.0,
        "reward/slots_busy": 0.9,
    }


def test_cores_count_as_busy_for_as_long_as_rewards_took(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    rows = [
        {"step": 1, "time_s": 40.0, **_step(1.0, 30.0), "reward/slots_busy": 0.1},
        {"step": 2, "time_s": 60.0, **_step(1.0, 10.0), "reward/slots_busy": 0.5},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert grpo_cost([path]).slots_busy == pytest.approx(0.2)
    assert grpo_cost([]).slots_busy == 0.0


def test_stages_have_the_times_that_were_noted(tmp_path: Path) -> None:
    (tmp_path / "times.jsonl").write_text('{"stage": "base model", "time_s": 1.5}\n{"stage": "b", "time_s": 2.0}\n')
    assert stage_times_s(tmp_path) == {"base model": 1.5, "b": 2.0}


def test_all_attempts_at_a_stage_count(tmp_path: Path) -> None:
    assert not was_begun(tmp_path, "sft")
    note_time(tmp_path, "sft", 3.0, finished=False)
    note_time(tmp_path, "dpo", 1.0, finished=True)
    note_time(tmp_path, "sft", 4.5, finished=True)
    assert stage_times_s(tmp_path) == {"sft": 7.5, "dpo": 1.0}
    assert was_begun(tmp_path, "sft")
    assert not was_begun(tmp_path, "grpo")


def test_a_row_that_a_kill_cut_off_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "times.jsonl").write_text('{"x{"stage": "sft"\n{"stage": "base model", "time_s": 1.5}\n{"stage": "ba')
    assert stage_times_s(tmp_path) == {"base model": 1.5}


def test_a_folder_goes_on_with_the_same_settings_alone(tmp_path: Path) -> None:
    check_same(tmp_path / "out", FULL, (MAIN,))
    check_same(tmp_path / "out", FULL, (MAIN,))
    with pytest.raises(UsageError, match="holds a miniature with another size"):
        check_same(tmp_path / "out", SMOKE, (MAIN,))
    record = tmp_path / "out" / "miniature.json"
    written = json.loads(record.read_text("utf-8"))
    written["configs"]["dpo"]["model"]["path"] = "sft"  # as earlier versions wrote
    record.write_text(json.dumps(written))
    check_same(tmp_path / "out", FULL, (MAIN,))
    record.write_text("{")
    with pytest.raises(TrainingError, match=r"cannot be used: .*Give another --out"):
        check_same(tmp_path / "out", FULL, (MAIN,))


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"holds other files\. Give a new or empty folder"):
        check_same(tmp_path, FULL, (MAIN,))
    assert [each.name for each in tmp_path.iterdir()] == ["notes.txt"]


def test_the_split_of_the_protocol_holds_whole_sets_out() -> None:
    split = split_problems(FULL.train_problems, FULL.test_problems, FULL.split_seed)
    held_out = {frozenset(each.stages) for each in split.test}
    assert (len(split.train), len(held_out)) == (40, 12)
    assert held_out.isdisjoint(frozenset(each.stages) for each in (*split.train, *split.pretraining))
