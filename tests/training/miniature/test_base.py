"""The tokenizer and the base model: texts survive the tokenizer, conversations are short, and the loss falls."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from afterburner.training.errors import TrainingError
from afterburner.training.miniature.arms import ABLATIONS, MAIN
from afterburner.training.miniature.base import BaseSettings, Progress, new_model, pretrain
from afterburner.training.miniature.configuring import Device, config_of
from afterburner.training.miniature.corpus import conversations
from afterburner.training.miniature.families import split_problems
from afterburner.training.miniature.size import FULL, LARGE, SMOKE
from afterburner.training.miniature.tokenizer import END, train_tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from transformers import PreTrainedTokenizerFast

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

TINY = BaseSettings(hidden=32, feed_forward=64, layers=2, heads=2, steps=24, batch=4, learning_rate=1e-2)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """With several threads, each waits for the slowest, and other tests run at the same time."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tokenizer() -> PreTrainedTokenizerFast:
    return train_tokenizer(list(islice(conversations(split_problems().pretraining, 1), 500)))


def test_any_text_comes_back_from_the_tokenizer_beside_its_model_in_the_same_tokens(
    tokenizer: PreTrainedTokenizerFast, tmp_path: Path
) -> None:
    new_model(tokenizer, TINY).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    loaded = transformers.AutoTokenizer.from_pretrained(tmp_path)
    texts = ["", "héllo\n\n  \tworld <thinking>\nx", "\r\n\x00\U0001f600 1234 .  , ' don't", "  a [ 1 ] .\n"]
    texts += [each["content"] for messages in islice(conversations(split_problems().test), 50) for each in messages]
    assert [loaded.decode(loaded.encode(text)) for text in texts] == texts
    assert [loaded.encode(text) for text in texts] == [tokenizer.encode(text) for text in texts]


def test_prompts_and_answers_are_short_and_end_with_the_end_token(tokenizer: PreTrainedTokenizerFast) -> None:
    for *prompt, answer in islice(conversations(split_problems().test), 50):
        asked = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True)
        whole = tokenizer.apply_chat_template([*prompt, answer], tokenize=False)
        assert whole == f"{asked}{answer['content']}{END}\n", "what TRL takes for the completion begins where it should"
        assert len(tokenizer.encode(asked)) <= 200
        assert len(tokenizer.encode(answer["content"])) <= 120
    assert tokenizer.eos_token == END != tokenizer.pad_token


def test_a_line_of_code_has_the_same_tokens_wherever_it_stands(tokenizer: PreTrainedTokenizerFast) -> None:
    line = tokenizer.encode("print(len(set(a)))\n")
    after = tokenizer.encode("t += x\nprint(len(set(a)))\n")
    assert after[-len(line) :] == line


def test_a_few_steps_teach_something(tokenizer: PreTrainedTokenizerFast) -> None:
    told: list[Progress] = []
    corpus = conversations(split_problems().pretraining)
    pretrain(new_model(tokenizer, TINY), tokenizer, corpus, TINY, every=8, on_progress=told.append)
    assert [each.step for each in told] == [8, 16, 24]
    assert told[0].loss > told[1].loss > told[2].loss > 0
    assert told[0].loss < 2 * math.log(len(tokenizer)), "it begins near the entropy of a uniform guess"


def test_a_seed_gives_the_same_weights(tokenizer: PreTrainedTokenizerFast) -> None:
    first, again, other = (new_model(tokenizer, replace(TINY, seed=seed)) for seed in (1, 1, 2))
    weights = [model.get_input_embeddings().weight for model in (first, again, other)]
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_a_corpus_that_ends_too_early_is_told(tokenizer: PreTrainedTokenizerFast) -> None:
    few = islice(conversations(split_problems().pretraining), 20)
    with pytest.raises(TrainingError, match="24 steps too early"):
        pretrain(new_model(tokenizer, TINY), tokenizer, few, TINY)


def test_the_large_size_has_ten_times_the_parameters(tokenizer: PreTrainedTokenizerFast) -> None:
    full, large = (new_model(tokenizer, each.base).num_parameters() for each in (FULL, LARGE))
    assert 10 <= large / full < 12


def test_a_gpu_trains_in_bfloat16_and_with_vllm_where_that_is(tmp_path: Path) -> None:
    told = {"seed": 3, "start": tmp_path / "start", "data": tmp_path / "data"}
    arms = {arm.name: arm for arm in (*MAIN.arms, *ABLATIONS.arms)}
    plain, gpu = (
        config_of(arms["grpo"], FULL, each, **told) for each in (Device(), Device(is_gpu=True, has_vllm=True))
    )
    assert (plain.model.dtype, plain.grpo.vllm) == ("float32", None)
    assert gpu.model.dtype == "bfloat16"
    assert gpu.grpo.vllm is not None
    assert gpu.model_copy(update={"model": plain.model, "grpo": plain.grpo}) == plain
    small = config_of(arms["grpo-less-correctness"], SMOKE, Device(), **told)
    assert (small.batch.size, small.steps, small.reward.correctness_weight) == (8, 2, 0.2)
    assert plain.reward.correctness_weight == 0.5
