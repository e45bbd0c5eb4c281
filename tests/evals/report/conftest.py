"""Reports of runs as `eval run` leaves them, written once for all tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from browser import browser, visit  # noqa: F401 - fixtures

from afterburner.evals.report.writing import write_report

from .run_folders import RunPlan

PAPER = Path(__file__).parents[4] / "shared" / "paper"
GRPO = "vllm:models/afterburner-grpo"
HOSTILE = (
    "<script src='https://evil.example/x.js'>alert(1)</script>]]></style>\"><img src=x onerror=alert(2)> "
    "| `code` *bold* [link](https://evil.example) $\\frac{1}{0}$ _under_ \x1b[31m\u202e " + "long" * 300
)


@dataclass(frozen=True)
class Report:
    """A folder with a report."""

    folder: Path

    @property
    def page(self) -> Path:
        return self.folder / "index.html"

    @property
    def markdown(self) -> str:
        return (self.folder / "report.md").read_text("utf-8")

    def section(self, title: str) -> str:
        """The part of the Markdown below a heading of the third level; the first one of this title."""
        return self.markdown.split(f"### {title}\n", 1)[1].split("\n##", 1)[0]

    def problem(self, number: int) -> Path:
        (found,) = (self.folder / "problems").glob(f"venus-problem-{number}-*.html")
        return found


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Three runs on Venus, of a trained model with and without feedback and of a vanilla one, and a run on APPS."""
    home = tmp_path_factory.mktemp("report")
    left_out = {"lost": "Its tests cannot be read."}
    plans = [
        RunPlan("trained", GRPO, iterations=10, not_evaluated=left_out),
        RunPlan("without feedback", GRPO, settings={"tell": "no-feedback"}, skill=0.5),
        RunPlan("vanilla", "openai/Qwen/Qwen2.5-3B-Instruct", skill=0.3, has_private=False, iterations=12),
        RunPlan("on apps", GRPO, dataset="apps", generations=1, has_private=False),
    ]
    folders = [plan.write(home / str(at)) for at, plan in enumerate(plans)]
    return Report(write_report(folders, home / "out").folder)


@pytest.fixture(scope="session")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Two runs in which every text that a stranger could have written is hostile."""
    home = tmp_path_factory.mktemp("hostile")
    settings: dict[str, Any] = {"tell": "no-feedback", "split": HOSTILE}
    left_out: dict[str, Any] = {"not_evaluated": {HOSTILE: HOSTILE}, "rejected": ("record 3",)}
    plans = [
        RunPlan(f"one {HOSTILE}", f"model {HOSTILE}", spoil=HOSTILE, problems=3, **left_out),
        RunPlan(f"two {HOSTILE}", f"model {HOSTILE}", spoil=HOSTILE, problems=3, settings=settings),
    ]
    folders = [plan.write(home / str(at)) for at, plan in enumerate(plans)]
    return Report(write_report(folders, home / "out").folder)


@pytest.fixture(scope="session")
def paper_folder() -> Path:
    """The text of the paper beside the repository."""
    if not PAPER.is_dir():
        pytest.skip(f"{PAPER} is not there: the paper's text lies beside the repository")
    return PAPER
