"""Whole runs on a GPU: bfloat16, adapters, a kill, rewards from the sandbox, a device that others have filled."""

from __future__ import annotations

import gc
import json
import math
import re
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM
from typer.testing import CliRunner

from afterburner.training.commands.group import app
from afterburner.training.errors import TrainingError
from afterburner.training.planning.hardware import GIB, detect_hardware
from afterburner.training.trainers.models import merge_adapter
from afterburner.training.trainers.running import train

from .test_running import LORA, SIGKILL, Forks, forking, lines, rewarded, steps
from .tiny import config, texts_of, write_model

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from afterburner.training.config.schema import TrainConfig

    from .conftest import Mini

pytestmark = [
    pytest.mark.slow,
    pytest.mark.needs_gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]
METHODS = ("sft", "dpo", "cold-start", "grpo")


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


@pytest.fixture(scope="module")
def taught(mini: Mini, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that has learnt eight examples by heart."""
    changes: dict[str, Any] = {
        "batch": {"size": 8, "per_device": 8},
        "optimizer": {"learning_rate": 1e-2, "schedule": "cosine", "warmup_steps": 5},
        "steps": 60,
        "checkpoint_every": 1000,
    }
    out = tmp_path_factory.mktemp("taught")
    return train(config("sft", mini.model, mini.sft, **changes), out).folder.path


def in_bfloat16(settings: TrainConfig) -> TrainConfig:
    return settings.model_copy(update={"model": settings.model.model_copy(update={"dtype": "bfloat16"})})


def settings_of(method: str, taught: Path, mini: Mini, **changes: Any) -> TrainConfig:
    """A few steps of a method, in bfloat16."""
    start, data = taught / "model", {"sft": mini.sft, "dpo": mini.dpo, "cold-start": mini.cold}
    if method == "grpo":
        return in_bfloat16(rewarded(taught, mini, **changes))
    return in_bfloat16(config(method, start, data[method], **changes))


def weights(folder: Path) -> dict[str, torch.Tensor]:
    (file,) = folder.glob("*.safetensors")
    return dict(load_file(file))


def test_the_gpu_is_what_is_planned_for() -> None:
    found = detect_hardware()
    assert found.kind == "gpu"
    assert 0 < found.memory_gib <= torch.cuda.get_device_properties(0).total_memory / GIB


@pytest.mark.parametrize("checkpointing", [False, True])
@pytest.mark.parametrize("lora", [{}, {"lora": LORA | {"dropout": 0.1}}])
@pytest.mark.parametrize("method", METHODS)
def test_all_methods_train_there(
    method: str, lora: dict[str, Any], *, checkpointing: bool, taught: Path, mini: Mini, tmp_path: Path
) -> None:
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.max_memory_allocated()
    settings = settings_of(method, taught, mini, gradient_checkpointing=checkpointing, **lora)
    run = train(settings, tmp_path / "run").folder.path
    assert torch.cuda.max_memory_allocated() > before, "the model was on the GPU"
    assert steps(run) == [1, 2, 3, 4]
    losses = [row["loss"] for row in lines(run / "metrics.jsonl") if "loss" in row]
    assert all(math.isfinite(loss) for loss in losses)
    assert {each.dtype for each in weights(run / "model").values()} == {torch.float32}, "what is trained is float32"
    if lora:
        merge_adapter(run / "model", tmp_path / "merged")
        ids = torch.arange(3, 40)[None]
        with torch.no_grad():
            assert bool(AutoModelForCausalLM.from_pretrained(tmp_path / "merged")(ids).logits.isfinite().all())


@pytest.mark.parametrize("method", METHODS)
def test_a_killed_run_goes_on_there(method: str, forks: Forks, taught: Path, mini: Mini, tmp_path: Path) -> None:
    """To about the same weights: some of a GPU's sums have no fixed order."""
    settings = settings_of(method, taught, mini, lora=LORA)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert forks.train(settings, whole) == {"status": 0, "steps": 4, "resumed_from": 0, "stopped": False}
    assert forks.train(settings, killed, kill_at=3) == {"status": SIGKILL}
    assert forks.train(settings, killed) == {"status": 0, "steps": 4, "resumed_from": 2, "stopped": False}
    assert steps(killed) == steps(whole) == [1, 2, 3, 4]
    ours, theirs = weights(killed / "model"), weights(whole / "model")
    assert ours.keys() == theirs.keys()
    if method != "grpo":  # whose answers are drawn anew from slightly other probabilities
        for name, weight in ours.items():
            assert torch.allclose(weight, theirs[name], atol=2e-3), name


def test_the_sandbox_judges_answers_while_the_model_is_on_the_gpu(taught: Path, mini: Mini, tmp_path: Path) -> None:
    train(settings_of("grpo", taught, mini, steps=2), tmp_path / "run")
    logged = [row for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    rows = lines(tmp_path / "run" / "rewards.jsonl")
    assert len(rows) == 16
    assert not any(row["dropped"] for row in rows)
    assert max(row["judged/passed"] for row in logged) > 0, "a model that knows the answers by heart gives some"
    assert all(row["reward/runs"] > 0 for row in logged)


@pytest.mark.parametrize(
    ("left_gib", "said"),
    [
        (0.2, r"The GPU cannot be used: .*out of memory.* nvidia-smi lists them"),
        (1.2, r"sft with .* needs about \d+\.\d GiB on each device, and other programs hold \d+\.\d of \d+\.\d"),
    ],
    ids=["to the brim", "but for a little"],
)
def test_a_gpu_that_others_have_filled_is_found_before_the_start(
    left_gib: float, said: str, forks: Forks, mini: Mini, tmp_path: Path
) -> None:
    gc.collect()
    torch.cuda.empty_cache()
    free, _ = torch.cuda.mem_get_info()
    taken = torch.empty(free - int(left_gib * GIB), dtype=torch.uint8, device="cuda")
    try:
        found = forks.train(in_bfloat16(config("sft", mini.model, mini.sft, steps=1)), tmp_path / "run")
    finally:
        del taken
        torch.cuda.empty_cache()
    assert found["status"] == 0, found
    assert re.match(said, found["message"]), found
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("hidden", "where"), [(64, "at step 1"), (1024, "for the model")])
def test_what_does_not_fit_says_what_to_lower(hidden: int, where: str, mini: Mini, tmp_path: Path) -> None:
    model = write_model(tmp_path / "model", texts_of(mini.sft, mini.dpo, mini.grpo), hidden=hidden)
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1e-4)  # 8 MiB of 80 GiB
    try:
        with pytest.raises(TrainingError, match=rf"device's memory does not suffice {where}. Lower batch.per_device"):
            train(in_bfloat16(config("sft", model, mini.sft)), tmp_path / "run")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def test_a_dry_run_names_the_gpu_memory(mini: Mini, tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    settings = in_bfloat16(config("sft", mini.model, mini.sft))
    file.write_text(json.dumps(settings.model_dump(mode="json", exclude_unset=True)), "utf-8")
    done = CliRunner().invoke(app, ["sft", "--config", str(file), "--out", str(tmp_path / "out"), "--dry-run"])
    assert done.exit_code == 0, done.output
    assert f"{detect_hardware().memory_gib:,.1f}" in done.output
