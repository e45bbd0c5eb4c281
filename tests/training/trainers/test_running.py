"""Whole runs: they learn, survive `kill -9` and interruption, keep their records, and say what is wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

import torch
from peft import AutoPeftModelForCausalLM
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from transformers import AutoModelForCausalLM

from afterburner.evals.files import claimed
from afterburner.sandbox import AfterburnerError, UsageError
from afterburner.training.errors import TrainingError
from afterburner.training.planning.hardware import Hardware
from afterburner.training.reward.series import Series, SeriesRunner
from afterburner.training.trainers import running
from afterburner.training.trainers.running import train

from .tiny import config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.training.config.schema import TrainConfig

    from .conftest import Mini

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]
LORA = {"rank": 4, "alpha": 8}
SIGKILL = -9


@dataclass
class Forks:
    """Runs in processes of their own."""

    process: subprocess.Popen[str]

    def train(self, settings: TrainConfig, out: Path, **told: int) -> dict[str, Any]:
        line = {"config": settings.model_dump(mode="json", exclude_unset=True), "out": str(out), **told}
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(line) + "\n")
        stdin.flush()
        found: dict[str, Any] = json.loads(stdout.readline())
        return found


@contextmanager
def forking(*before: str) -> Iterator[Forks]:
    """Start the script, as the argument of another command if there is one."""
    command = [*before, sys.executable, str(Path(__file__).with_name("forked.py"))]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(command, env=alone, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Forks(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


def weights(run: Path) -> str:
    (file,) = (run / "model").glob("*.safetensors")
    return sha256(file.read_bytes()).hexdigest()


def steps(run: Path) -> list[int]:
    return [row["step"] for row in lines(run / "metrics.jsonl") if "loss" in row]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(scope="session")
def taught(mini: Mini, made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """A model that has learnt eight examples by heart."""
    settings = config(
        "sft",
        mini.model,
        mini.sft,
        batch={"size": 8, "per_device": 8},
        optimizer={"learning_rate": 1e-2, "schedule": "cosine", "warmup_steps": 5},
        steps=60,
        checkpoint_every=1000,
    )
    return made_once("taught", lambda folder: train(settings, folder / "run")) / "run"


@pytest.mark.floor
def test_sft_learns_eight_examples_by_heart(taught: Path) -> None:
    losses = [row["loss"] for row in lines(taught / "metrics.jsonl") if "loss" in row]
    assert losses[0] > 5
    assert losses[-1] < 0.3


def test_dpo_comes_to_prefer_the_better_answers(taught: Path, mini: Mini, tmp_path: Path) -> None:
    settings = config(
        "dpo", taught / "model", mini.dpo, lora=LORA, steps=25, optimizer={"learning_rate": 5e-3}, checkpoint_every=100
    )
    train(settings, tmp_path / "run")
    logged = [row for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    assert logged[0]["loss"] == pytest.approx(0.6931, abs=1e-3), "the reference is where it starts"
    assert logged[-1]["loss"] < 0.3
    assert logged[-1]["rewards/accuracies"] == 1.0


def rewarded(taught: Path, mini: Mini, **changes: Any) -> TrainConfig:
    """GRPO from answers that are mostly right; without the measured term, the reward does not depend on the machine."""
    return config(
        "grpo",
        taught / "model",
        mini.grpo,
        batch={"size": 8, "per_device": 8},
        grpo={"rollouts": 4, "prompts": 2, "answer_tokens": 96, "temperature": 1.1},
        reward={"efficiency_weight_first": 0, "efficiency_weight_last": 0, "anchor_repeats": 1, "baseline_repeats": 1},
        **changes,
    )


@pytest.mark.nightly
def test_grpo_comes_to_give_answers_that_are_rewarded(mini: Mini, tmp_path: Path) -> None:
    """From a model that gives such answers now and then; the most that one earns without the measured term is 0.45."""
    begun = config(
        "sft",
        mini.model,
        mini.sft,
        batch={"size": 8, "per_device": 8},
        optimizer={"learning_rate": 1e-2, "schedule": "cosine", "warmup_steps": 5},
        steps=90,
        checkpoint_every=1000,
    )
    train(begun, tmp_path / "begun")
    settings = rewarded(tmp_path / "begun", mini, steps=60, checkpoint_every=1000)
    rollout = {"rollouts": 8, "prompts": 3, "temperature": 0.9}
    settings = settings.model_copy(
        update={
            "batch": settings.batch.model_copy(update={"size": 24, "per_device": 24}),
            "grpo": settings.grpo.model_copy(update=rollout),
        }
    )
    train(settings, tmp_path / "run")
    rewards = [row["reward"] for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    assert sum(rewards[-15:]) / 15 > sum(rewards[:15]) / 15 + 0.15


@pytest.mark.parametrize(
    "method",
    ["grpo", *(pytest.param(method, marks=pytest.mark.nightly) for method in ("sft", "dpo", "cold-start"))],
)
def test_a_killed_run_goes_on_to_the_same_weights(
    method: str, forks: Forks, taught: Path, mini: Mini, tmp_path: Path
) -> None:
    """It is killed after step 3, one step after its checkpoint."""
    settings = {
        "sft": config("sft", mini.model, mini.sft, lora=LORA | {"dropout": 0.1}),
        "dpo": config("dpo", taught / "model", mini.dpo, lora=LORA),
        "cold-start": config("cold-start", mini.model, mini.cold),
        "grpo": rewarded(taught, mini),
    }[method]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert forks.train(settings, whole) == {"status": 0, "steps": 4, "resumed_from": 0, "stopped": False}
    assert forks.train(settings, killed, kill_at=3) == {"status": SIGKILL}
    assert not (killed / "model").exists()
    (killed / "checkpoints" / "checkpoint-3").mkdir()  # one that was cut off
    assert forks.train(settings, killed) == {"status": 0, "steps": 4, "resumed_from": 2, "stopped": False}
    assert weights(killed) == weights(whole)
    assert steps(killed) == steps(whole) == [1, 2, 3, 4], "a step that is made again is logged once"
    if method == "grpo":
        moved = [row["grad_norm"] for row in lines(whole / "metrics.jsonl") if "grad_norm" in row]
        assert max(moved) > 0, "some answers were worth more than others to the same prompt"
        rewards = [(row["step"], row["problem_id"], row["total"]) for row in lines(killed / "rewards.jsonl")]
        assert rewards == [(row["step"], row["problem_id"], row["total"]) for row in lines(whole / "rewards.jsonl")]


def test_an_interrupted_run_stops_after_its_step_with_a_checkpoint(
    forks: Forks, mini: Mini, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = config("sft", mini.model, mini.sft, checkpoint_every=100)
    assert forks.train(settings, tmp_path / "run", interrupt_at=3) == {
        "status": 0,
        "steps": 3,
        "resumed_from": 0,
        "stopped": True,
        "interrupted": True,
    }
    assert not (tmp_path / "run" / "model").exists()
    assert train(settings, tmp_path / "run").resumed_from == 3
    assert "going on after step 3\n" in capsys.readouterr().err
    last = forks.train(settings, tmp_path / "other", interrupt_at=4)
    assert (last["stopped"], last["interrupted"]) == (False, True), "the run is complete, and its caller knows to stop"
    assert steps(tmp_path / "run") == [1, 2, 3, 4]
    assert [row["resumed_from"] for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row] == [0, 0, 0, 3]


def test_a_run_says_what_it_was_made_of_and_how_it_went(taught: Path, mini: Mini) -> None:
    about = json.loads((taught / "run.json").read_text("utf-8"))
    card = json.loads((mini.sft / "card.json").read_text("utf-8"))
    assert about["data_sha256"] == card["sha256"]
    assert about["data_rows"] == 9
    assert about["config"]["seed"] == 0
    assert (
        about["model_sha256"]["model.safetensors"]
        == sha256((mini.model / "model.safetensors").read_bytes()).hexdigest()
    )
    assert {"torch", "trl", "transformers", "python"} <= about["versions"].keys()
    logged = lines(taught / "metrics.jsonl")[0]
    assert {"step", "time_s", "loss", "learning_rate", "grad_norm", "num_tokens"} <= logged.keys()
    events = EventAccumulator(str(taught / "tensorboard"))
    events.Reload()
    assert [each.step for each in events.Scalars("train/loss")] == steps(taught)


def test_the_rewards_of_a_rollout_are_logged_term_by_term(taught: Path, mini: Mini, tmp_path: Path) -> None:
    settings = rewarded(taught, mini, steps=1)
    cooler = settings.grpo.model_copy(update={"temperature": 0.5})  # else a device may draw no right answer at all
    train(settings.model_copy(update={"grpo": cooler}), tmp_path / "run")
    (logged,) = [row for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    rows = lines(tmp_path / "run" / "rewards.jsonl")
    assert len(rows) == 8
    assert {row["format"] for row in rows} <= {-1, 1}
    assert logged["reward"] == pytest.approx(sum(row["total"] for row in rows) / 8, abs=1e-5)
    assert logged["judged/strict"] == sum(row["strict"] for row in rows) / 8
    assert logged["judged/passed"] > 0, "a model that knows the answers by heart gives some of them"
    assert {
        "generation/time_s",
        "generation/tokens_per_s",
        "reward/time_s",
        "reward/runs_per_s",
        "reward/slots_busy",
    } <= (logged.keys())
    assert logged["reward/runs"] > 0
    assert 0 < logged["reward/slots_busy"] <= 1


@pytest.mark.nightly
def test_the_weight_of_efficiency_grows_from_the_first_rollout_to_the_last(
    taught: Path, mini: Mini, tmp_path: Path
) -> None:
    settings = rewarded(taught, mini, steps=3)
    weights = {"efficiency_weight_first": 0.3, "efficiency_weight_last": 0.5}
    train(settings.model_copy(update={"reward": replace(settings.reward, **weights)}), tmp_path / "run")
    told = {row["step"]: row["efficiency_weight"] for row in lines(tmp_path / "run" / "rewards.jsonl")}
    assert told == {1: pytest.approx(0.3), 2: pytest.approx(0.4), 3: pytest.approx(0.5)}


def test_rollouts_that_cannot_be_judged_are_counted_and_end_the_run(
    taught: Path, mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(SeriesRunner, "run", lambda *_: Series(failed="the disk is full"))
    with pytest.raises(TrainingError, match=r"None of the answers of 3 rollouts in a row could be judged: the disk is"):
        train(rewarded(taught, mini), tmp_path / "run")
    rows = lines(tmp_path / "run" / "rewards.jsonl")
    assert [row["dropped"] for row in rows if row["strict"]][:1] == ["the disk is full"]
    logged = [row for row in lines(tmp_path / "run" / "metrics.jsonl") if "loss" in row]
    assert [(row["step"], row["reward"]) for row in logged] == [(1, None), (2, None)]
    assert all(row["judged/dropped"] == 1 for row in logged)
    told = capfd.readouterr()
    assert "step 2/4: loss 0" in told.err
    assert "solution>" not in told.err + told.out, "no answer is shown"


@pytest.mark.nightly
def test_with_several_updates_of_a_rollout_an_interrupted_run_stops_where_one_ends(
    forks: Forks, taught: Path, mini: Mini, tmp_path: Path
) -> None:
    settings = rewarded(taught, mini, steps=4)
    settings = settings.model_copy(
        update={
            "batch": settings.batch.model_copy(update={"size": 4, "per_device": 4}),
            "optimizer": settings.optimizer.model_copy(update={"learning_rate": 1e-4}),
        }
    )
    found = forks.train(settings, tmp_path / "run", interrupt_at=1)
    assert (found["steps"], found["stopped"]) == (2, True), "two updates are made from each rollout"
    assert forks.train(settings, tmp_path / "run")["resumed_from"] == 2
    assert steps(tmp_path / "run") == [1, 2, 3, 4]
    assert [row["step"] for row in lines(tmp_path / "run" / "rewards.jsonl")] == [1] * 8 + [3] * 8


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap mounts the small disk")
def test_a_full_disk_ends_the_run_and_the_last_checkpoint_stays(mini: Mini, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    settings = config("sft", mini.model, mini.sft, steps=6)
    with forking("bwrap", "--dev-bind", "/", "/", "--size", str(24 * 1024**2), "--tmpfs", str(disk)) as small:
        found = small.train(settings, disk / "run", fill_at=3)
        assert found["message"].startswith("The checkpoint of step 4 cannot be written to")
        assert "No space left on device" in found["message"] or "os error 28" in found["message"]
        assert "Earlier ones are kept" in found["message"]
        assert "\n" not in found["message"]
        again = small.train(settings, disk / "run")
        assert again == {"status": 0, "steps": 6, "resumed_from": 2, "stopped": False}


def test_an_adapter_is_merged_before_it_is_trained_further(taught: Path, mini: Mini, tmp_path: Path) -> None:
    """The merged model answers as the adapter on its base does, and is the base of the next adapter."""
    adapted, out = tmp_path / "sft", tmp_path / "dpo"
    train(config("sft", taught / "model", mini.sft, lora=LORA, optimizer={"learning_rate": 1e-2}), adapted)
    train(config("dpo", adapted / "model", mini.dpo, lora=LORA, steps=1), out)
    ids = torch.arange(3, 40)[None]
    with torch.no_grad():
        merged = AutoModelForCausalLM.from_pretrained(out / "start")(ids).logits
        assert torch.allclose(
            merged, AutoPeftModelForCausalLM.from_pretrained(adapted / "model")(ids).logits, atol=1e-4
        )
        assert not torch.allclose(merged, AutoModelForCausalLM.from_pretrained(taught / "model")(ids).logits, atol=1e-2)
    about = json.loads((out / "model" / "adapter_config.json").read_text("utf-8"))
    assert about["base_model_name_or_path"] == str(out / "start")
    assert not (out / "model" / "training_args.bin").exists()
    assert not (out / "checkpoints" / "README.md").exists()
    card = (out / "model" / "README.md").read_text("utf-8")
    assert "# An adapter trained by dpo" in card
    assert f"| base | `{adapted / 'model'}`, SHA-256 of adapter_model.safetensors " in card
    assert "| updates | 1 of batches of " in card
    assert "torch " in card
    assert "More Information Needed" not in card


@pytest.mark.nightly
def test_two_processes_train_what_one_does(mini: Mini, tmp_path: Path) -> None:
    """With the same batch for each update; figures differ by what float32 rounds."""
    settings = config("sft", mini.model, mini.sft, batch={"size": 4, "per_device": 2}, steps=3)
    file = tmp_path / "both.yaml"
    file.write_text(json.dumps(settings.model_dump(mode="json", exclude_unset=True)), "utf-8")
    launch = [sys.executable, "-m", "torch.distributed.run", "--nproc_per_node", "2", "-m"]  # as accelerate does
    command = [*launch, "afterburner.training", "sft"]
    done = subprocess.run(
        [*command, "--config", str(file), "--out", str(tmp_path / "two")],
        env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("trained for 3 steps") == 1, "one process tells"
    train(settings, tmp_path / "one")
    one, two = (lines(tmp_path / name / "metrics.jsonl") for name in ("one", "two"))
    assert [row["loss"] for row in two if "loss" in row] == pytest.approx(
        [row["loss"] for row in one if "loss" in row], rel=1e-3
    )
    assert json.loads((tmp_path / "two" / "run.json").read_text("utf-8"))["devices"] == 2


def test_one_of_several_processes_on_cpus_claims_the_folder_and_logs(forks: Forks, mini: Mini, tmp_path: Path) -> None:
    settings = config("sft", mini.model, mini.sft, batch={"size": 4, "per_device": 2}, steps=1)
    done = {"status": 0, "steps": 1, "resumed_from": 0, "stopped": False}
    assert forks.train(settings, tmp_path / "run", processes=2) == {**done, "others": [done]}
    assert steps(tmp_path / "run") == [1]


def test_the_same_folder_takes_no_other_run(taught: Path, mini: Mini, tmp_path: Path) -> None:
    about = json.loads((taught / "run.json").read_text("utf-8"))["config"]
    settings = config("sft", mini.model, mini.sft, **{key: about[key] for key in ("batch", "optimizer", "steps")})
    with pytest.raises(UsageError, match="a run with checkpoint_every 1000, not 2"):
        train(settings, taught)
    other = settings.model.model_copy(update={"path": str(taught / "model")})
    with pytest.raises(UsageError, match=r"a run with another model: model_sha256\.model\.safetensors differs"):
        train(settings.model_copy(update={"checkpoint_every": 1000, "model": other}), taught)
    with pytest.raises(UsageError, match=r"is trained already\. Give another --out .* vllm serve .*/run/model$"):
        train(settings.model_copy(update={"checkpoint_every": 1000}), taught)
    others = tmp_path / "checkpoints" / "checkpoint-7"
    others.mkdir(parents=True)
    with pytest.raises(UsageError, match="holds other files"):
        train(settings, tmp_path)
    assert others.is_dir(), "checkpoints of another program are not ours to remove"


def test_two_processes_do_not_share_a_folder(mini: Mini, tmp_path: Path) -> None:
    settings = config("sft", mini.model, mini.sft, steps=1)
    with claimed(tmp_path), pytest.raises(AfterburnerError, match="Another process works on"):
        train(settings, tmp_path)
    train(settings, tmp_path)
    assert (tmp_path / "model").is_dir()


def test_a_run_does_not_resume_with_another_benchmark(forks: Forks, taught: Path, mini: Mini, tmp_path: Path) -> None:
    settings = rewarded(taught, mini, steps=2, checkpoint_every=1)
    benchmark = tmp_path / "benchmark"
    shutil.copytree(json.loads((mini.grpo / "card.json").read_text("utf-8"))["source"], benchmark)
    settings = settings.model_copy(update={"grpo": settings.grpo.model_copy(update={"benchmark": str(benchmark)})})
    assert forks.train(settings, tmp_path / "run", interrupt_at=1)["stopped"]
    problem = next((benchmark / "problems").iterdir())
    problem.rename(problem.with_name(f"other-{problem.name}"))
    with pytest.raises(UsageError, match="holds a run with another benchmark: benchmark_sha256 differs"):
        train(settings, tmp_path / "run")


def test_a_device_that_is_too_small_and_a_model_that_cannot_chat_are_found_before_training(
    mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mute = tmp_path / "mute"
    shutil.copytree(mini.model, mute)
    (mute / "chat_template.jinja").unlink(missing_ok=True)
    about = json.loads((mute / "tokenizer_config.json").read_text("utf-8"))
    about.pop("chat_template", None)
    (mute / "tokenizer_config.json").write_text(json.dumps(about), "utf-8")
    with pytest.raises(TrainingError, match="has no chat template, so that no prompt can be rendered"):
        train(config("sft", mute, mini.sft), tmp_path / "a")
    monkeypatch.setattr(running, "detect_hardware", lambda: Hardware(1, 0.01, "cpu"))
    with pytest.raises(TrainingError, match=r"needs about \d+\.\d GiB on each device, and there are 0\.0\."):
        train(config("sft", mini.model, mini.sft), tmp_path / "b")
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB."),
        RuntimeError("CUDA error: out of memory"),
    ],
)
def test_a_model_that_does_not_fit_on_its_device_is_one_clear_line(
    error: RuntimeError, mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch and the driver say it differently; `test_gpu.py` has a real one."""

    def full(_: object) -> None:
        raise error

    monkeypatch.setattr(running, "supervised_trainer", full)
    with pytest.raises(
        TrainingError, match=r"memory does not suffice for the model\. Lower batch\.per_device"
    ) as raised:
        train(config("sft", mini.model, mini.sft), tmp_path / "run")
    assert "\n" not in str(raised.value)
    monkeypatch.undo()
    train(config("sft", mini.model, mini.sft, steps=1), tmp_path / "run")


