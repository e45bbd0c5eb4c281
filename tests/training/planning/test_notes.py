"""What a plan says beside its figures, and what is said of a model that cannot be found."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError
from planned import config, plan_of
from typer.testing import CliRunner

from afterburner.training.commands.group import app
from afterburner.training.config.reading import parse_config, read_config, shipped
from afterburner.training.errors import TrainingError
from afterburner.training.planning.architectures import find_architecture
from afterburner.training.planning.assumptions import Assumptions
from afterburner.training.planning.checks import check_plan
from afterburner.training.planning.dry_run import to_lines
from afterburner.training.planning.hardware import Hardware
from afterburner.training.planning.hub import why_not_on_hub
from afterburner.training.planning.notes import plan_notes
from afterburner.training.planning.plan import make_plan

TIGHT = "It fits by the figures alone."


@pytest.mark.parametrize(("method", "share"), [("sft", 0.9), ("grpo", 0.8)])
def test_a_peak_that_leaves_no_room_for_the_allocator_is_told(method: str, share: float) -> None:
    wanted = config(method, batch={"size": 64, "per_device": 2}, checkpoint_every=48)
    peak = plan_of(wanted, Hardware(1, 80)).memory.peak_gib
    for memory_gib, is_tight in ((peak / share - 0.1, True), (peak / share + 0.1, False), (peak - 0.1, False)):
        notes = plan_notes(plan_of(wanted, Hardware(1, memory_gib)))
        assert any(each.startswith(TIGHT) for each in notes) == is_tight
    assert not any(each.startswith(TIGHT) for each in plan_notes(plan_of(wanted, Hardware(1, peak + 0.1, "cpu"))))


def test_a_plan_names_what_it_was_made_for_and_the_options_that_change_it() -> None:
    one = plan_of(read_config("eight-gpus/sft"), Hardware(1, 24, "cpu"))
    assert any("No GPU was found" in each and "--device-memory-gib N" in each for each in plan_notes(one))
    assert any("train plan --devices 8" in each for each in plan_notes(one, name="eight-gpus/sft"))
    given = ("devices", "device_tflops", "slots")
    counted = plan_of(read_config("eight-gpus/sft"), Hardware(1, 80), rows=1_000)
    assert plan_notes(counted, name="eight-gpus/sft", given=given) == []
    grpo = plan_of(read_config("paper/grpo"), Hardware(8, 80), assumed=Assumptions(slots=28))
    said = " ".join(plan_notes(grpo))
    assert "989 TFLOP/s are an H100's: train plan --device-tflops" in said
    assert "The sandbox slots, 28, are this machine's: train plan --slots" in said


@pytest.mark.parametrize(("name", "rows"), [("paper/sft", "58,833"), ("paper/grpo", "984")])
def test_rows_that_were_not_counted_are_told_to_be_the_papers(name: str, rows: str) -> None:
    wanted, said = read_config(name), f"The {rows} rows are assumed, as many as the paper's data set has"
    assert any(each.startswith(said) for each in plan_notes(plan_of(wanted, Hardware(1, 80))))
    assert "are assumed" not in " ".join(plan_notes(plan_of(wanted, Hardware(1, 80), rows=int(rows.replace(",", "")))))


def test_the_documented_recipe_for_one_gpu_leaves_room() -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    text = page.partition("`my-grpo.yaml` is then:")[2].partition("```yaml\n")[2].partition("```")[0]
    plan = plan_of(parse_config(text, "my-grpo.yaml"), Hardware(1, 80), rows=984, assumed=Assumptions(slots=28))
    assert f"predicts a peak of {plan.memory.peak_gib:.0f} GiB for it, and {plan.work.hours:.0f} h" in page
    check_plan(plan)
    assert plan_notes(plan, given=("device_tflops", "slots")) == []


def test_the_documented_updates_of_grpo_are_those_of_the_plan() -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    whole, objectives = (
        plan_of(read_config("eight-gpus/grpo"), Hardware(8, 80), rows=rows, assumed=Assumptions(slots=28)).work
        for rows in (984, 3 * 984)
    )
    assert f"GRPO has {whole.rollouts} rollouts" in page
    assert f"{objectives.rows:,} prompts, which take {objectives.steps:,} updates and three times the hours" in page
    assert round(objectives.hours / whole.hours) == 3


def test_long_times_have_no_decimals_and_short_ones_do() -> None:
    slow = plan_of(read_config("paper/sft"), Hardware(1, 24), assumed=Assumptions(device_tflops=0.1))
    (long,) = (line for line in to_lines(slow) if "training, 0.1 TFLOP/s" in line)
    assert "." not in long.split()[-2]
    (short,) = (
        line for line in to_lines(plan_of(read_config("paper/sft"), Hardware(1, 24))) if "training, 989" in line
    )
    assert "." in short.split()[-2]


def test_the_command_prints_the_notes() -> None:
    done = CliRunner().invoke(app, ["plan", "--config", "eight-gpus/sft", "--device-memory-gib", "24"])
    assert done.exit_code == 0, done.output
    assert "train plan --devices 8 plans for them." in done.output
    assert "989 TFLOP/s are an H100's" in done.output


@pytest.mark.parametrize("name", [name for name in shipped() if name.startswith("miniature/")])
def test_the_miniatures_models_are_never_looked_up_on_the_hub(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(TrainingError, match=r"There is no folder build/miniature/.* give --model with the model"):
        make_plan(read_config(name), Hardware(1, 80))


def test_a_hub_that_cannot_be_reached_is_no_missing_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(TrainingError, match=r"the Hugging Face hub could not be reached to look for it there\. Check"):
        find_architecture("no/such-model")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (RepositoryNotFoundError, "There is no model at a/b, neither as a folder nor on the hub. Check --model."),
        (GatedRepoError, "The hub gives a/b only to users with access."),
    ],
)
def test_what_the_hub_answers_is_told(kind: type[RepositoryNotFoundError], said: str) -> None:
    """The hub itself is out of reach here: these are the errors that its library makes of its answers."""
    answer = httpx.Response(404, request=httpx.Request("GET", "https://example.invalid"))
    error = OSError("not a valid model identifier")
    error.__cause__ = kind("no", response=answer)
    assert why_not_on_hub("a/b", error, "Check --model.").startswith(said)
    assert why_not_on_hub("a/b", ValueError("damaged"), "") == ""
