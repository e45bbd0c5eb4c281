"""Runs the embedded rules on the pinned packages and writes docs/packages.md.

    python -m scripts.bench_packages [NAME ...] [--fresh]

Resumable: a package that is finished is not run again without --fresh. Needs the package index the first time.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from afterburner.evals.datasets.packages.bench import measure
from afterburner.evals.datasets.packages.page import page
from afterburner.evals.datasets.packages.pinned import PACKAGES
from afterburner.sandbox import AfterburnerError

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / "build" / "bench-packages"
PAGE = ROOT / "docs" / "packages.md"


def main() -> None:
    """Measure what is missing, and write the page when all is there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    names = [package.name for package in PACKAGES]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all without it")
    parser.add_argument("--fresh", action="store_true", help="measure again what is there")
    wanted = parser.parse_args()
    if unknown := sorted({*wanted.names} - {*names}):
        parser.error(f"there is no package {', '.join(unknown)}; there are {', '.join(names)}")
    chosen = [package for package in PACKAGES if not wanted.names or package.name in wanted.names]
    CACHE.mkdir(parents=True, exist_ok=True)
    for package in chosen:
        place = CACHE / f"{package.folder}.json"
        if wanted.fresh or not place.is_file():
            print(f"{package.folder} …", flush=True)
            try:
                place.write_text(json.dumps(measure(package, CACHE)), encoding="utf-8")
            except AfterburnerError as error:
                sys.exit(str(error))
    known = [(package, CACHE / f"{package.folder}.json") for package in PACKAGES]
    results = [(package, json.loads(place.read_text("utf-8"))) for package, place in known if place.is_file()]
    text = page(results)
    print(text)
    if len(results) == len(PACKAGES):
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
