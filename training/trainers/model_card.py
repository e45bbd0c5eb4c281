"""Writes the card of a trained model: what it was made of, in place of the empty forms that PEFT and TRL leave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.training.trainers.folder import RunFolder

PAGE = "README.md"
_SHOWN = 12  # characters of a hash


def model_card(folder: RunFolder, *, steps: int) -> str:
    """The card of the model of a run as Markdown, from what `run.json` says.

    Args:
        folder: of the run.
        steps: updates of the weights that were made.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not JSON.
    """
    about: dict[str, Any] = json.loads((folder.path / "run.json").read_text("utf-8"))
    is_adapter = about["config"]["lora"] is not None
    library = "peft" if is_adapter else "transformers"
    rows = "\n".join(f"| {name} | {value} |" for name, value in _rows(about, steps))
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    serving = (
        "`afterburner-agent train merge` puts it into its base; a server takes the result."
        if is_adapter
        else "`vllm serve` and `transformers serve` take it as it is."
    )
    return (
        f"---\nlibrary_name: {library}\ntags:\n- afterburner-agent\n- {about['config']['method']}\n---\n\n"
        f"# {_title(about)}\n\nTrained by Afterburner Agent to rewrite code so that it is faster or leaner. {serving}\n"
        "What it writes is not proven: run it only as `afterburner-agent run` and `eval` do, in the sandbox.\n\n"
        f"| | |\n| --- | --- |\n{rows}\n\nVersions: {versions}. `run.json` of the run holds every setting.\n"
    )


def _title(about: Mapping[str, Any]) -> str:
    kind = "An adapter" if about["config"]["lora"] is not None else "A model"
    return f"{kind} trained by {about['config']['method']}"


def _rows(about: Mapping[str, Any], steps: int) -> Iterator[tuple[str, str]]:
    config, optimizer = about["config"], about["config"]["optimizer"]
    hashes = about["model_sha256"]
    weights = [f"{name} {sha256[:_SHOWN]}" for name, sha256 in hashes.items() if name.endswith(".safetensors")]
    yield "base", f"`{config['model']['path']}`" + (f", SHA-256 of {', '.join(weights)}" if weights else "")
    yield "data set", f"{about['data_rows']:,} rows, SHA-256 {about['data_sha256'][:_SHOWN]}"
    if about["benchmark_sha256"]:
        yield "benchmark of the reward", f"SHA-256 {about['benchmark_sha256'][:_SHOWN]}"
    yield "updates", f"{steps:,} of batches of {config['batch']['size']}"
    warmup = f" after {optimizer['warmup_steps']} updates of warm-up" if optimizer["warmup_steps"] else ""
    yield "learning rate", f"{optimizer['learning_rate']:g}, {optimizer['schedule']}{warmup}"
    if config["lora"] is not None:
        yield "LoRA", f"rank {config['lora']['rank']}, alpha {config['lora']['alpha']}, {config['lora']['targets']}"
    yield "seed and devices", f"{config['seed']}, {about['devices']}"
    yield "begun", about["begun"]
