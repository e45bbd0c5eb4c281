"""Runs the search on pinned packages and writes docs/packages.md.

    python -m scripts.bench_packages [NAME ...] [--fresh]

Resumable: a package that is finished is not run again without --fresh. Needs the package registry the first time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts.bench_packages.fetch import checkout, git
from scripts.bench_packages.packages import PACKAGES
from scripts.bench_packages.page import page

if TYPE_CHECKING:
    from scripts.bench_packages.packages import Package

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "bench-packages"
PAGE = ROOT / "docs" / "packages.md"
TESTS_LIMIT_S = 120.0


def measure(package: Package) -> dict[str, Any]:
    """Optimise a fresh checkout, apply all patches, and run the package's tests in the sandbox."""
    folder = checkout(package, CACHE)
    patches = CACHE / "patches" / package.folder
    patches.mkdir(parents=True, exist_ok=True)
    for old in patches.glob("*.patch"):
        old.unlink()
    started = time.monotonic()
    command = ["--", *package.command] if package.command else []
    program = Path(sys.executable).with_name("afterburner-agent")
    done = subprocess.run(
        [
            *(program, "run", package.place, "--model", "rules", "--top", str(package.top), "--python", sys.executable),
            *("--max-seconds", str(package.seconds), "--patch", str(patches), "--json", "-", *command),
        ],
        cwd=folder,
        stdout=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{package.folder}: the run ended with {done.returncode}.")
    elapsed_s = time.monotonic() - started
    if (patches / "all.patch").is_file():
        git(folder, "apply", str(patches / "all.patch"))
    return {"document": json.loads(done.stdout), "tests": tests_of(package, folder), "elapsed_s": elapsed_s}


def tests_of(package: Package, folder: Path) -> dict[str, Any] | None:
    """Run the tests of what now lies in the folder, in the sandbox; None if they do not come to their end."""
    from afterburner.agent.inputs.survey import check_tests, python_command  # noqa: PLC0415 - not for --help
    from afterburner.agent.options import BatchPlace, InputOptions, RunSettings  # noqa: PLC0415
    from afterburner.sandbox import open_sandbox  # noqa: PLC0415

    settings = RunSettings(
        str(folder / package.place),
        inputs=InputOptions(python=sys.executable),
        batch=BatchPlace(command=python_command(package.command), command_folder=str(folder)),
    )
    with open_sandbox("auto") as sandbox:
        suite = check_tests(sandbox, folder / package.place, settings, TESTS_LIMIT_S, {})
    if suite is None or not suite.complete:
        return None
    return {"passed": suite.passed, "failing": sorted(suite.failing)}


def main() -> None:
    """Measure what is missing, and write the page when all is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="packages; all without it")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there")
    wanted = parser.parse_args()
    CACHE.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        place = CACHE / f"{package.folder}.json"
        chosen = not wanted.names or package.name in wanted.names
        if chosen and (wanted.fresh or not place.is_file()):
            print(f"{package.folder} …", flush=True)
            result = measure(package)
            place.write_text(json.dumps(result), encoding="utf-8")
    known = [(package, CACHE / f"{package.folder}.json") for package in PACKAGES]
    results = [(package, json.loads(place.read_text("utf-8"))) for package, place in known if place.is_file()]
    text = page(results)
    print(text)
    if len(results) == len(PACKAGES):
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