def test_what_cannot_be_trained_is_refused_before_it_begins(mini: Mini, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="dpo needs a data set dpo, and this one is sft"):
        train(config("dpo", mini.model, mini.sft), tmp_path / "a")
    with pytest.raises(TrainingError, match=r"No example has at most max_tokens 9 tokens: the shortest has \d+"):
        train(config("sft", mini.model, mini.sft, max_tokens=9), tmp_path / "b")
    with pytest.raises(TrainingError, match="There is no folder"):
        train(config("sft", tmp_path / "nothing", mini.sft), tmp_path / "c")
    with pytest.raises(TrainingError, match=r"There is no folder .*nothing, which is to hold a data set"):
        train(config("sft", mini.model, tmp_path / "nothing"), tmp_path / "d")
    with pytest.raises(TrainingError, match="which is no folder of eval build"):
        train(
            config(
                "grpo", mini.model, mini.grpo, batch={"size": 4}, grpo={"rollouts": 4, "prompts": 1, "benchmark": "x"}
            ),
            tmp_path / "e",
        )


def test_a_loss_that_is_no_number_ends_the_run(mini: Mini, tmp_path: Path) -> None:
    settings = config(
        "sft", mini.model, mini.sft, optimizer={"learning_rate": 1e30, "schedule": "constant", "gradient_clip": 1e30}
    )
    with pytest.raises(TrainingError, match=r"The loss of step \d is NaN or infinite. Lower optimizer.learning_rate"):
        train(settings, tmp_path / "run")


def test_preferences_stop_when_the_chosen_answers_become_improbable(taught: Path, mini: Mini, tmp_path: Path) -> None:
    settings = config(
        "dpo",
        taught / "model",
        mini.dpo,
        lora=LORA,
        steps=40,
        optimizer={"learning_rate": 0.5, "schedule": "constant", "gradient_clip": 100},
        dpo={"largest_fall_nats": 5},
    )
    with pytest.raises(TrainingError, match=r"nats below the reference's; dpo.largest_fall_nats is 5"):
        train(settings, tmp_path / "run")
