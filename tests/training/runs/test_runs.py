"""Data sets from stored runs: the prompt as it was sent, the proven offer, and what was refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from shop import FAST
from typer.testing import CliRunner

from afterburner.agent import Problem
from afterburner.agent.code.locate import find_target
from afterburner.agent.code.splice import parse_answer_code, splice
from afterburner.agent.models.prompts.answer_format import parse_answer
from afterburner.agent.types import Decision, Gain
from afterburner.evals.problems import BenchmarkProblem, Reference
from afterburner.sandbox import TestCase
from afterburner.training.commands.group import app
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.export import Program, export
from afterburner.training.data.reading import read_data
from afterburner.training.errors import TrainingError
from afterburner.training.runs import building
from afterburner.training.runs.answers import answer_code
from afterburner.training.runs.building import build_run_data
from afterburner.training.runs.examples import examples_of
from afterburner.training.runs.prompts import prompt_of
from afterburner.training.runs.settings import RunDataSettings, RunRecipe

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from shop import Store


def build(store: Path, out: Path, *words: str, recipe: str = "sft") -> Result:
    return CliRunner().invoke(app, ["runs", recipe, "--store", str(store), "--out", str(out), *words])


@pytest.mark.slow
def test_the_prompt_is_what_the_run_sent_and_the_answer_makes_the_offer(store: Store, tmp_path: Path) -> None:
    done = build(store.folder, tmp_path / "sft")
    assert done.exit_code == 0, done.output
    assert "1 example from 1 run in" in done.stdout
    data = read_data(tmp_path / "sft")
    (row,) = data.rows
    assert row["prompt"] == store.sent
    assert "## Original performance\nPassed: True\nTime: " in row["prompt"][-1]["content"]
    said = parse_answer(row["completion"][0]["content"])
    assert said.thinking == "A set."
    target, result = store.run.result.target, store.run.result
    assert splice(target, parse_answer_code(said.code, target)) == result.best_source
    assert (row["problem_id"], row["objective"], row["run_id"]) == ("common in stock.py", "time", result.run_id)
    assert result.gain is not None
    assert row["gap"] == result.gain.ratio
    assert data.card["paper"]["examples"] == 58_833
    assert "| runs | 1 | 984 problems |" in (tmp_path / "sft" / "README.md").read_text("utf-8")
    assert export(data, Program.LLAMA_FACTORY, tmp_path / "llama").is_file()


@pytest.mark.slow
def test_a_prompt_that_no_model_was_sent_is_rebuilt_byte_for_byte(store: Store) -> None:
    """As of a run of rules: the measurement, the description of the project, and what is told are the run's own."""
    run = store.run
    silent = tuple(replace(each, answer=None) for each in run.result.candidates)
    rebuilt = prompt_of(replace(run, result=replace(run.result, candidates=silent)))
    assert rebuilt == store.sent
    assert "def clean(name)" in rebuilt[-1]["content"], "the description is of the project"


@pytest.mark.slow
def test_preferences_reject_what_is_wrong_or_cheats(store: Store, tmp_path: Path) -> None:
    assert build(store.folder, tmp_path / "dpo", recipe="dpo").exit_code == 0
    data = read_data(tmp_path / "dpo")
    assert {row["rejected_because"]: parse_answer(row["rejected"][0]["content"]).thinking for row in data.rows} == {
        "wrong": "Less.",
        "cheats": "A frame.",
    }
    assert {parse_answer(row["chosen"][0]["content"]).code for row in data.rows} == {FAST}
    assert [row["prompt"] for row in data.rows] == [store.sent] * 2
    assert data.card["rejected"] == {"wrong": 1, "cheats": 1}
    for name in ("first", "second"):
        assert build(store.folder, tmp_path / name, "--examples", "1", "--seed", "3", recipe="dpo").exit_code == 0
    first, second = ((tmp_path / name / "train.parquet").read_bytes() for name in ("first", "second"))
    assert first == second
    assert len(read_data(tmp_path / "first").rows) == 1


@pytest.mark.slow
def test_only_what_is_slower_for_sure_is_rejected_for_its_time(store: Store) -> None:
    """A candidate that is right and only seems slower is no bad example; nor is the offer's own code once more."""
    run = store.run
    wrong = next(each for each in run.result.candidates if each.decision is Decision.WRONG)
    right = {"decision": Decision.NOT_BETTER, "verdict": None}
    slower = replace(wrong, **right, gain=Gain(0.5, 0.4, 0.6, 0.0, 4))
    unsure = replace(wrong, **right, gain=Gain(0.9, 0.7, 1.1, 0.0, 4), source=wrong.source.replace("left)", "left) "))
    again = replace(slower, source=run.result.best_source)
    candidates = (*(each for each in run.result.candidates if each is not wrong), slower, unsure, again)
    settings = RunDataSettings(RunRecipe.DPO)
    found = examples_of(replace(run, result=replace(run.result, candidates=candidates)), settings)
    assert sorted(row["rejected_because"] for row in found) == ["cheats", "slower"]


