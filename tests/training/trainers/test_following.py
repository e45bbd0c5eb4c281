"""Lines of progress: on a terminal one line that is replaced, and what is said next stands on a line of its own."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("trl", reason="training is an extra")

from transformers import TrainerState

from afterburner.training.trainers.folder import RunFolder
from afterburner.training.trainers.following import Interruption, Metrics

if TYPE_CHECKING:
    from pathlib import Path

UNUSED: Any = None


def log_first_step(metrics: Metrics) -> None:
    state = TrainerState(global_step=1, max_steps=2, is_world_process_zero=True)
    metrics.on_log(UNUSED, state, UNUSED, {"loss": 1.5})


@pytest.mark.parametrize(
    ("is_terminal", "shown"), [(True, "\r\x1b[2Kstep 1/2: loss 1.5"), (False, "step 1/2: loss 1.5\n")]
)
def test_a_line_of_progress_is_ended_once(
    is_terminal: bool, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    metrics = Metrics(RunFolder(tmp_path), 7)
    log_first_step(metrics)
    assert capsys.readouterr().err == shown
    metrics.end_line()
    metrics.end_line()
    assert capsys.readouterr().err == ("\n" if is_terminal else "")
    assert json.loads((tmp_path / "metrics.jsonl").read_text("utf-8"))["resumed_from"] == 7


def test_the_word_on_an_interruption_replaces_the_line_of_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    log_first_step(Metrics(RunFolder(tmp_path)))
    with Interruption().listening():
        os.kill(os.getpid(), signal.SIGINT)
    assert "\r\x1b[2Kstopping after this step" in capsys.readouterr().err
