"""Data sets for LLaMA-Factory and verl, and the commands that build and export them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from afterburner.agent.types import Objective
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.tables import file_key, write_file
from afterburner.training.commands.group import app
from afterburner.training.data.building import build_data
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.export import Program, export
from afterburner.training.data.reading import read_data
from afterburner.training.data.settings import DataSettings, Recipe
from afterburner.training.errors import TrainingError

from .problems import problem

if TYPE_CHECKING:
    from pathlib import Path


def built(recipe: Recipe, folder: Path) -> Path:
    build_data([problem()], DataSettings(recipe, (Objective.TIME,), examples=2), HeldOut(), folder)
    return folder


def test_llama_factory_gets_conversations_and_what_describes_them(tmp_path: Path) -> None:
    data = read_data(built(Recipe.SFT, tmp_path / "sft"))
    path = export(data, Program.LLAMA_FACTORY, tmp_path / "out")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [row["messages"] for row in rows] == [[*row["prompt"], *row["completion"]] for row in data.rows]
    assert rows[0]["messages"][-1]["role"] == "assistant"
    about = json.loads((tmp_path / "out" / "dataset_info.json").read_text("utf-8"))["afterburner-sft"]
    assert about["file_name"] == path.name
    assert about["formatting"] == "sharegpt"
    assert "ranking" not in about


def test_preferences_are_a_pair_of_messages(tmp_path: Path) -> None:
    data = read_data(built(Recipe.DPO, tmp_path / "dpo"))
    path = export(data, Program.LLAMA_FACTORY, tmp_path / "out")
    (row, *_) = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert row["messages"] == data.rows[0]["prompt"]
    assert (row["chosen"], row["rejected"]) == (data.rows[0]["chosen"][0], data.rows[0]["rejected"][0])
    about = json.loads((tmp_path / "out" / "dataset_info.json").read_text("utf-8"))["afterburner-dpo"]
    assert about["ranking"] is True
    assert about["columns"] == {"messages": "messages", "chosen": "chosen", "rejected": "rejected"}


def test_verl_gets_prompts_with_what_its_reward_needs(tmp_path: Path) -> None:
    data = read_data(built(Recipe.GRPO, tmp_path / "grpo"))
    rows = pq.read_table(export(data, Program.VERL, tmp_path / "out")).to_pylist()
    assert [row["prompt"] for row in rows] == [row["prompt"] for row in data.rows]
    assert rows[0]["reward_model"] == {"style": "rule", "ground_truth": "sums"}
    assert rows[0]["extra_info"] == {
        "index": 0,
        "split": "train",
        "objective": "time",
        "original": data.rows[0]["original"],
    }


@pytest.mark.parametrize(("recipe", "program"), [(Recipe.GRPO, "llama-factory"), (Recipe.SFT, "verl")])
def test_a_program_that_does_not_train_so_is_refused(recipe: Recipe, program: str, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=f"is not for {program}"):
        export(read_data(built(recipe, tmp_path / "data")), Program(program), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_file_that_was_changed_or_is_not_there_is_no_data_set(tmp_path: Path) -> None:
    folder = built(Recipe.SFT, tmp_path / "data")
    (folder / "train.parquet").write_bytes(b"changed")
    with pytest.raises(TrainingError, match="is not what its card describes"):
        read_data(folder)
    (folder / "card.json").write_text('{"format": 99}')
    with pytest.raises(TrainingError, match="another version"):
        read_data(folder)
    with pytest.raises(TrainingError, match=r"There is no folder .*none, which is to hold a data set\. Build one"):
        read_data(tmp_path / "none")


@pytest.fixture
def benchmark(tmp_path: Path) -> Path:
    """Two problems to train on, and two to test on, of which one is like one of the first."""
    folder = tmp_path / "benchmark"
    folder.mkdir()
    (folder / ABOUT).write_text(json.dumps({"format": FORMAT, "name": "own"}), "utf-8")
    other = "Print each word of the input on a line, the longest first, and nothing else at all, ever, please."
    free = problem("free", text=other)
    free = replace(free, references=tuple(replace(each, code=f"x = 1\n{each.code}") for each in free.references))
    for split, each in (
        ("train", problem("sums")),
        ("train", free),
        ("test", problem("almost")),
        ("test", problem("own", text="Another.")),
    ):
        row = {"id": each.id, "split": split, "json": each.to_json()}
        write_file(folder / PROBLEMS / f"{file_key(each.id)}.parquet", COLUMNS[PROBLEMS], [row])
    return folder


def test_the_commands_build_from_one_split_and_hold_the_other_out(benchmark: Path, tmp_path: Path) -> None:
    words = ["data", "sft", "--from", str(benchmark), "--objective", "time", "--examples", "3"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "sft")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "3 examples from 1 problem in" in done.stdout
    assert "left out: sums: " in done.stderr
    assert {row["problem_id"] for row in read_data(tmp_path / "sft").rows} == {"free"}
    out = str(tmp_path / "out")
    done = CliRunner().invoke(app, ["export", str(tmp_path / "sft"), "--format", "llama-factory", "--out", out])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "afterburner-sft.jsonl").is_file()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (["--split", "test"], "nothing is trained on it"),
        (["--from", "nowhere"], "--from nowhere: it is not there. Pairs need solutions that were measured"),
        (["--held-out", "nothing.jsonl"], "nothing.jsonl"),
    ],
)
def test_what_cannot_be_trained_on_says_why(benchmark: Path, tmp_path: Path, changed: list[str], said: str) -> None:
    words = ["data", "sft", "--from", str(benchmark), "--out", str(tmp_path / "sft"), *changed]
    done = CliRunner().invoke(app, words)
    assert done.exception is not None
    assert said in str(done.exception)
    assert not (tmp_path / "sft").exists()