@pytest.mark.slow
def test_a_damaged_run_is_left_out_and_the_others_count(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, result = store.run, store.run.result
    broken = [
        replace(run, settings=replace(run.settings, problem="{")),
        replace(run, result=replace(result, best_source=None)),
        replace(run, result=replace(result, candidates=(1, 2))),
        replace(run, result=replace(result, target=replace(result.target, source="def (:"))),
        replace(run, result=replace(result, target=replace(result.target, language="riddle"))),
    ]
    monkeypatch.setattr(building, "proven_runs", lambda *_: iter([*broken, run]))
    card = build_run_data(None, RunDataSettings(RunRecipe.SFT), HeldOut(), tmp_path / "sft")
    assert len(read_data(tmp_path / "sft").rows) == 1
    assert len(card.left_out) == len(broken)
    assert all(f"run {result.run_id}, " in each for each in card.left_out)


@pytest.mark.slow
def test_what_is_tested_on_and_what_holds_a_secret_is_left_out(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = (TestCase(b"", b""),)
    other = Problem("other", "Something else entirely.", case)
    by_code = BenchmarkProblem("own", "1", other, references=(Reference(f"# theirs\n{store.run.result.best_source}"),))
    by_title = BenchmarkProblem("own", "1", replace(other, name="Common"))
    for held, why in ((by_code, "it has a solution of the held-out"), (by_title, "its title is that of the held-out")):
        held_out = HeldOut()
        held_out.add([held])
        with pytest.raises(TrainingError, match=f"Left out: run .*, common in stock.py: {why}"):
            build_run_data(store.folder, RunDataSettings(RunRecipe.SFT), held_out, tmp_path / "out")
    monkeypatch.setenv("SHOP_TOKEN", "map(clean, left)")
    done = build(store.folder, tmp_path / "out")
    assert "a secret value is hidden in its prompt" in str(done.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_runs_of_other_projects_and_of_other_versions_are_left_out(store: Store, tmp_path: Path) -> None:
    assert build(store.folder, tmp_path / "out", "--project", str(store.project)).exit_code == 0
    done = build(store.folder, tmp_path / "other", "--project", str(tmp_path))
    assert f"No stored run on files in {tmp_path} gives an example" in str(done.exception)
    shutil.copytree(store.folder, tmp_path / "store")
    for change, why in (("result = x'00'", "the run's RunResult cannot be read"), ("format = 99", "another version")):
        with closing(sqlite3.connect(tmp_path / "store" / "runs.sqlite")) as file, file:
            file.execute(f"UPDATE runs SET {change}")  # noqa: S608 - ours
        assert why in str(build(tmp_path / "store", tmp_path / "other").exception).replace("The run's", "the run's")


def test_without_a_store_or_with_another_recipe_the_error_says_what_to_do(tmp_path: Path) -> None:
    assert "Give the folder of another one by --store DIR" in str(build(tmp_path, tmp_path / "out").exception)
    assert build(tmp_path, tmp_path / "out", recipe="grpo").exit_code == 2


METHOD = "import os\n\n\nclass Shop:\n    def total(self, rows):\n        return sum(rows)\n"


def test_the_code_of_an_answer_holds_what_the_file_got_with_it(tmp_path: Path) -> None:
    path = tmp_path / "shop.py"
    path.write_text(METHOD)
    target = find_target(path, "Shop.total")
    made = METHOD.replace("import os\n", "import os\nfrom functools import lru_cache\n").replace(
        "class Shop", "@lru_cache\ndef add(rows):\n    return sum(rows)\n\n\nclass Shop"
    )
    made = made.replace("return sum(rows)\n", "return add(tuple(rows))\n").replace(
        "def add(rows):\n    return add(tuple(rows))", "def add(rows):\n    return sum(rows)"
    )
    code = answer_code(target, made)
    assert code.startswith("from functools import lru_cache\n\n\n@lru_cache\ndef add(rows):")
    assert code.endswith("def total(self, rows):\n    return add(tuple(rows))\n")
    assert "import os" not in code
    assert answer_code(target, made.replace("import os", "import re")) == "", "no answer takes an import away"
    assert answer_code(target, "def (") == ""
