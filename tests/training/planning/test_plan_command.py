"""`train plan`, as a user calls it."""

from __future__ import annotations

import json
import sys
from subprocess import CompletedProcess, run

import pytest


def plan(*arguments: str) -> CompletedProcess[str]:
    command = [sys.executable, "-m", "afterburner.training", "plan", *arguments]
    return run(command, capture_output=True, text=True, check=False)


def test_it_prints_the_plan_as_json() -> None:
    done = plan("--config", "eight-gpus/sft", "--devices", "8", "--device-memory-gib", "80", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["batches"]["size"] == 64
    assert document["model"]["trainable"] == 14_966_784


@pytest.mark.slow
def test_too_little_memory_ends_it_with_one_line_after_the_plan() -> None:
    done = plan("--config", "paper/cold-start", "--device-memory-gib", "15")
    assert done.returncode == 1
    assert "peak, in: forward and backward" in done.stdout
    assert done.stderr.count("\n") == 1
    assert "and there are 15.0. Lower max_tokens" in done.stderr
