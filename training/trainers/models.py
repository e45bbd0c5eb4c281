"""Loads what training starts from: the tokenizer, the model, and the adapter that is trained on it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from accelerate import PartialState
from jinja2.exceptions import TemplateError
from peft import LoraConfig, PeftModel
from transformers import AutoModelForCausalLM, AutoTokenizer

from afterburner.sandbox.terminal.text import scrub_line
from afterburner.training.errors import TrainingError
from afterburner.training.planning.adapter_bases import ADAPTER, check_adapter, find_base, is_folder, named_base
from afterburner.training.planning.architectures import EARLIER_STAGE, check_is_there, why_unusable
from afterburner.training.planning.hub import quieten_hub, why_not_on_hub
from afterburner.training.trainers.writing import whole_folder

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

    from afterburner.training.config import schema

_TRIAL = [{"role": "system", "content": "task"}, {"role": "user", "content": "question"}]
_ANSWER = [{"role": "assistant", "content": "answer"}]
# What transformers, PEFT and tokenizers raise of files that are damaged, or not what they seem.
_UNUSABLE = (OSError, ValueError, ImportError, RuntimeError, TypeError, KeyError, AttributeError, RecursionError)
# A template is a program, too.
_FAILED_TEMPLATE = (TemplateError, TypeError, ValueError, ArithmeticError, MemoryError, RecursionError)


def load_tokenizer(path: str) -> PreTrainedTokenizerBase:
    """Load a tokenizer whose chat template training can use.

    Raises:
        TrainingError: it cannot be loaded, or its template does not do.
    """
    check_is_there(path)
    quieten_hub()
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, trust_remote_code=False)
    except _UNUSABLE as error:
        why = "" if is_folder(path) else why_not_on_hub(path, error, EARLIER_STAGE)
        raise TrainingError(why or f"No tokenizer can be loaded from {path}: {why_unusable(error)}") from error
    check_template(tokenizer, path)
    if tokenizer.pad_token is None:
        raise TrainingError(f"The tokenizer of {path} has no pad_token. Set one in its tokenizer_config.json.")
    return tokenizer


def check_template(tokenizer: Any, path: str) -> None:
    """Check that answers are rendered after the prompt as the model is asked for them, and end with its end token.

    Raises:
        TrainingError: they do not.
    """
    if not tokenizer.chat_template:
        raise TrainingError(
            f"The tokenizer of {path} has no chat template, so that no prompt can be rendered. Train an "
            "instruction-tuned model, or add the template to its tokenizer_config.json."
        )
    try:
        asked = tokenizer.apply_chat_template(_TRIAL, tokenize=False, add_generation_prompt=True)
        answered = tokenizer.apply_chat_template(_TRIAL + _ANSWER, tokenize=False)
    except _FAILED_TEMPLATE as error:
        raise TrainingError(
            f"The chat template of {path} fails on a system message, a question and an answer: "
            f"{why_unusable(error)}. Fix it in chat_template.jinja or tokenizer_config.json."
        ) from error
    if missing := [each["role"] for each in (*_TRIAL, *_ANSWER) if each["content"] not in answered]:
        raise TrainingError(
            f"The chat template of {path} leaves out messages of these roles: {', '.join(missing)}. Training needs "
            "them. Use a template that renders system, user and assistant messages."
        )
    if not answered.startswith(asked):
        raise TrainingError(
            f"The chat template of {path} renders a prompt in one way for training and in another for asking. Use a "
            "template of which the second is a prefix of the first."
        )
    if not tokenizer.eos_token or not answered.rstrip().endswith(tokenizer.eos_token):
        raise TrainingError(
            f"The chat template of {path} ends an answer with something else than its eos_token {tokenizer.eos_token}, "
            "so that the model would not learn where to stop. Set eos_token in its tokenizer_config.json."
        )


def starting_point(config: schema.ModelConfig, merged: Path) -> str:
    """The path of a whole model: the one given, or if that is an adapter, what it gives with its base.

    The merged model has a folder of its own, because an adapter trained on it is of no use without it.

    Args:
        config: names the model.
        merged: the folder for the merged one.

    Raises:
        TrainingError: the adapter cannot be loaded or the folder not be written.
    """
    if not (Path(config.path) / ADAPTER).is_file():
        return config.path
    with PartialState().main_process_first():
        if not merged.is_dir():
            merge_adapter(Path(config.path), merged)
    return str(merged.resolve())


def merge_adapter(adapter: Path, out: Path, base: Path | None = None) -> None:
    """Write an adapter's base with the adapter merged into it.

    Args:
        adapter: its folder.
        out: the folder to write.
        base: the folder of its base; None: the one that the adapter names.

    Raises:
        TrainingError: the adapter cannot be loaded or the folder not be written.
    """
    revision = check_adapter(adapter)
    beneath = _base_for(adapter, base)
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(
            beneath, revision=None if is_folder(beneath) else revision, dtype="auto", trust_remote_code=False
        )
        tokenizer = load_tokenizer(str(adapter))
        if len(tokenizer) > model.get_input_embeddings().weight.shape[0]:
            model.resize_token_embeddings(len(tokenizer))  # training added tokens
        whole = PeftModel.from_pretrained(model, str(adapter)).merge_and_unload()
    except _UNUSABLE as error:
        raise TrainingError(
            f"The adapter {adapter} cannot be loaded on its base {beneath}: {why_unusable(error)}"
        ) from error
    with whole_folder(out) as unfinished:
        whole.save_pretrained(unfinished)
        tokenizer.save_pretrained(unfinished)


def _base_for(adapter: Path, given: Path | None) -> str:
    """The model to merge an adapter into; where it was moved, the terminal is told which one is taken.

    Raises:
        TrainingError: it is not there, or an adapter itself.
    """
    if given is not None and not given.is_dir():
        raise TrainingError(f"There is no folder {given}. Give the folder of the model that {adapter} was trained on.")
    base = find_base(adapter) if given is None else str(given)
    if is_folder(base) and (Path(base) / ADAPTER).is_file():
        raise TrainingError(f"The base of the adapter {adapter} is itself an adapter: {base}. Merge that one first.")
    if given is None and is_folder(base) and not is_folder(named := named_base(adapter)):
        sys.stderr.write(scrub_line(f"{named} is not there: merging into {base}") + "\n")
    return base


def load_model(config: schema.TrainConfig, path: str) -> PreTrainedModel:
    """Load a model for training.

    All weights are trained in float32 and computed with in `dtype`; beneath an adapter they stay in `dtype`.

    Raises:
        TrainingError: it cannot be loaded.
    """
    dtype = getattr(torch, config.model.dtype) if config.lora is not None else torch.float32
    try:
        model = AutoModelForCausalLM.from_pretrained(
            path, dtype=dtype, attn_implementation=config.model.attention, trust_remote_code=False
        )
        model.generation_config.validate(strict=True)  # or saving would refuse it, after all the training
    except _UNUSABLE as error:
        raise TrainingError(f"No model can be loaded from {path}: {why_unusable(error)}") from error
    return model


def lora_of(config: schema.LoraConfig | None) -> LoraConfig | None:
    """The adapter as PEFT takes it."""
    if config is None:
        return None
    return LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=config.targets if isinstance(config.targets, str) else list(config.targets),
        bias="none",
        task_type="CAUSAL_LM",
    )
