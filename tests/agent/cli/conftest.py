"""Hand-made results of runs, the data that the command line renders, and commands of other packages."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from afterburner.agent.loop.results import RunResult
from afterburner.agent.options import RunSettings, Search
from afterburner.agent.types import (
    Decision,
    Gain,
    HeldOut,
    JudgedCandidate,
    Machine,
    Objective,
    Readability,
    Skipped,
    Target,
)
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import CommandLine

PATCH = """\
--- a/shop/report.py
+++ b/shop/report.py
@@ -1,3 +1,4 @@
 def total(rows):
-    seen = []
+    seen = set()
+    known = len(seen)
     return seen
"""


def _candidate(number: int, decision: Decision, verdict: Verdict | None, reason: str, ratio: float) -> JudgedCandidate:
    gain = Gain(ratio, ratio * 0.9, ratio * 1.1, 0.95, 20) if verdict is Verdict.ACCEPTED else None
    example = "total([1, 1]) returned 4 instead of 5" if decision is Decision.WRONG else None
    return JudgedCandidate(
        f"1.{number}", 1, f"rules: rule-{number}", verdict, decision, reason, gain, counterexample=example
    )


@pytest.fixture
def improved() -> RunResult:
    return RunResult(
        run_id="20260101-120000-abcdef",
        target=Target("/srv/shop/report.py", "x = 1\n", "total", "report", "/srv/shop", "/srv/shop"),
        objective=Objective.TIME,
        model="rules",
        improved=True,
        summary="CPU time improved 8.00x",
        gain=Gain(8.0, 7.5, 8.6, 0.95, 31),
        original=Measurement(1.7, 1.6, 20_480, 30_000.0, samples=1600),
        best=Measurement(0.21, 0.2, 20_992, 4_000.0, samples=200),
        held_out=HeldOut(4, passed=True, gain=Gain(7.9, 7.1, 8.8, 0.95, 31)),
        candidates=(
            _candidate(1, Decision.IMPROVED, Verdict.ACCEPTED, "8.00x, at least 7.20x", 8.0),
            _candidate(2, Decision.WRONG, Verdict.WRONG_ANSWER, "call 3: returned 4 instead of 5", 1.0),
            _candidate(3, Decision.REFUSED, None, "the same code as 1.1", 1.0),
            _candidate(4, Decision.NOT_BETTER, Verdict.ACCEPTED, "the gain is not proven", 1.01),
        ),
        patch=PATCH,
        best_source="x = 2\n",
        readability=Readability(lines_added=2, lines_removed=1, branches_added=0),
        workload_origins=(("captured from __main__", 9), ("doctest", 3)),
        skipped=(Skipped("generated", "a lambda cannot be copied"),),
        machine=Machine("Linux 6.1 x86_64", "Quick CPU", 2, 8_388_608, "3.11.7", "bubblewrap 0.8.0", "rlimits"),
        elapsed_s=75.4,
    )


@pytest.fixture
def unimproved(improved: RunResult) -> RunResult:
    return replace(
        improved,
        improved=False,
        summary="nothing is offered: none of 4 candidates was correct and really better",
        gain=None,
        best=improved.original,
        held_out=HeldOut(4, passed=True, gain=None),
        patch="",
        best_source=improved.target.source,
        readability=None,
    )


@pytest.fixture
def settings() -> RunSettings:
    return RunSettings(file="report.py", function="total", search=Search(seed=7))


@pytest.fixture
def render() -> Callable[..., str]:
    """Render with a function that prints to a console of the given width, as for a pipe."""

    def rendered(show: Callable[[Console], None], width: int = 120) -> str:
        stream = StringIO()
        console = Console(file=stream, width=width, color_system=None, markup=False, highlight=False, emoji=False)
        show(console)
        return stream.getvalue()

    return rendered


@pytest.fixture
def register(program: CommandLine) -> Callable[[str, str, str], None]:
    """Install a package that registers a command: its name, the reference of its entry point, and its code."""

    def registered(name: str, reference: str, code: str) -> None:
        module = reference.partition(":")[0]
        if code:
            (program.plugins / f"{module}.py").write_text(code, encoding="utf-8")
        info = program.plugins / f"plugin_{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: plugin-{name}\nVersion: 1.0\n", encoding="utf-8")
        entry = f"[afterburner.commands]\n{name} = {reference}\n"
        (info / "entry_points.txt").write_text(entry, encoding="utf-8")

    return registered
