"""Configurations: what is wrong is said in one line, and a batch stays the same on any number of devices."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from afterburner.sandbox import UsageError
from afterburner.training.commands.group import app
from afterburner.training.config.batches import BatchPlan, plan_batches
from afterburner.training.config.reading import parse_config, read_config, shipped
from afterburner.training.config.schema import Method

GRPO = """
method: grpo
model: {path: base}
batch: {size: 32, per_device: 4}
optimizer: {learning_rate: 1.0e-6}
grpo: {rollouts: 8, prompts: 8}
"""


def test_the_papers_values_are_those_of_its_appendix() -> None:
    sft, dpo, cold, grpo = (read_config(f"paper/{name}") for name in ("sft", "dpo", "cold-start", "grpo"))
    assert sft.lora is not None
    assert (sft.lora.rank, sft.lora.alpha, sft.batch.size, sft.batch.per_device) == (8, 16, 64, 4)
    assert (sft.optimizer.learning_rate, sft.optimizer.warmup_steps, sft.epochs) == (3e-5, 200, 1)
    assert dpo.lora is not None
    assert (dpo.lora.rank, dpo.lora.alpha, dpo.lora.dropout, dpo.dpo.beta, dpo.batch.size) == (16, 16, 0.05, 0.1, 16)
    assert (dpo.optimizer.learning_rate, dpo.optimizer.warmup_steps) == (4e-5, 300)
    assert cold.lora is None
    assert (cold.optimizer.name, cold.optimizer.learning_rate, cold.max_tokens) == ("adamw_bnb_8bit", 5e-5, 32768)
    assert (grpo.optimizer.learning_rate, grpo.epochs, grpo.grpo.rollouts, grpo.grpo.temperature) == (1e-6, 20, 16, 1)
    assert (grpo.reward.efficiency_weight_first, grpo.reward.efficiency_weight_last) == (0.3, 0.5)
    assert all(each.optimizer.gradient_clip == 1.0 and each.model.dtype == "bfloat16" for each in (sft, dpo, grpo))


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_configuration_is_valid_and_its_batches_can_be_divided(name: str) -> None:
    config = read_config(name)
    plan = plan_batches(config, 1)
    assert (plan.size, plan.updates_per_rollout >= 1) == (config.batch.size, True)
    assert config.checkpoint_every % plan.updates_per_rollout == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("rollouts: 8", "rolouts: 8"), "grpo.rolouts is no setting. Did you mean rollouts?"),
        (("model: {path: base}", ""), "model is missing."),
        (("learning_rate", "learnin_rate"), "optimizer.learnin_rate is no setting. Did you mean learning_rate?"),
        (("size: 32", "size: many"), "batch.size: Input should be a valid integer"),
        (("size: 32", "size: 0"), "batch.size: Input should be greater than or equal to 1."),
        (("method: grpo", "method: dpo"), "the section grpo has no effect with the method dpo; remove it."),
        (("1.0e-6", ".nan"), "optimizer.learning_rate: Input should be a finite number."),
        (
            ("grpo: {", "reward: {noise_flor: 0.1}\ngrpo: {"),
            "reward.noise_flor is no setting. Did you mean noise_floor?",
        ),
        (("grpo: {", "reward: {noise_floor: 2}\ngrpo: {"), "noise_floor 2.0: this is a share"),
        (("method: grpo", "method: grpo\nlearning_rate: 1"), "Did you mean optimizer.learning_rate?"),
        (("method: grpo", "method: [grpo"), "is not YAML"),
        (("size: 32", "size: 32, size: 64"), "size is given twice"),
        ((GRPO, "- 1"), "holds no configuration"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(change: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_config(GRPO.replace(*change), "mine.yaml")
    assert message in str(caught.value)
    assert "mine.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_name_that_is_no_file_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"papers/sft cannot be read.*paper/sft"):
        read_config("papers/sft")


def test_every_shipped_file_can_be_printed_and_changed() -> None:
    listed = CliRunner().invoke(app, ["config"])
    names = listed.stdout.split()
    assert {"paper/sft", "nodes/grpo", "accelerate/eight-gpus"} <= set(names)
    for name in names:
        printed = CliRunner().invoke(app, ["config", name])
        assert printed.exit_code == 0, name
        if not name.startswith("accelerate/"):
            assert parse_config(printed.stdout, name) == read_config(name)
        else:
            assert "distributed_type: " in printed.stdout
    with pytest.raises(UsageError, match=r"papers/sft: no such configuration.*paper/sft"):
        CliRunner().invoke(app, ["config", "papers/sft"], catch_exceptions=False)


@pytest.mark.parametrize("devices", [1, 2, 4, 8, 16])
def test_an_update_sees_as_many_examples_on_any_number_of_devices(devices: int) -> None:
    for name, size in (("paper/sft", 64), ("paper/dpo", 16), ("paper/grpo", 512)):
        plan = plan_batches(read_config(name), devices)
        assert plan.size == plan.devices * plan.per_device * plan.accumulation == size
        assert plan.per_device <= read_config(name).batch.per_device


def test_a_device_takes_fewer_at_a_time_where_that_divides_the_batch() -> None:
    config = parse_config(GRPO.replace("per_device: 4", "per_device: 3"), "mine.yaml")
    assert plan_batches(config, 1) == BatchPlan(1, 2, 16, updates_per_rollout=2)
    config = parse_config(GRPO.replace("per_device: 4", "per_device: 1000000000000"), "mine.yaml")
    assert plan_batches(config, 1).per_device == 32


@pytest.mark.parametrize(
    ("change", "devices", "message"),
    [
        (("", ""), 3, "batch.size 32 cannot be divided evenly among 3 devices"),
        (("prompts: 8", "prompts: 7"), 1, "are 56 answers: no whole number of batches of batch.size 32"),
        (("size: 32", "size: 4"), 1, "is no multiple of grpo.rollouts 8"),
        (("prompts: 8", "prompts: 12"), 1, "checkpoint_every 50 is no multiple of the 3 updates"),
    ],
)
def test_impossible_batches_are_refused(change: tuple[str, str], devices: int, message: str) -> None:
    config = parse_config(GRPO.replace(*change), "mine.yaml")
    assert config.method is Method.GRPO
    with pytest.raises(UsageError, match=message):
        plan_batches(config, devices)
