"""The rows of a data set, as trainers take them: those that are short enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from datasets import Dataset

from afterburner.training.config.schema import Method
from afterburner.training.errors import TrainingError
from afterburner.training.planning.checks import check_data, check_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from transformers import PreTrainedTokenizerBase

    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.data.examples import Example
    from afterburner.training.data.reading import DataSet

_COLUMNS = {
    Method.SFT: ("prompt", "completion"),
    Method.COLD_START: ("prompt", "completion"),
    Method.DPO: ("prompt", "chosen", "rejected"),
    Method.GRPO: ("prompt", "problem_id", "objective", "original"),
}


@dataclass(frozen=True, slots=True)
class Rows:
    """What is trained on.

    Attributes:
        dataset: for the trainer.
        too_long: how many rows are left out because they have too many tokens.
    """

    dataset: Dataset
    too_long: int


def trainable_rows(data: DataSet, config: TrainConfig, tokenizer: PreTrainedTokenizerBase) -> Rows:
    """The rows with at most `max_tokens` tokens, or for GRPO, whose prompts have at most `grpo.prompt_tokens`.

    A row that is cut would teach to stop in the middle of a program.

    Raises:
        TrainingError: the data set is for another method, or too few rows are left.
    """
    check_data(data, config)
    name, most = ("max_tokens", config.max_tokens)
    if config.method is Method.GRPO:
        name, most = ("grpo.prompt_tokens", config.grpo.prompt_tokens)
    lengths = [_tokens(row, tokenizer) for row in data.rows]
    kept = [row for row, length in zip(data.rows, lengths, strict=True) if length <= most]
    if not kept:
        raise TrainingError(
            f"No example has at most {name} {most} tokens: the shortest has {min(lengths)}. Raise it to train on them."
        )
    check_rows(len(kept), config, "examples are short enough")
    columns = _COLUMNS[config.method]
    return Rows(Dataset.from_list([{name: row[name] for name in columns} for row in kept]), len(lengths) - len(kept))


def _tokens(row: Example, tokenizer: PreTrainedTokenizerBase) -> int:
    """The tokens of a row; of one with two answers, those with the longer one."""
    answers: Iterable[Any] = [row[name] for name in ("completion", "chosen", "rejected") if row.get(name)]
    return max(_length(row["prompt"] + answer, tokenizer) for answer in answers or [[]])


def _length(messages: list[dict[str, str]], tokenizer: PreTrainedTokenizerBase) -> int:
    asks = messages[-1]["role"] != "assistant"
    text = str(tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=asks))
    return len(tokenizer(text, add_special_tokens=False)["input_ids"])
