"""Functions of packages: a report says what was proved of them, and has no curves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.evals.report.writing import write_report
from afterburner.evals.tables import COMPLETE, TABLES, write_rows

if TYPE_CHECKING:
    from pathlib import Path

NAN = float("nan")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Three functions: one with a proven gain, one on a condition, one with none."""
    folder = tmp_path / "run"
    folder.mkdir()
    settings = {"dataset": "packages", "model": "rules", "iterations": 2, "selection": "verified", "start": "original"}
    about = {"format": 1, "name": "rules", "settings": settings, "machine": {}, "session": "s"}
    (folder / "run.json").write_text(json.dumps(about), "utf-8")
    (folder / COMPLETE).touch()
    for number, decision in enumerate(("improved", "conditional", "no_improvement")):
        name = f"shop-1.0/shop.py::function_{number}"
        gain = {"ratio": 4.0, "low": 3.0, "high": 5.0} if decision == "improved" else {}
        rows = {
            "problems": [
                {"problem_id": name, "dataset": "packages", "public_cases": 0, "private_cases": 0, "reason": ""}
            ],
            "gains": [{"problem_id": name, "generation": 0, "decision": decision, **gain}],
        }
        for table in TABLES:
            write_rows(folder, table, f"function-{number}", rows.get(table, ()))
    return folder


def test_what_was_proved_is_counted_and_named(run: Path, tmp_path: Path) -> None:
    write_report([run], tmp_path / "out")
    markdown = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "| rules | 3 | 1 | 1 | 4.00x | shop-1.0/shop.py::function_0 4.00x (3.00, 5.00) |" in markdown
    assert "Unfinished" not in markdown
    assert "Figure 5" not in markdown
    page = (tmp_path / "out" / "index.html").read_text("utf-8")
    assert "Functions of real packages" in page
    assert "<svg" not in page
