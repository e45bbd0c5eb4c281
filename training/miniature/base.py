"""Pretrains the base model from scratch: what the weights of Qwen2.5 are for the paper."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import torch
    from transformers import PreTrainedTokenizerFast, Qwen3ForCausalLM

    from afterburner.training.data.prompts import Messages

_IGNORED = -100  # what torch's cross entropy leaves out
_BATCHES_SORTED = 16  # so many at a time are sorted by length: a batch then has little padding


@dataclass(frozen=True, slots=True)
class BaseSettings:
    """The model and its pretraining.

    Attributes:
        hidden: width of the model.
        feed_forward: width within its feed-forward layers.
        layers: of the model.
        heads: of attention; half as many hold keys and values.
        positions: the longest prompt with its answer, in tokens.
        steps: of pretraining.
        batch: conversations a step.
        learning_rate: the largest; it rises for a twentieth of the steps and falls along a cosine to a tenth.
        weight_decay: of AdamW.
        seed: of the weights; that of the corpus is its own.
    """

    hidden: int = 96
    feed_forward: int = 256
    layers: int = 4
    heads: int = 4
    positions: int = 1024
    steps: int = 2000
    batch: int = 16
    learning_rate: float = 3e-3
    weight_decay: float = 0.01
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """A progress report; `loss` is the mean, in nats per token, over the steps since the previous report."""

    step: int
    loss: float
    elapsed_s: float
    tokens: int  # prompts and answers, without padding


def new_model(tokenizer: PreTrainedTokenizerFast, settings: BaseSettings) -> Qwen3ForCausalLM:
    """Make a Qwen3 model with random weights: the same ones for the same seed.

    The paper uses a Qwen2 model. For that type, `AutoTokenizer` splits text as Qwen2 does, whatever tokenizer is saved
    with the model, so servers and trainers would read different tokens than pretraining did.
    """
    import torch  # noqa: PLC0415 - heavy
    from transformers import GenerationConfig, Qwen3Config, Qwen3ForCausalLM  # noqa: PLC0415 - heavy

    torch.manual_seed(settings.seed)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=settings.hidden,
            intermediate_size=settings.feed_forward,
            num_hidden_layers=settings.layers,
            num_attention_heads=settings.heads,
            num_key_value_heads=settings.heads // 2,
            head_dim=settings.hidden // settings.heads,
            max_position_embeddings=settings.positions,
            tie_word_embeddings=True,
            **ends,
        )
    )
    model.generation_config = GenerationConfig(do_sample=True, max_new_tokens=settings.positions // 4, **ends)
    return model


def pretrain(
    model: Qwen3ForCausalLM,
    tokenizer: PreTrainedTokenizerFast,
    corpus: Iterator[Messages],
    settings: BaseSettings,
    *,
    every: int = 100,
    on_progress: Callable[[Progress], object] = lambda _: None,
) -> Progress:
    """Train the model on all tokens of conversations, as pretraining does.

    An original in a prompt is a program for the problem too, so a conversation with one teaches twice.

    Args:
        model: whose weights are changed.
        tokenizer: of the model.
        corpus: conversations, in which nothing depends on how efficient a program is.
        settings: of the training.
        every: the number of steps between progress reports.
        on_progress: receives each report.

    Raises:
        TrainingError: the corpus ends too early, or the loss is no longer a number.
    """
    import torch  # noqa: PLC0415 - heavy

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    module: torch.nn.Module = model  # whose method, unlike the model's, says what it takes
    module.to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(), settings.learning_rate, betas=(0.9, 0.98), weight_decay=settings.weight_decay
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _share_of_rate(step, settings.steps))
    model.train()
    began, tokens, losses = time.monotonic(), 0, []
    told = Progress(0, math.nan, 0.0, 0)
    for step, batch in enumerate(_batches(tokenizer, corpus, settings), start=1):
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            loss = model(**{name: each.to(device) for name, each in batch.items()}).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        tokens += int((batch["input_ids"] != tokenizer.pad_token_id).sum())
        losses.append(loss.item())
        if step % every == 0 or step == settings.steps:
            told = Progress(step, sum(losses) / len(losses), time.monotonic() - began, tokens)
            if not math.isfinite(told.loss):
                raise TrainingError(f"The loss of pretraining is {told.loss} at step {step}. Lower the learning rate.")
            losses.clear()
            on_progress(told)
    model.eval()
    return told


def _share_of_rate(step: int, steps: int) -> float:
    """The share of the largest learning rate at a step."""
    rising = max(1, steps // 20)
    if step < rising:
        return (step + 1) / rising
    return 0.55 + 0.45 * math.cos(math.pi * (step - rising) / max(1, steps - rising))


def _batches(
    tokenizer: PreTrainedTokenizerFast, corpus: Iterator[Messages], settings: BaseSettings
) -> Iterator[dict[str, torch.Tensor]]:
    """As many batches as there are steps, each of conversations of about the same length."""
    import torch  # noqa: PLC0415 - heavy

    order = torch.Generator().manual_seed(settings.seed)
    left = settings.steps
    while left:
        count = min(left, _BATCHES_SORTED)
        drawn = [_tokens_of(tokenizer, each) for each in islice(corpus, count * settings.batch)]
        if len(drawn) < count * settings.batch:
            raise TrainingError(f"The corpus of pretraining ends {left} steps too early. Give it more conversations.")
        drawn.sort(key=len)
        for place in torch.randperm(count, generator=order).tolist():
            yield _padded(drawn[place * settings.batch : (place + 1) * settings.batch], tokenizer.pad_token_id)
        left -= count


def _tokens_of(tokenizer: PreTrainedTokenizerFast, messages: Messages) -> list[int]:
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    return list(tokenizer.encode(text, add_special_tokens=False))


def _padded(conversations: Sequence[list[int]], pad: int) -> dict[str, torch.Tensor]:
    """Tensors of shape (conversations, longest): tokens, and labels of all but the padding.

    Padding stands at the end, where no token of a causal model sees it: without a mask, attention is faster.
    """
    import torch  # noqa: PLC0415 - heavy

    longest = max(len(tokens) for tokens in conversations)
    tokens = torch.tensor([[*each, *[pad] * (longest - len(each))] for each in conversations])
    return {"input_ids": tokens, "labels": tokens.masked_fill(tokens == pad, _IGNORED)}
