"""Data sets from measured solutions: what is chosen, what the prompts are, what is held out, and what the card says."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from afterburner.agent.models.prompts.answer_format import parse_answer
from afterburner.agent.types import Objective
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference, Rejected
from afterburner.evals.tables import write_file
from afterburner.sandbox import UsageError
from afterburner.training.commands.group import app
from afterburner.training.data.building import build_data
from afterburner.training.data.choosing import choose_originals, choose_pairs, choose_triples, ranked
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.prompts import answer_with, prompt_for
from afterburner.training.data.settings import DataSettings, Recipe
from afterburner.training.data.sources import problems_of
from afterburner.training.errors import TrainingError

from .problems import TEXT, problem

if TYPE_CHECKING:
    from pathlib import Path


def wall(reference: Reference) -> float:
    assert reference.figures is not None
    return reference.figures.wall_time_s


def test_pairs_have_a_gap_and_each_is_chosen_once() -> None:
    settings = DataSettings(Recipe.SFT, examples=1_000, least_gap=1.49)
    pairs = choose_pairs(problem(), Objective.TIME, settings)
    assert len({(worse.id, better.id) for worse, better in pairs}) == len(pairs)
    assert all(wall(worse) >= 1.49 * wall(better) for worse, better in pairs)
    # Of 12 solutions: 1 with 11 others, 2 with 10, 3 with 8, 4 with 7, 5 with 5, 6 with 4, 7 with 2, 8 with 1.
    assert len(pairs) == 11 + 10 + 8 + 7 + 5 + 4 + 2 + 1
    memory = choose_pairs(problem(), Objective.MEMORY, settings)
    assert all(wall(worse) < wall(better) for worse, better in memory), "who is slow here needs little memory"
    assert len(choose_pairs(problem(), Objective.TIME, replace(settings, examples=5))) == 5


def test_triples_have_a_gap_on_both_sides() -> None:
    settings = DataSettings(Recipe.DPO, examples=30, least_gap=1.5)
    triples = choose_triples(problem(), Objective.TIME, settings)
    assert len(triples) > 10
    assert len({tuple(each.id for each in triple) for triple in triples}) == len(triples)
    for best, middling, worst in triples:
        assert wall(middling) >= 1.5 * wall(best)
        assert wall(worst) >= 1.5 * wall(middling)
    assert not choose_triples(problem(solutions=2), Objective.TIME, settings)


def test_originals_come_from_all_over_the_range() -> None:
    settings = DataSettings(Recipe.GRPO, examples=4)
    found = [wall(each) for each in choose_originals(problem(), Objective.TIME, settings)]
    assert [int(10 * each - 0.5) // 3 for each in found] == [0, 1, 2, 3], "one from each quarter"
    assert len(choose_originals(problem(solutions=2), Objective.TIME, settings)) == 2
    assert not choose_originals(problem(solutions=0), Objective.TIME, settings)


def test_choices_depend_on_the_seed_and_the_problem_alone() -> None:
    settings = DataSettings(Recipe.SFT, examples=5)
    first = choose_pairs(problem(), Objective.TIME, settings)
    backwards = replace(problem(), references=tuple(reversed(problem().references)))
    assert choose_pairs(backwards, Objective.TIME, settings) == first
    assert choose_pairs(problem(), Objective.TIME, replace(settings, seed=1)) != first


def test_the_prompt_is_the_agents_own_with_units_and_the_answer_is_strict(tmp_path: Path) -> None:
    build_data([problem()], DataSettings(Recipe.SFT, (Objective.TIME,), examples=3), HeldOut(), tmp_path)
    rows = pq.read_table(tmp_path / "train.parquet").to_pylist()
    assert len(rows) == 3
    for row in rows:
        (worse,) = (each for each in problem().references if each.code == row["original"])
        assert worse.figures is not None
        assert row["prompt"] == prompt_for(problem().problem, Objective.TIME, worse.code, worse.figures)
        asked = row["prompt"][-1]["content"]
        assert f"Time: {worse.figures.wall_time_s:.4g} s\nMemory: {round(worse.figures.peak_memory_kib)} KiB" in asked
        (answer,) = row["completion"]
        assert answer["role"] == "assistant"
        assert parse_answer(answer["content"]).code in {each.code for each in ranked(problem(), Objective.TIME)}
        assert row["gap"] >= 1.2


def test_preferences_and_the_ablations(tmp_path: Path) -> None:
    build_data([problem()], DataSettings(Recipe.DPO, (Objective.INTEGRAL,), examples=2), HeldOut(), tmp_path / "dpo")
    for row in pq.read_table(tmp_path / "dpo" / "train.parquet").to_pylist():
        chosen, rejected = (parse_answer(row[name][0]["content"]).code for name in ("chosen", "rejected"))
        figures = {each.code: wall(each) for each in ranked(problem(), Objective.INTEGRAL)}
        assert figures[chosen] < figures[row["original"]] < figures[rejected]
    bare = DataSettings(Recipe.GRPO, (Objective.TIME,), tell="no-original")
    build_data([problem()], bare, HeldOut(), tmp_path / "bare")
    (row,) = pq.read_table(tmp_path / "bare" / "train.parquet").to_pylist()
    assert row["original"] not in row["prompt"][-1]["content"]
    assert "completion" not in row
    build_data([problem()], DataSettings(Recipe.DIRECT, (Objective.TIME,)), HeldOut(), tmp_path / "direct")
    (row,) = pq.read_table(tmp_path / "direct" / "train.parquet").to_pylist()
    assert row["original"] == ""
    assert parse_answer(row["completion"][0]["content"]).code == ranked(problem(), Objective.TIME)[0].code
    assert "I write a solution so that it takes less time." in row["completion"][0]["content"]


def test_the_same_problems_give_the_same_file(tmp_path: Path) -> None:
    settings = DataSettings(Recipe.SFT)
    for name in ("a", "b"):
        build_data([problem(), problem("other")], settings, HeldOut(), tmp_path / name)
    assert (tmp_path / "a" / "train.parquet").read_bytes() == (tmp_path / "b" / "train.parquet").read_bytes()


OTHER = "Print each word of the input on a line, the longest first, and nothing else at all."


@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (replace(problem("17", text=OTHER), id="sums"), "its id is that of a held-out problem"),
        (replace(problem("SUMS", text=OTHER), dataset="theirs"), "its title is that of the held-out problem SUMS"),
        (problem("copied"), "of the shorter text with the held-out problem copied"),
        (problem("longer", text=f"{OTHER} {TEXT} {OTHER}"), "of the shorter text with the held-out problem longer"),
        (
            replace(
                problem("x", text=OTHER),
                references=(Reference("n = int(input())  # theirs\n\nprint(sum(range(n + 1))   + 3 - 3)"),),
            ),
            "it has a solution of the held-out problem x",
        ),
    ],
)
def test_what_is_tested_on_is_not_trained_on(held: BenchmarkProblem, reason: str, tmp_path: Path) -> None:
    held_out = HeldOut()
    held_out.add([held])
    assert reason in held_out.reason(problem())
    free = problem(
        "free", text="Count the vowels of a word, however it is written, and tell which is the most frequent."
    )
    free = replace(free, references=tuple(replace(each, code=f"x = 1\n{each.code}") for each in free.references))
    card = build_data([problem(), free], DataSettings(Recipe.SFT), held_out, tmp_path)
    assert card.problems == 1
    assert card.left_out[0].startswith("sums: ")


def test_what_only_looks_alike_may_be_trained_on() -> None:
    """Numbers of another dataset, empty titles, and the words that every statement begins with."""
    held = replace(problem("17", text=f"{OTHER} Given an array of integers, return"), dataset="theirs", references=())
    held_out = HeldOut()
    held_out.add([held, Rejected("apps.jsonl, record 3", "", "this is no JSON")])
    assert held_out.reason(problem("17", text=f"{TEXT} Given an array of integers, return")) == ""
    assert (held_out.count, held_out.unreadable) == (1, ["apps.jsonl, record 3: this is no JSON"])


def test_held_out_problems_of_one_number_and_short_ones_are_found_all_the_same() -> None:
    """Two datasets number their problems alike; and a sentence is too short to share half of a long text."""
    long = f"{TEXT} {OTHER} Then tell how many there are, and stop at the first empty line of the input, if any."
    short = "Count the vowels of a word, however it is written."
    held_out = HeldOut()
    theirs = (("one", short), ("two", f"{long} {long.replace('the', 'a')}"))
    for dataset, text in theirs:
        held = replace(problem("17"), dataset=dataset, references=())
        held_out.add([replace(held, problem=replace(held.problem, description=text))])
    assert "of the shorter text with the held-out problem 17" in held_out.reason(problem("copied", text=long))
    contained = problem("free", text=f"{'Read one line. ' * 9} {short} Print the number.")
    assert held_out.reason(replace(contained, references=())) == "it contains the text of the held-out problem 17"


def test_a_solution_that_no_answer_can_hold_is_never_chosen() -> None:
    """Its tag would end the answer. A fence of its own is no obstacle: the one around it is longer."""
    odd = [Reference(f"{code}\n", Figures(0.01, 0.01, 1.0, 0.01)) for code in ("# </solution>", "s = '''\n```\n'''")]
    found = ranked(replace(problem(), references=tuple(odd)), Objective.TIME)
    assert found == [odd[1]]
    assert parse_answer(answer_with(odd[1].code, Objective.TIME, "python")).code == odd[1].code


def test_the_card_counts_what_is_there_beside_the_papers(tmp_path: Path) -> None:
    lost = Rejected("raw.jsonl, record 3", "", "this is no JSON")
    flat = replace(problem("flat"), references=problem("flat").references[:1])
    doubled = replace(problem(), id="again")
    build_data([problem(), lost, flat, doubled], DataSettings(Recipe.SFT, examples=4), HeldOut(), tmp_path)
    card = json.loads((tmp_path / "card.json").read_text("utf-8"))
    assert card["examples_by_objective"].keys() == {"time", "memory", "integral"}
    assert (
        card["examples"]
        == sum(card["examples_by_objective"].values())
        == len(pq.read_table(tmp_path / "train.parquet"))
    )
    assert card["left_out"][:2] == [lost.line, "flat: it has too few solutions with a gap between them"]
    assert card["paper"] == {"examples": 58_833, "problems": 984}
    page = (tmp_path / "README.md").read_text("utf-8")
    assert "| examples |" in page
    assert "58,833" in page
    assert "raw.jsonl, record 3: this is no JSON" in page


@pytest.mark.parametrize(("counts", "is_told"), [({}, True), ({"problems": 1, "left_out": 0}, False)])
def test_a_benchmark_that_is_not_finished_is_told_on_the_card_too(
    tmp_path: Path, counts: dict[str, int], *, is_told: bool
) -> None:
    source, out = tmp_path / "benchmark", tmp_path / "out"
    source.mkdir()
    (source / ABOUT).write_text(json.dumps({"format": FORMAT, "counts": counts}))
    row = {"id": "one", "split": "train", "json": problem().to_json()}
    write_file(source / PROBLEMS / "one.parquet", COLUMNS[PROBLEMS], [row])
    done = CliRunner().invoke(app, ["data", "sft", "--from", str(source), "--out", str(out)])
    assert done.exit_code == 0, done.output
    card = json.loads((out / "card.json").read_text("utf-8"))
    for told in (done.stderr, (out / "README.md").read_text("utf-8"), card["caution"]):
        assert ("It has 1 problem so far" in told) is is_told


def test_a_split_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    (tmp_path / ABOUT).write_text(json.dumps({"format": FORMAT}))
    row = {"id": "one", "split": "test", "json": problem().to_json()}
    write_file(tmp_path / PROBLEMS / "one.parquet", COLUMNS[PROBLEMS], [row])
    for split, advice in (("train", "a smaller --test-share"), ("tes", "Give --split train")):
        with pytest.raises(TrainingError, match=f"--split {split}: .* It has 0 of train, 1 of test.*{advice}"):
            problems_of(tmp_path, split)


def test_without_any_gap_nothing_is_written_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    one = problem(solutions=1)
    with pytest.raises(TrainingError, match="two solutions with such a gap"):
        build_data([one], DataSettings(Recipe.SFT), HeldOut(), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot be written"):
        build_data([problem()], DataSettings(Recipe.SFT), HeldOut(), tmp_path / "file" / "out")


@pytest.mark.parametrize(
    ("told", "message"),
    [({"least_gap": 1.0}, "--least-gap 1"), ({"examples": 0}, "--examples 0"), ({"objectives": ()}, "one objective")],
)
def test_settings_out_of_bounds_are_refused(told: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        DataSettings(Recipe.SFT, **told)  # type: ignore[arg-type]
