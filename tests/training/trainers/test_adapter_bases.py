"""An adapter finds its base from any working folder and after a move, and asks the hub for none that was a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

from typer.testing import CliRunner

from afterburner.training.commands.group import app
from afterburner.training.errors import TrainingError
from afterburner.training.planning.adapter_bases import find_base
from afterburner.training.planning.architectures import find_architecture
from afterburner.training.trainers import models
from afterburner.training.trainers.models import merge_adapter
from afterburner.training.trainers.running import train

from .test_running import LORA
from .tiny import config

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Mini

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture(scope="module")
def trained(mini: Mini, made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The folder `mini`, with a base and an adapter that was trained on it by a relative path."""

    def fill(folder: Path) -> None:
        shutil.copytree(mini.model, folder / "mini" / "base")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            settings = config("sft", Path("mini/base"), mini.sft, lora=LORA, steps=1)
            train(settings, Path("mini/0/sft"))

    return made_once("relative-base", fill) / "mini"


def copied(trained: Path, to: Path) -> Path:
    shutil.copytree(trained, to)
    return to / "0" / "sft" / "model"


def name_base(adapter: Path, base: str) -> None:
    path = adapter / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "base_model_name_or_path": base}), "utf-8")


def adapter_on(base: str, folder: Path, **run: Any) -> Path:
    """The part of an adapter's folder that says what is beneath it."""
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": base}), "utf-8")
    if run:
        (folder.parent / "run.json").write_text(json.dumps(run), "utf-8")
    return folder


def model_in(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", "utf-8")
    return folder


def test_a_run_names_its_model_by_a_path_that_holds_in_any_folder(trained: Path) -> None:
    about = json.loads((trained / "0" / "sft" / "model" / "adapter_config.json").read_text("utf-8"))
    run = json.loads((trained / "0" / "sft" / "run.json").read_text("utf-8"))
    assert about["base_model_name_or_path"] == run["config"]["model"]["path"] == str(trained / "base")


@pytest.mark.parametrize("named", ["/gone/mini/base", "mini/base"])
def test_an_adapter_that_was_moved_with_its_base_is_merged(
    named: str, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = copied(trained, tmp_path / "mini-moved")
    name_base(adapter, named)
    monkeypatch.chdir(tmp_path / "mini-moved" / "0")
    done = CliRunner().invoke(app, ["merge", "sft/model", "--out", "merged"])
    assert done.exit_code == 0, done.output
    assert f"{named} is not there: merging into {tmp_path / 'mini-moved' / 'base'}" in done.output
    assert (tmp_path / "mini-moved" / "0" / "merged" / "model.safetensors").is_file()
    assert find_architecture(str(adapter)).layers == 2, "training goes on from it, too"


@pytest.mark.parametrize("named", ["/gone/mini/base", "mini/base", "./base"])
def test_a_base_that_is_gone_is_one_line_and_the_hub_is_not_asked(
    named: str, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(*_: object, **__: object) -> None:
        raise AssertionError("asked for a model")

    adapter = copied(trained, tmp_path / "moved")
    (tmp_path / "moved" / "base").rename(tmp_path / "elsewhere")
    name_base(adapter, named)
    with monkeypatch.context() as patch:
        patch.setattr(models.AutoModelForCausalLM, "from_pretrained", load)
        with pytest.raises(TrainingError, match=rf"The model {named}, on which .* train merge .* --base DIR") as raised:
            merge_adapter(adapter, tmp_path / "merged")
    assert "\n" not in str(raised.value)
    with pytest.raises(TrainingError, match=r"is not there\. Move it back"):
        find_architecture(str(adapter))
    base = ["--base", str(tmp_path / "elsewhere")]
    done = CliRunner().invoke(app, ["merge", str(adapter), *base, "--out", str(tmp_path / "merged")])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "merged" / "model.safetensors").is_file()


def test_a_base_that_is_given_must_be_a_folder_with_a_model(trained: Path, tmp_path: Path) -> None:
    adapter = trained / "0" / "sft" / "model"
    with pytest.raises(TrainingError, match=r"There is no folder .*nowhere\. Give the folder of the model that"):
        merge_adapter(adapter, tmp_path / "merged", tmp_path / "nowhere")
    with pytest.raises(TrainingError, match="is itself an adapter"):
        merge_adapter(adapter, tmp_path / "merged", adapter)


def test_the_longest_end_of_the_old_path_beside_the_adapter_is_its_base(tmp_path: Path) -> None:
    """The nearest folder of that name may be another run's."""
    adapter = adapter_on("/old/mini/0/dpo/start", tmp_path / "moved" / "0" / "dpo" / "model")
    model_in(tmp_path / "moved" / "start")
    start = model_in(tmp_path / "moved" / "0" / "dpo" / "start")
    model_in(adapter / "start")
    assert find_base(adapter) == str(start)


def test_a_relative_base_is_taken_from_beside_the_adapter_before_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = adapter_on("mini/base", tmp_path / "there" / "mini" / "0" / "sft" / "model")
    base, other = model_in(tmp_path / "there" / "mini" / "base"), model_in(tmp_path / "here" / "mini" / "base")
    monkeypatch.chdir(tmp_path / "here")
    assert find_base(adapter) == str(base)
    shutil.rmtree(base)
    assert find_base(adapter) == str(other)


def test_a_base_on_the_hub_stays_one(tmp_path: Path) -> None:
    """Another folder that ends alike is none of its business."""
    model_in(tmp_path / "Qwen2.5-3B")
    for folder, run in (("a", {}), ("b", {"model_sha256": {}})):
        adapter = adapter_on("Qwen/Qwen2.5-3B", tmp_path / folder / "model", **run)
        assert find_base(adapter) == "Qwen/Qwen2.5-3B"
