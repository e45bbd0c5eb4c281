"""`train mini` says what is missing before it begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterburner.training.commands import mini as command
from afterburner.training.errors import TrainingError


def test_all_that_is_missing_is_told_at_once_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"litellm", "trl", "uvicorn"}
    monkeypatch.setattr("afterburner.sandbox.extras.is_installed", lambda name: name not in missing)
    monkeypatch.setattr(command, "is_installed", lambda name: name not in missing)
    with pytest.raises(TrainingError, match=r"not installed: litellm, trl, uvicorn\. Install it: .*\[miniature\]"):
        command.mini(out=tmp_path / "out", smoke=True)
    assert not (tmp_path / "out").exists()


def test_the_commands_that_serve_a_model_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "training.md").read_text("utf-8")
    lines = command.told_of_models("mini").splitlines()
    commands = [line for line in lines if line.startswith("  ")]
    assert len(commands) == 5
    for line in commands:
        assert line.strip() in page, line
    server = next(place for place, line in enumerate(lines) if "transformers serve" in line)
    assert lines[0].startswith("models: mini/SEED/METHOD/model. ")
    assert lines[server - 1].startswith("In another terminal")
    assert lines[server + 1].startswith("When it listens")
    assert not lines[server].endswith("&"), "what follows in the same terminal would not wait for it"
    assert "--dataset 'my mini'/train-benchmark" in command.told_of_models("my mini")
