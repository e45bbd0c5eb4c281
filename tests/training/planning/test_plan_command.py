"""`train plan`, as a user calls it."""

from __future__ import annotations

import json
import sys
from subprocess import run

import pytest
from typer.testing import CliRunner

from afterburner.training.commands.group import app
from afterburner.training.errors import TrainingError

EIGHT = ("--devices", "8", "--device-memory-gib", "80")


def test_it_prints_the_plan_as_json() -> None:
    done = CliRunner().invoke(app, ["plan", "--config", "eight-gpus/sft", *EIGHT, "--slots", "3", "--json", "-"])
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["batches"]["size"] == 64
    assert document["model"]["trainable"] == 14_966_784
    assert document["assumed"]["slots"] == 3


def test_a_plan_that_does_not_fit_is_printed_and_then_refused() -> None:
    done = CliRunner().invoke(app, ["plan", "--config", "paper/cold-start", "--device-memory-gib", "15"])
    assert isinstance(done.exception, TrainingError)
    assert "peak, in: forward and backward" in done.stdout


@pytest.mark.slow
@pytest.mark.nightly
def test_the_module_is_the_command() -> None:
    """`accelerate launch -m afterburner.training` needs a module."""
    command = [sys.executable, "-m", "afterburner.training", "plan", "--config", "paper/cold-start"]
    done = run([*command, "--device-memory-gib", "15"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "and there are 15.0. Lower max_tokens" in done.stderr


@pytest.mark.parametrize("wrong", [("--model", "./nosuch", "--data", "."), ("--data", "nosuch")])
def test_a_model_or_data_set_that_is_not_there_is_told_before_pytorch_is_imported(wrong: tuple[str, ...]) -> None:
    words = ["afterburner.training", "sft", "--config", "paper/sft", "--out", "run", *wrong]
    script = f"""
import runpy, sys
sys.argv = {words!r}
try:
    runpy.run_module("afterburner.training", run_name="__main__", alter_sys=True)
except SystemExit as ended:
    print(ended.code, "torch" in sys.modules)
"""
    done = run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "1 False\n", done.stderr
    assert "There is no folder" in done.stderr
    assert "nosuch, which is to hold a" in done.stderr
