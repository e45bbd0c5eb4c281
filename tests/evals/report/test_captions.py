"""What a report says of a run with so few scored problems that nothing follows from its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.evals.commands.report import report as report_command

from .run_folders import RunPlan

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = "Of 1, a single problem is scored, which says nothing of others"
FEW = "Of 2 and of 5, fewer than 6 problems are scored. An interval of so few is often too narrow, so conclude nothing"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The folder of a run of so many problems, which the run is also called by."""
    place = tmp_path_factory.mktemp("runs")
    return {
        each: RunPlan(str(each), problems=each, has_private=False).write(place / str(each)) for each in (1, 2, 5, 6)
    }


def test_so_few_problems_that_nothing_follows_are_a_caution_once_for_each_run(
    runs: dict[int, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_command(list(runs.values()), out=tmp_path)
    few = "An interval of fewer than 6 is often too narrow, so conclude nothing from it."
    assert [line.strip() for line in capsys.readouterr().out.splitlines() if "caution" in line] == [
        "caution: A single problem is scored, which says nothing of others.",
        f"caution: Only 2 problems are scored. {few}",
        f"caution: Only 5 problems are scored. {few}",
    ]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert 0 < text.index("Parentheses hold 95% intervals") < text.index(SINGLE) < text.index(FEW)


def test_enough_problems_are_no_caution(
    runs: dict[int, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report_command([runs[6]], out=tmp_path)
    assert "caution" not in capsys.readouterr().out
    assert "fewer than 6 problems are scored" not in (tmp_path / "report.md").read_text("utf-8")
