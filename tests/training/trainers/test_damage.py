"""Damaged, hostile or misplaced input gets one clear line before training, and no user file is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.torch import load_file
from typer.testing import CliRunner

from afterburner.sandbox import UsageError
from afterburner.training.commands.group import app
from afterburner.training.data.reading import read_data
from afterburner.training.data.settings import Recipe
from afterburner.training.data.writing import check_place, write_data
from afterburner.training.errors import TrainingError
from afterburner.training.planning.architectures import find_architecture
from afterburner.training.trainers.models import check_template, load_tokenizer, merge_adapter
from afterburner.training.trainers.running import train

from .test_running import LORA, Forks, forking, steps
from .tiny import config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Mini

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with forking() as found:
        yield found


def changed(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    document = json.loads((folder / name).read_text("utf-8"))
    change(document)
    (folder / name).write_text(json.dumps(document), "utf-8")


def test_code_that_comes_with_a_model_is_never_run(mini: Mini, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by training, nor by a plan, nor where it is the base of an adapter, even if somebody answers `y`."""
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    evil = tmp_path / "evil"
    shutil.copytree(mini.model, evil)
    (evil / "evil.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w')\nfrom transformers import Qwen3Config as Config\n"
    )
    hooks = {"AutoConfig": "evil.Config", "AutoModelForCausalLM": "evil.Model"}
    changed(evil, "config.json", lambda about: about.update(model_type="evil", auto_map=hooks))
    adapter = tmp_path / "adapter"
    train(config("sft", mini.model, mini.sft, lora=LORA, steps=1), adapter)
    changed(adapter / "model", "adapter_config.json", lambda about: about.update(base_model_name_or_path=str(evil)))
    with pytest.raises(TrainingError, match="holds a whole model, so there is nothing to merge"):
        merge_adapter(mini.model, tmp_path / "merged")
    with pytest.raises(TrainingError, match=r"holds no adapter that can be read\. .*, such as .*adapter/model\."):
        merge_adapter(adapter, tmp_path / "merged")
    with pytest.raises(TrainingError, match=r"There is no folder .*nowhere"):
        merge_adapter(tmp_path / "nowhere", tmp_path / "merged")
    for use in (
        lambda: train(config("sft", evil, mini.sft), tmp_path / "run"),
        lambda: find_architecture(str(evil)),
        lambda: merge_adapter(adapter / "model", tmp_path / "merged"),
    ):
        with pytest.raises(TrainingError, match="it needs its own code, which this program does not run"):
            use()
    assert not (tmp_path / "ran").exists()


def test_nan_or_infinite_weights_are_never_saved(mini: Mini, tmp_path: Path) -> None:
    """Also if no step is logged after they broke."""
    broken = {"learning_rate": 1e30, "schedule": "constant", "gradient_clip": 1e30}
    for name, more in (("a", {"log_every": 10, "checkpoint_every": 100}), ("b", {"checkpoint_every": 1})):
        with pytest.raises(TrainingError, match=r"is NaN or infinite\. Lower optimizer\.learning_rate"):
            train(config("sft", mini.model, mini.sft, optimizer=broken, steps=2, **more), tmp_path / name)
        assert not (tmp_path / name / "model").exists()
        for file in (tmp_path / name / "checkpoints").glob("*/model.safetensors"):
            assert all(bool(weight.isfinite().all()) for weight in load_file(file).values())


@pytest.mark.nightly
def test_a_checkpoint_that_lost_something_is_passed_over(forks: Forks, mini: Mini, tmp_path: Path) -> None:
    settings, run = config("sft", mini.model, mini.sft, steps=6), tmp_path / "run"
    assert forks.train(settings, run, interrupt_at=5)["stopped"]
    checkpoints = run / "checkpoints"
    (checkpoints / "checkpoint-abc").mkdir()
    (checkpoints / "checkpoint-5" / "optimizer.pt").unlink()
    assert forks.train(settings, run)["resumed_from"] == 4
    assert steps(run) == [1, 2, 3, 4, 5, 6]


def test_what_a_run_is_made_of_may_move_but_not_change(forks: Forks, mini: Mini, tmp_path: Path) -> None:
    model, data, run = tmp_path / "model", tmp_path / "data", tmp_path / "run"
    shutil.copytree(mini.model, model)
    shutil.copytree(mini.sft, data)
    settings = config("sft", model, data)
    assert forks.train(settings, run, interrupt_at=1)["stopped"]
    model, data = model.rename(tmp_path / "model-2"), data.rename(tmp_path / "data-2")
    settings = config("sft", model, data)
    template = next(each for each in (model / "chat_template.jinja", model / "tokenizer_config.json") if each.exists())
    before = template.read_bytes()
    template.write_bytes(before.replace(b"<|im_start|>", b"<|im_start|> "))
    with pytest.raises(UsageError, match="holds a run with another model"):
        train(settings, run)
    template.write_bytes(before)
    assert forks.train(settings, run)["resumed_from"] == 1


