"""Generated problems: all solutions of one print the same, and no held-out combination is trained on."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Problem
from afterburner.evals.datasets.generating import run_generator
from afterburner.evals.problems import Rejected
from afterburner.evals.recipe.framing import read_raw_problems
from afterburner.sandbox import Task, TestCase, Verdict
from afterburner.training.errors import TrainingError
from afterburner.training.miniature.corpus import CorpusSettings, conversations
from afterburner.training.miniature.dataset import write_raw
from afterburner.training.miniature.families import MadeProblem, split_problems
from afterburner.training.miniature.stages import FAST, HEAVY, SLOW, STAGES

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.sandbox import Sandbox


@pytest.mark.slow
def test_every_way_of_every_stage_prints_the_same_beside_any_other(sandbox: Sandbox) -> None:
    # Each stage in each of its ways, and each way before each other one.
    rotations = [(SLOW, HEAVY, FAST), (HEAVY, FAST, SLOW), (FAST, SLOW, HEAVY)]
    for start in range(0, len(STAGES), 3):
        problem = MadeProblem(tuple(STAGES[(start + place) % len(STAGES)] for place in range(3)))
        case = TestCase(run_generator(sandbox, problem.generator, 1)[0]["input"].encode())
        tasks = [Task(Problem(problem.name, "", (case,)).program(problem.solution(ways)), [case]) for ways in rotations]
        reports = list(sandbox.run_many(tasks))
        assert [report.verdict for report in reports] == [Verdict.ACCEPTED] * 3, problem.name
        outputs = {report.cases[0].stdout for report in reports}
        assert len(outputs) == 1, problem.name
        assert len(outputs.pop().split()) == 3, "an answer a line"


def test_no_held_out_combination_is_trained_on_but_each_of_its_stages_is_in_its_place() -> None:
    split = split_problems()
    held_out = {frozenset(problem.stages) for problem in split.test}
    assert len(held_out) == len(split.test)
    assert held_out.isdisjoint(frozenset(problem.stages) for problem in (*split.train, *split.pretraining))
    assert {problem.name for problem in split.train} <= {problem.name for problem in split.pretraining}
    places = {(place, stage) for problem in split.train for place, stage in enumerate(problem.stages)}
    assert {(place, stage) for problem in split.test for place, stage in enumerate(problem.stages)} <= places


def test_a_seed_gives_the_same_problems_and_the_same_conversations() -> None:
    assert split_problems(seed=1) == split_problems(seed=1)
    assert split_problems(seed=1).test != split_problems().test
    problems = split_problems().pretraining
    assert list(islice(conversations(problems, 3), 20)) == list(islice(conversations(problems, 3), 20))
    assert list(islice(conversations(problems, 3), 20)) != list(islice(conversations(problems, 4), 20))


def test_more_problems_than_there_are_combinations_are_refused() -> None:
    with pytest.raises(TrainingError, match="120 combinations"):
        split_problems(train=110, test=11)
    with pytest.raises(TrainingError, match="as stage"):
        split_problems(train=1, test=30)


def test_the_file_is_one_that_eval_build_reads(tmp_path: Path) -> None:
    problem = split_problems().train[0]
    write_raw([problem], tmp_path / "raw" / "train.jsonl")
    (raw,) = read_raw_problems(tmp_path / "raw" / "train.jsonl")
    assert not isinstance(raw, Rejected)
    assert (raw.id, raw.description, raw.generator) == (problem.name, problem.description, problem.generator)
    assert raw.solutions == tuple(problem.solution(ways) for ways in problem.ways)
    assert len(set(raw.solutions)) == 27
    assert not raw.runner, "nothing is imported around a solution, so that what is measured is its own"


def test_an_answer_is_a_solution_in_the_strict_format_unless_the_settings_say_otherwise() -> None:
    (problem, *_) = split_problems().test
    solutions = {problem.solution(ways) for ways in problem.ways}
    for settings, is_strict, is_right in (
        (CorpusSettings(wrong=0, loose=0), True, True),
        (CorpusSettings(wrong=0, loose=1), False, True),
        (CorpusSettings(wrong=1, loose=0), True, False),
    ):
        for *_, answer in islice(conversations([problem], 0, settings), 10):
            text = answer["content"]
            assert text.startswith("<thinking>") is is_strict
            assert (text.partition("```python\n")[2].partition("```")[0] in solutions) is is_right


def test_a_failing_original_measures_what_the_loop_says_of_one() -> None:
    settings = CorpusSettings(without_original=0, failing_original=1)
    (_, user, _) = next(conversations(split_problems().train, 0, settings))
    assert "Passed: False\nTime: 90 s\nMemory: 1048576 KiB\nIntegral: 9.43718e+07 KiB·s" in user["content"]
