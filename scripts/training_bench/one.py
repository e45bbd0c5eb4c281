"""Runs one case, and prints a line of JSON: `python -m scripts.training_bench.one CASE MODEL FOLDER`."""

from __future__ import annotations

import json
import resource
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from afterburner.training.planning.assumptions import Assumptions
from afterburner.training.planning.hardware import GIB, detect_hardware
from afterburner.training.planning.plan import make_plan
from afterburner.training.trainers.models import load_tokenizer
from afterburner.training.trainers.running import train
from scripts.training_bench.cases import CASES
from scripts.training_bench.data import write_rows

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from afterburner.training.planning.plan import Plan

_SECONDS = 3600


def main(name: str, model: Path, folder: Path) -> None:
    """Plan the case, train it, and print both."""
    case = next(each for each in CASES if each.name == name)
    tokenizer = load_tokenizer(str(model))
    config = case.config(model, folder / "data")
    write_rows(config, folder / "data", partial(_length, tokenizer))
    plan = make_plan(config, detect_hardware(), assumed=Assumptions(mean_share=1.0))
    outcome = train(config, folder / "run")
    memory = plan.memory
    found = {
        "device": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "CPU",
        "planned_gib": memory.peak_gib,
        "planned_in": memory.largest_phase,
        "planned": {each.name: each.gib for each in (*memory.standing, *memory.phases[memory.largest_phase])},
        **_measured_gib(),
        **_speed(outcome.folder.metrics, plan),
    }
    print(json.dumps(found))


def _length(tokenizer: PreTrainedTokenizerBase, messages: list[dict[str, str]]) -> int:
    return len(tokenizer(str(tokenizer.apply_chat_template(messages, tokenize=False)))["input_ids"])


def _measured_gib() -> dict[str, float]:
    """The peak of this process: what it had of the device, and what of that was in tensors."""
    if not torch.cuda.is_available():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
        return {"measured_gib": peak, "allocated_gib": peak, "context_gib": 0.0}
    free, total = torch.cuda.mem_get_info()
    context = total - free - torch.cuda.memory_reserved()  # nothing else uses the device
    return {
        "measured_gib": (context + torch.cuda.max_memory_reserved()) / GIB,
        "allocated_gib": torch.cuda.max_memory_allocated() / GIB,
        "context_gib": context / GIB,
    }


def _speed(metrics: Path, plan: Plan) -> dict[str, Any]:
    """Tokens a second from the second step on, and the share of the device's peak that the plan's operations take."""
    rows = [row for line in metrics.read_text("utf-8").splitlines() if "loss" in (row := json.loads(line))]
    elapsed_s = rows[-1]["time_s"] - rows[0]["time_s"]
    tokens = rows[-1]["num_tokens"] - rows[0]["num_tokens"]
    apart = [row[key] for row in rows[1:] for key in ("generation/time_s", "reward/time_s") if key in row]
    updating_s = elapsed_s - sum(apart)
    used = plan.assumed.used(is_adapter=plan.config.lora is not None)
    at_peak_s = plan.work.training_hours * _SECONDS * used * tokens / plan.work.tokens_most
    generated = [row["generation/tokens_per_s"] for row in rows[1:] if "generation/tokens_per_s" in row]
    return {
        "steps": len(rows),
        "tokens": tokens,
        "elapsed_s": elapsed_s,
        "updating_s": updating_s,
        "tokens_per_s": tokens / updating_s,
        "utilisation": at_peak_s / updating_s,
        **({"generated_tokens_per_s": sum(generated) / len(generated)} if generated else {}),
    }


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
