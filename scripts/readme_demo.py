"""Runs the README's demo and writes an excerpt of its report into the README, in the block after the marker.

python scripts/readme_demo.py
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"(?ms)(<!-- written by `make readme-demo` -->\n```text\n).*?(^```$)")
DEMO = ["run", "examples/log_report.py", "--model", "rules", "--quiet"]
FIGURES = re.compile(r"(?ms)^ +before +after +gain +interval$.*?(?=^$)")
BASIS = re.compile(r"(?m)^(?:Judged on|Held out) .*(?:\n {4,}.*)*$")
PATCH = re.compile(r"(?ms)^--- a/.*?(?=^It costs )")
OUTCOME = re.compile(r"(?ms)^Improved .*")


def excerpt(report: str) -> str:
    """The final figures, the inputs that they rest on, the patch and the outcome."""
    parts = [_only(FIGURES, report), "\n".join(BASIS.findall(report)), _only(PATCH, report), _only(OUTCOME, report)]
    return "\n\n".join(part.rstrip() for part in parts)


def _only(part: re.Pattern[str], report: str) -> str:
    found = part.search(report)
    if not found:
        raise SystemExit(f"readme_demo: the report has no part that matches {part.pattern!r}; README.md is unchanged")
    return found[0]


def main() -> None:
    """Replace the block, or leave the README as it is if the demo fails."""
    done = subprocess.run(
        [Path(sys.executable).with_name("afterburner-agent"), *DEMO],
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    shown = excerpt("\n".join(line.rstrip() for line in done.stdout.splitlines()))
    text = README.read_text(encoding="utf-8")
    fresh, count = BLOCK.subn(lambda match: f"{match[1]}{shown}\n{match[2]}", text)
    if count != 1:
        raise SystemExit(f"readme_demo: {README} has {count} blocks for the demo's output instead of one")
    README.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
