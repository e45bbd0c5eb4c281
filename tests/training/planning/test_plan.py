"""Plans: shipped configurations fit their hardware, batches keep their size, and what cannot work is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from planned import MODEL, config, plan_of

from afterburner.sandbox import UsageError
from afterburner.training.config.reading import read_config, shipped
from afterburner.training.errors import TrainingError
from afterburner.training.planning import checks
from afterburner.training.planning.assumptions import Assumptions
from afterburner.training.planning.checks import check_launch, check_plan, check_plan_and_launch
from afterburner.training.planning.disk import Disk
from afterburner.training.planning.dry_run import to_document, to_lines
from afterburner.training.planning.hardware import Hardware, detect_hardware

NODE = Hardware(8, 80)
PLACES = {"eight-gpus": NODE, "nodes": Hardware(16, 80)}
ON_EIGHT = {"paper/grpo"}  # of the paper's, the others run on one device


# The miniature's are for a model that it makes itself, of half a million parameters.
@pytest.mark.parametrize("name", [name for name in shipped() if not name.startswith("miniature/")])
def test_shipped_configurations_fit_their_hardware(name: str) -> None:
    place = PLACES.get(name.partition("/")[0], NODE if name in ON_EIGHT else Hardware(1, 80))
    plan = plan_of(read_config(name), place)
    check_plan(plan)
    assert plan.memory.peak_gib > 4
    assert any("peak" in line for line in to_lines(plan))
    assert json.loads(json.dumps(to_document(plan)))["memory"]["peak_gib"] == plan.memory.peak_gib


@pytest.mark.parametrize("name", ["sft", "dpo", "grpo"])
def test_eight_gpus_train_by_the_papers_settings(name: str) -> None:
    """Only the way in which the batch is divided may differ."""
    paper, here = (read_config(f"{folder}/{name}").model_dump() for folder in ("paper", "eight-gpus"))
    for each in (paper, here):
        del each["batch"]["per_device"]
    assert here == paper


@pytest.mark.parametrize("devices", [1, 2, 4, 8])
@pytest.mark.parametrize("name", ["paper/sft", "paper/dpo", "paper/grpo"])
def test_the_effective_batch_is_the_same_on_any_number_of_devices(name: str, devices: int) -> None:
    wanted = read_config(name)
    plan = plan_of(wanted, Hardware(devices, 80))
    assert plan.batches.size == wanted.batch.size
    assert plan.work.steps == plan_of(wanted, Hardware(1, 80)).work.steps


def test_the_papers_grpo_is_counted() -> None:
    """984 prompts are 30 whole rollouts of 32; each has 16 answers, run twice, and its original three times."""
    plan = plan_of(read_config("paper/grpo"), NODE, assumed=Assumptions(slots=40, seconds_per_run=2))
    work = plan.work
    assert (work.rows, work.rollouts, work.steps, work.sequences) == (984, 600, 600, 600 * 512)
    assert work.tokens_most == 600 * 512 * (2_048 + 8_192)
    assert work.sandbox_runs == 600 * 32 * (16 * 2 + 3)
    assert work.sandbox_s == 2 * work.sandbox_runs
    assert work.sandbox_hours == pytest.approx(600 * 35 * 2 / 3600)  # 32 problems occupy 32 of the 40 slots


def test_dpo_trains_on_two_answers_for_each_row() -> None:
    work = plan_of(read_config("paper/dpo"), NODE, rows=160).work
    assert (work.steps, work.sequences) == (10, 320)


def test_steps_take_the_place_of_epochs() -> None:
    assert plan_of(config(steps=7), NODE).work.steps == 7


def test_too_little_memory_is_said_in_one_line_that_names_remedies() -> None:
    wanted = config(gradient_checkpointing=False)
    with pytest.raises(TrainingError) as raised:
        check_plan(plan_of(wanted, Hardware(1, 15)))
    line = str(raised.value)
    assert line.startswith(f"sft with {MODEL} needs about ")
    assert "GiB on each device, and there are 15.0. Lower batch.per_device" in line
    for remedy in ("max_tokens", "gradient_checkpointing", "lora", "zero3"):
        assert remedy in line
    assert "\n" not in line


def test_too_little_memory_without_a_gpu_first_names_the_plan_for_one() -> None:
    with pytest.raises(TrainingError) as raised:
        check_plan(plan_of(config(), Hardware(1, 15, "cpu")))
    said = " are 15.0. No GPU was found, so this is planned for this machine's CPU. afterburner-agent train plan --dev"
    assert said in str(raised.value)
    assert " plans for a GPU. To train here instead: lower batch.per_device" in str(raised.value)


def test_remedies_lower_the_peak_where_it_is() -> None:
    wanted = config("grpo", grpo={"prompts": 8, "rollouts": 16})
    plan = plan_of(wanted, Hardware(1, 40))
    assert plan.memory.largest_phase == "rollout"
    with pytest.raises(TrainingError) as raised:
        check_plan(plan)
    line = str(raised.value)
    assert "are 40.0. Generate with vLLM on other devices (grpo.vllm with mode server), lower grpo.rollouts, " in line
    assert "batch.per_device" not in line, "the rollout does not depend on it"
    for fewer in ({"prompts": 4, "rollouts": 16}, {"prompts": 8, "rollouts": 8}):
        assert plan_of(config("grpo", grpo=fewer), Hardware(1, 40)).memory.peak_gib < plan.memory.peak_gib


def test_vllm_needs_room_for_the_weights() -> None:
    section = {"prompts": 4, "vllm": {"mode": "colocate", "gpu_memory_share": 0.05}}
    wanted = config("grpo", sharding="zero3", grpo=section)
    with pytest.raises(TrainingError, match=r"vLLM needs at least 6\.1 GiB .* leaves it 4\.0\. Raise"):
        check_plan(plan_of(wanted, NODE))


def test_a_disk_that_is_too_small_is_said_in_one_line(tmp_path: Path) -> None:
    plan = plan_of(config(checkpoints_kept=10**9), NODE)
    with pytest.raises(TrainingError, match=r"GiB to .*unmade/run, and .* are free\. Free some space") as raised:
        check_plan(plan, tmp_path / "unmade" / "run")
    assert "\n" not in str(raised.value)


def test_sizes_below_a_gib_on_a_full_disk_are_told_in_units_that_suit(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(config(), NODE)
    plan = replace(plan, disk=Disk(checkpoint_gib=5 / 1024, checkpoints=3, model_gib=5 / 1024))
    monkeypatch.setattr(checks, "free_gib", lambda _: 12 / 1024**2)
    with pytest.raises(TrainingError, match=r"about 20\.0 MiB to run, and 12\.0 KiB are free\. Free some space"):
        check_plan(plan, Path("run"))


@pytest.mark.parametrize(
    ("sharding", "environment"),
    [
        ("none", {}),
        ("none", {"ACCELERATE_USE_FSDP": "false"}),
        ("zero3", {"ACCELERATE_USE_DEEPSPEED": "true"}),
        ("fsdp", {"ACCELERATE_USE_FSDP": "true"}),
    ],
)
def test_a_launch_that_shards_as_planned_is_accepted(sharding: str, environment: dict[str, str]) -> None:
    check_launch(config(sharding=sharding), environment)


def test_a_launch_that_shards_otherwise_is_refused() -> None:
    with pytest.raises(UsageError, match="has sharding zero3, and the run was launched with none"):
        check_launch(config(sharding="zero3"), {})


def test_too_little_memory_is_told_beside_a_wrong_launch(tmp_path: Path) -> None:
    wanted = config("grpo", sharding="zero3", checkpoint_every=48)
    disk = Disk(checkpoint_gib=0.0, checkpoints=3, model_gib=0.0)
    small, large = (replace(plan_of(wanted, Hardware(1, gib)), disk=disk) for gib in (21, 800))
    launched = "he configuration has sharding zero3, and the run was launched with none"
    with pytest.raises(TrainingError, match=rf"GiB on each device, and there are 21\.0\. .* Besides, t{launched}"):
        check_plan_and_launch(small, tmp_path, {})
    with pytest.raises(UsageError, match=rf"^T{launched}"):
        check_plan_and_launch(large, tmp_path, {})
    with pytest.raises(TrainingError, match=r"there are 21\.0\. ") as raised:
        check_plan_and_launch(small, tmp_path, {"ACCELERATE_USE_DEEPSPEED": "true"})
    assert "launched" not in str(raised.value)


@pytest.mark.parametrize("given", [{"slots": 0}, {"mean_share": 1.5}, {"seconds_per_run": float("nan")}])
def test_assumptions_are_checked(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=f"^--{next(iter(given)).replace('_', '-')} .*: give a "):
        Assumptions(**given)  # type: ignore[arg-type]


def test_memory_that_other_programs_hold_is_not_there() -> None:
    plan = plan_of(config(lora={}), Hardware(1, 80, taken_gib=70))
    with pytest.raises(TrainingError, match=r"and other programs hold 70\.0 of 80\.0: nvidia-smi lists them") as raised:
        check_plan(plan)
    assert "\n" not in str(raised.value)
    assert any("held by other programs" in line and "70.0" in line for line in to_lines(plan))
    check_plan(plan_of(config(lora={}), Hardware(1, 80, taken_gib=40)))


def test_hardware_is_given_or_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    assert detect_hardware(8, 80) == NODE
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert detect_hardware().devices == 2
    with pytest.raises(UsageError, match=r"^--devices 0: give a number above 0"):
        detect_hardware(0, 80)
    with pytest.raises(UsageError, match=r"^--device-memory-gib 0: give a number above 0"):
        detect_hardware(1, 0)
