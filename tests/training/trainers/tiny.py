"""A tiny model, its tokenizer, and small data sets, made on the spot: real ones, as far as two seconds go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from afterburner.agent import Problem
from afterburner.evals.datasets.built import ABOUT, COLUMNS, FORMAT, PROBLEMS
from afterburner.evals.problems import BenchmarkProblem, Figures, Reference
from afterburner.evals.tables import write_file
from afterburner.sandbox import TestCase
from afterburner.training.config.schema import TrainConfig
from afterburner.training.data.building import build_data
from afterburner.training.data.contamination import HeldOut
from afterburner.training.data.reading import read_data
from afterburner.training.data.settings import DataSettings, Recipe

if TYPE_CHECKING:
    from pathlib import Path

    from transformers import Qwen2Tokenizer

START, END = "<|im_start|>", "<|im_end|>"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def write_model(folder: Path, texts: list[str], *, hidden: int = 64, template: str | None = TEMPLATE) -> Path:
    """A Qwen2 of random weights with a tokenizer that was trained on the texts."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    tokenizer = make_tokenizer(texts, template)
    end = tokenizer.convert_tokens_to_ids(END)
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        eos_token_id=end,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
    )
    model = Qwen2ForCausalLM(config)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def make_tokenizer(texts: list[str], template: str | None) -> Qwen2Tokenizer:
    """Qwen's tokenizer with merges of its own: transformers splits text as Qwen's does, whatever the file says."""
    from transformers import Qwen2Tokenizer

    tokenizer = Qwen2Tokenizer().train_new_from_iterator(
        texts, 1000, new_special_tokens=[START, END], show_progress=False
    )
    tokenizer.eos_token = END
    tokenizer.chat_template = template
    return tokenizer


def sums(name: str = "sums", *, seconds: float = 0.1) -> BenchmarkProblem:
    """A problem with five solutions, the k-th of which is k times as bad as the first."""
    cases = (TestCase(b"3\n", b"6\n"),)
    codes = [f"n = int(input())\nprint(sum(range(n + 1)))  # {k}\n" for k in range(1, 6)]
    references = [
        Reference(code, Figures(seconds * k, seconds * k, 9000.0 * k, 900.0 * k)) for k, code in enumerate(codes, 1)
    ]
    return BenchmarkProblem(
        "own", name, Problem(name, f"Print the sum up to n. {name}", cases), references=tuple(references)
    )


def write_data(folder: Path, recipe: Recipe, *problems: BenchmarkProblem, **settings: Any) -> Path:
    benchmark = folder.parent / f"{folder.name}-benchmark"
    write_benchmark(benchmark, *(problems or (sums(),)))
    made = DataSettings(recipe, seed=1, **settings)
    build_data(problems or (sums(),), made, HeldOut(), folder, source=str(benchmark))
    return folder


def write_benchmark(folder: Path, *problems: BenchmarkProblem) -> None:
    (folder / PROBLEMS).mkdir(parents=True)
    for place, each in enumerate(problems):
        row = {"id": each.id, "split": "train", "json": each.to_json()}
        write_file(folder / PROBLEMS / f"{place}.parquet", COLUMNS[PROBLEMS], [row])
    (folder / ABOUT).write_text(f'{{"format": {FORMAT}, "name": "own", "source": ""}}')


def texts_of(*folders: Path) -> list[str]:
    """All messages of data sets."""
    return [
        message["content"]
        for folder in folders
        for row in read_data(folder).rows
        for part in ("prompt", "completion", "chosen", "rejected")
        for message in row.get(part) or []
    ]


def config(method: str, model: Path, data: Path, **changes: Any) -> TrainConfig:
    """A configuration for seconds on a CPU."""
    document: dict[str, Any] = {
        "method": method,
        "model": {"path": str(model), "dtype": "float32"},
        "data": str(data),
        "batch": {"size": 4, "per_device": 2},
        "optimizer": {"learning_rate": 1e-3, "schedule": "constant"},
        "steps": 4,
        "max_tokens": 640,
        "gradient_checkpointing": False,
        "checkpoint_every": 2,
        **changes,
    }
    return TrainConfig.model_validate(document)
