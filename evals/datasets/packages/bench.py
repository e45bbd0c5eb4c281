"""Runs the embedded rules on whole packages, as a user would: `afterburner-agent run DIR --model rules`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.inputs.survey import check_tests
from afterburner.agent.options import InputOptions, RunSettings
from afterburner.evals.datasets.packages.fetching import checkout, git
from afterburner.evals.errors import EvaluationError
from afterburner.sandbox import open_sandbox

if TYPE_CHECKING:
    from afterburner.evals.datasets.packages.pinned import Package

TESTS_LIMIT_S = 120.0


def measure(package: Package, cache: Path, archives: Path | None = None) -> dict[str, Any]:
    """Optimise a package, apply all patches, and run its tests in the sandbox.

    Args:
        package: which one.
        cache: keeps what was fetched, and the patches.
        archives: see `checkout`.

    Returns:
        `document`: what `run DIR --json` writes. `tests`: how many pass with all patches applied and which fail, or
        None if they do not come to their end. `elapsed_s`: how long the run took.

    Raises:
        DatasetError: the package cannot be fetched, or is not what is pinned.
        EvaluationError: the program failed.
    """
    folder = checkout(package, cache, archives)
    patches = cache.absolute() / "patches" / package.folder
    patches.mkdir(parents=True, exist_ok=True)
    for old in patches.glob("*.patch"):
        old.unlink()
    started = time.monotonic()
    program = Path(sys.executable).with_name("afterburner-agent")
    done = subprocess.run(
        [
            *(program, "run", package.place, "--model", "rules", "--top", str(package.top), "--python", sys.executable),
            *("--max-seconds", str(package.seconds), "--patch", str(patches), "--json", "-"),
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        check=False,
    )
    elapsed_s = time.monotonic() - started
    if done.returncode:
        raise EvaluationError(f"{package.folder}: the run ended with {done.returncode}; what it printed says why.")
    if (patches / "all.patch").is_file():
        git(folder, "apply", str(patches / "all.patch"))
    return {"document": json.loads(done.stdout), "tests": _tests_of(folder / package.place), "elapsed_s": elapsed_s}


def _tests_of(place: Path) -> dict[str, Any] | None:
    """Run the tests of what now lies in the folder, in the sandbox; None if they do not come to their end."""
    settings = RunSettings(str(place), inputs=InputOptions(python=sys.executable))
    with open_sandbox("auto") as sandbox:
        suite = check_tests(sandbox, place, settings, TESTS_LIMIT_S, {})
    if suite is None or not suite.complete:
        return None
    return {"passed": suite.passed, "failing": sorted(suite.failing)}