def test_a_start_that_failed_may_be_tried_again_with_other_settings(mini: Mini, tmp_path: Path) -> None:
    settings = config("sft", mini.model, mini.sft, steps=1)
    missing = settings.model.model_copy(update={"attention": "flash_attention_2"})
    with pytest.raises(TrainingError, match="No model can be loaded from"):
        train(settings.model_copy(update={"model": missing}), tmp_path)
    train(settings, tmp_path)
    assert (tmp_path / "model").is_dir()


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% if messages[0].role == 'system' %}{{ raise_exception('no system role') }}{% endif %}", "no system role"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{% for m in messages if m.role != 'system' %}{{ m.content }}{% endfor %}", "leaves out messages"),
    ],
)
def test_a_template_that_cannot_render_our_prompts_says_so(template: str, said: str, mini: Mini) -> None:
    tokenizer = load_tokenizer(str(mini.model))
    tokenizer.chat_template = template
    with pytest.raises(TrainingError, match=said):
        check_template(tokenizer, "a model")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda _: [], "has no rows"),
        (lambda rows: [{**rows[0], "completion": None}], "the completion of row 0 cannot be used"),
        (lambda rows: [rows[0], {**rows[1], "prompt": []}], "the prompt of row 1 cannot be used"),
        (lambda rows: [{**rows[0], "completion": [{"role": "user", "content": "x"}]}], "the completion of row 0"),
    ],
)
def test_a_data_set_that_cannot_be_trained_on_names_the_row(
    change: Callable[[list[Any]], list[Any]], said: str, mini: Mini, tmp_path: Path
) -> None:
    data = read_data(mini.sft)
    rows = change([dict(row) for row in data.rows])
    write_data(rows, {key: data.card[key] for key in ("recipe", "source")}, "", tmp_path / "data")
    with pytest.raises(TrainingError, match=said):
        read_data(tmp_path / "data")


def test_a_card_and_a_table_that_do_not_fit_are_refused(mini: Mini, tmp_path: Path) -> None:
    shutil.copytree(mini.sft, tmp_path / "a")
    changed(tmp_path / "a", "card.json", lambda card: card.update(recipe="dpo"))
    with pytest.raises(TrainingError, match="the chosen of row 0 cannot be used"):
        read_data(tmp_path / "a")
    changed(tmp_path / "a", "card.json", lambda card: card.update(recipe="riddle"))
    with pytest.raises(TrainingError, match="'riddle' is not a valid Recipe"):
        read_data(tmp_path / "a")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a" / "train.parquet")
    with pytest.raises(TrainingError, match="is not what its card describes"):
        read_data(tmp_path / "a")


def test_a_data_set_overwrites_only_one_of_the_same_recipe(mini: Mini, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").write_text("ours")
    for place, said in ((project, "holds other files"), (mini.dpo, "holds a dpo data set, not sft")):
        with pytest.raises(TrainingError, match=said):
            check_place(place, Recipe.SFT)
    check_place(mini.sft, Recipe.SFT)
    check_place(tmp_path / "new", Recipe.SFT)
    out = tmp_path / "factory"
    out.mkdir()
    (out / "dataset_info.json").write_text('{"theirs": {"file_name": "theirs.json"}}')
    for data in (mini.sft, mini.dpo):
        done = CliRunner().invoke(app, ["export", str(data), "--format", "llama-factory", "--out", str(out)])
        assert done.exit_code == 0, done.output
    about = json.loads((out / "dataset_info.json").read_text("utf-8"))
    assert about.keys() == {"theirs", "afterburner-sft", "afterburner-dpo"}
    assert all((out / about[f"afterburner-{name}"]["file_name"]).is_file() for name in ("sft", "dpo"))
    with pytest.raises(TrainingError, match=r"holds no data set: .* Did you mean .*/dpo or "):
        read_data(mini.dpo.parent)
    done = CliRunner().invoke(app, ["export", str(mini.grpo), "--format", "verl", "--out", str(mini.grpo)])
    assert isinstance(done.exception, TrainingError)
    assert read_data(mini.grpo).rows


def test_a_dry_run_refuses_what_training_would_refuse(mini: Mini, tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    few = config("sft", mini.model, mini.sft, batch={"size": 64, "per_device": 8})
    other = config("dpo", mini.model, mini.sft)
    elsewhere = [
        each.model_copy(update={"model": each.model.model_copy(update={"path": "Qwen/Qwen2.5-0.5B"})})
        for each in (few, other)
    ]
    for settings, said in (
        (few, "batch.size is 64, but only 9 examples are in the data set"),
        (other, "dpo needs a data set dpo"),
        (elsewhere[0], "batch.size is 64, but only 9 examples are in the data set"),
        (elsewhere[1], "dpo needs a data set dpo"),
    ):
        file.write_text(json.dumps(settings.model_dump(mode="json", exclude_unset=True)), "utf-8")
        words = [settings.method.value, "--config", str(file), "--out", str(tmp_path / "out"), "--dry-run"]
        done = CliRunner().invoke(app, words)
        assert said in str(done.exception)
        assert not (tmp_path / "out").exists()


def test_a_dry_run_says_what_it_cannot_check_without_the_tokenizer(mini: Mini, tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    settings = config("sft", Path("Qwen/Qwen2.5-0.5B"), mini.sft)
    file.write_text(json.dumps(settings.model_dump(mode="json", exclude_unset=True)), "utf-8")
    done = CliRunner().invoke(app, ["sft", "--config", str(file), "--out", str(tmp_path / "out"), "--dry-run"])
    assert done.exit_code == 0, done.output
    assert "Not checked: the lengths of the examples, since the tokenizer of Qwen/Qwen2.5-0.5B is not on" in done.output
