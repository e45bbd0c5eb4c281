"""`train mini` says what is missing before it begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.training.commands import mini as command
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from pathlib import Path


def test_all_that_is_missing_is_told_at_once_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = {"litellm", "trl", "uvicorn"}
    monkeypatch.setattr("afterburner.sandbox.extras.is_installed", lambda name: name not in missing)
    monkeypatch.setattr(command, "is_installed", lambda name: name not in missing)
    with pytest.raises(TrainingError, match=r"not installed: litellm, trl, uvicorn\. Install it: .*\[miniature\]"):
        command.mini(out=tmp_path / "out", smoke=True)
    assert not (tmp_path / "out").exists()
