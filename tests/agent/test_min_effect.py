"""Where a run takes its minimum effect from, and that its report says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent import optimize
from afterburner.agent.judge.min_effect import remember

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''
def total(numbers):
    """
    >>> total([1, 2])
    3
    >>> total([5, 6, 7])
    18
    """
    return sum(numbers)
'''


@pytest.mark.nightly
@pytest.mark.usefixtures("sandbox")
def test_what_selfcheck_found_here_holds_unless_the_user_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "adding.py"
    path.write_text(SOURCE)
    first = optimize(path, function="total", max_seconds=60)
    assert any("above 1.05x (the default" in note for note in first.notes)
    remember(first.machine, 0.1)
    second = optimize(path, function="total", max_seconds=60)
    assert any("above 1.10x (set by selfcheck" in note for note in second.notes)
    third = optimize(path, function="total", max_seconds=60, min_effect=0.5)
    assert any("above 1.50x (the caller)" in note for note in third.notes)
