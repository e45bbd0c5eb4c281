"""The predicted memory, beside that of a process which trains."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import run

import pytest
from planned import config

from afterburner.training.planning.hardware import Hardware
from afterburner.training.planning.plan import make_plan

STEP = Path(__file__).with_name("measured_step.py")
SIZES = {
    "model_type": "qwen2",
    "hidden_size": 512,
    "intermediate_size": 2048,
    "num_hidden_layers": 8,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 8000,
    "tie_word_embeddings": True,
}


@pytest.mark.nightly
@pytest.mark.parametrize("lora", [False, True])
@pytest.mark.parametrize("checkpointing", [False, True])
def test_the_peak_is_predicted(tmp_path: Path, *, checkpointing: bool, lora: bool) -> None:
    (tmp_path / "config.json").write_text(json.dumps(SIZES), "utf-8")
    step = {"tokens": 512, "per_device": 2, "checkpointing": checkpointing, "lora": lora}
    done = run([sys.executable, STEP, tmp_path, json.dumps(step)], capture_output=True, text=True, check=True)
    wanted = config(
        model={"path": str(tmp_path), "dtype": "float32"},
        batch={"size": 2, "per_device": 2},
        max_tokens=512,
        gradient_checkpointing=checkpointing,
        **({"lora": {}} if lora else {}),
    )
    predicted = make_plan(wanted, Hardware(1, 16, "cpu")).memory.peak_gib
    assert 0.75 < predicted / float(done.stdout.split()[-1]) < 1.4
