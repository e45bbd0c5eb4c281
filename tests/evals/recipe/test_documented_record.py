"""The raw problem that docs/evaluation.md shows can be built into a benchmark as it stands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from afterburner.evals.commands.group import app

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[3] / "docs" / "evaluation.md"


def test_the_documented_record_is_built(tmp_path: Path) -> None:
    (text,) = (each for each in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL) if "problem_id" in each)
    (tmp_path / "raw.jsonl").write_text(json.dumps(json.loads(text)) + "\n")
    words = ["build", str(tmp_path / "raw.jsonl"), "--out", str(tmp_path / "benchmark")]
    sizes = ["--least-solutions", "1", "--cases", "3", "--private-cases", "2", "--repeats", "1"]
    done = CliRunner().invoke(app, [*words, *sizes])
    assert done.exit_code == 0, done.output
    assert "kept: 1 reference, 3 public and 2 private cases" in done.output
