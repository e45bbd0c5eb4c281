"""Architectures without weights: their counts are those of the model cards."""

from __future__ import annotations

import json
import resource
from typing import TYPE_CHECKING

import pytest

from afterburner.training.config.schema import LoraConfig
from afterburner.training.errors import TrainingError
from afterburner.training.planning.architectures import KNOWN, find_architecture

if TYPE_CHECKING:
    from pathlib import Path

# Of the model cards on the hub, in 10^9: parameters, and those without embeddings.
CARDS = {"0.5B": (0.49, 0.36), "1.5B": (1.54, 1.31), "3B": (3.09, 2.77), "7B": (7.61, 6.53)}


@pytest.mark.parametrize("size", CARDS)
def test_parameters_are_those_of_the_model_card(size: str) -> None:
    model = find_architecture(f"Qwen/Qwen2.5-{size}-Instruct")
    within = model.parameters - model.embedding - model.head
    assert (model.parameters / 1e9, within / 1e9) == pytest.approx(CARDS[size], abs=0.006)


@pytest.mark.parametrize("rank", [8, 16])
def test_an_adapter_has_two_matrices_for_each_linear_layer(rank: int) -> None:
    name = "Qwen/Qwen2.5-3B"
    sizes = KNOWN[name]
    hidden, inner, kv = sizes.hidden, sizes.intermediate, sizes.kv_heads * sizes.hidden // sizes.heads
    shapes = [(hidden, hidden), (hidden, kv), (hidden, kv), (hidden, hidden), *[(hidden, inner)] * 3]
    expected = sizes.layers * rank * sum(one + other for one, other in shapes)
    model = find_architecture(name, LoraConfig(rank=rank))
    assert model.trainable == model.adapter == expected
    assert model.frozen == model.parameters == find_architecture(name).trainable


def test_an_adapter_may_have_named_targets() -> None:
    model = find_architecture("Qwen/Qwen2.5-0.5B", LoraConfig(targets=("q_proj",)))
    assert model.adapter == 24 * 8 * (896 + 896)


def test_building_a_large_model_takes_no_memory() -> None:
    find_architecture("Qwen/Qwen2.5-0.5B")  # loads the libraries
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    find_architecture("Qwen/Qwen2.5-7B", LoraConfig())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < 64 * 1024


def test_a_folder_and_an_adapters_folder_are_read(tmp_path: Path) -> None:
    model, adapter = tmp_path / "model", tmp_path / "adapter"
    model.mkdir()
    adapter.mkdir()
    small = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2}
    config = {"model_type": "qwen2", "vocab_size": 100, "intermediate_size": 64, "tie_word_embeddings": False, **small}
    (model / "config.json").write_text(json.dumps(config), "utf-8")
    (adapter / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(model)}), "utf-8")
    found = find_architecture(str(adapter))
    assert (found.layers, found.query_width, found.kv_width, found.vocabulary) == (3, 32, 16, 100)
    assert found.embedding == found.head == 3_200
    assert found.parameters == find_architecture(str(model)).parameters


def test_a_model_that_is_still_to_be_trained_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"give --model with the model that this stage starts from\.$"):
        find_architecture(str(tmp_path / "runs" / "sft" / "model"))


def test_an_adapter_without_its_base_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text("{}", "utf-8")
    with pytest.raises(TrainingError, match="does not name the model"):
        find_architecture(str(tmp_path))


def test_targets_that_the_model_has_not_are_an_error() -> None:
    with pytest.raises(TrainingError, match=r"lora\.targets do not fit the model: .*nowhere"):
        find_architecture("Qwen/Qwen2.5-0.5B", LoraConfig(targets=("nowhere",)))
