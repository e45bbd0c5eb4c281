"""The full circle: a run's proven rewrite trains an adapter, which is merged, served, and answers the next run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

from shop import RESULT, write_shop

from afterburner.agent.types import Objective
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.prompts import answer_with
from afterburner.training.data.reading import read_data
from afterburner.training.data.writing import write_data
from afterburner.training.miniature.serving import served
from afterburner.training.runs.building import build_run_data
from afterburner.training.runs.settings import RunDataSettings, RunRecipe
from afterburner.training.trainers.models import merge_adapter
from afterburner.training.trainers.running import train

from .tiny import config, texts_of, write_model

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import CommandLine
    from shop import Store

BY_HEART = {
    "batch": {"size": 1, "per_device": 1},
    "max_tokens": 2000,
    "checkpoint_every": 1000,
    "optimizer": {"learning_rate": 3e-3, "schedule": "constant"},
}


@pytest.mark.slow
def test_an_adapter_that_a_teams_runs_trained_answers_the_next_run(
    store_run: Callable[[str], Store], program: CommandLine, tmp_path: Path
) -> None:
    """An untrained two-layer model knows nothing, so all its weights learn first to answer with the original.

    No figures are told: they are others in each run, and so small a model may know only the prompt that it has learned.

    It writes the rewrite when it is asked something else, so that it knows the words. Only the adapter can make it the
    answer to the run's prompt.
    """
    data, originals, shop = tmp_path / "sft", tmp_path / "originals", tmp_path / "shop"
    build_run_data(store_run("no-feedback").folder, RunDataSettings(RunRecipe.SFT), HeldOut(), data)
    rows = read_data(data).rows
    unchanged = [{**row, "completion": _answer(row)} for row in rows]
    elsewhere = [{**row, "prompt": [{"role": "user", "content": "What is quicker?"}]} for row in rows]
    write_data([*unchanged, *elsewhere], {"recipe": "sft", "source": ""}, "", originals)
    base = write_model(tmp_path / "base", texts_of(data, originals), hidden=128)
    began = config("sft", base, originals, steps=120, **BY_HEART)
    start = train(began, tmp_path / "start").folder.model
    lora = {"rank": 16, "alpha": 32}
    settings = config("sft", start, data, steps=40, lora=lora, **BY_HEART)
    adapter = train(settings, tmp_path / "run").folder.model
    assert (adapter / "adapter_config.json").is_file()
    merge_adapter(adapter, tmp_path / "merged")
    write_shop(shop)
    with served(tmp_path / "merged", tmp_path / "server.log") as model:
        done = program.untimed()(
            *("run", "stock.py", "--function", "common", "--model", model, "--no-cache", "--apply"),
            *("--iterations", "1", "--tell", "no-feedback", "--temperature", "0", "--no-sceptic", "--yes"),
            *("--max-seconds", "900"),  # a busy machine needs long for the inputs that an offer takes
            folder=shop,
            HOSTED_VLLM_API_BASE=os.environ["HOSTED_VLLM_API_BASE"],
        )
    assert done.returncode == 0, done.stderr
    assert RESULT in (shop / "stock.py").read_text("utf-8"), done.stdout + done.stderr


def _answer(row: dict[str, Any]) -> list[dict[str, str]]:
    """The original as the answer, in the strict format."""
    text = answer_with(row["original"], Objective(row["objective"]), row["language"])
    return [{"role": "assistant", "content": text}]
