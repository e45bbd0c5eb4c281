"""Runs the README's demo and puts what it prints into the README, in the block after the marker.

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
    shown = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    text = README.read_text(encoding="utf-8")
    fresh, count = BLOCK.subn(lambda match: f"{match[1]}{shown}\n{match[2]}", text)
    if count != 1:
        raise SystemExit(f"readme_demo: {README} has {count} blocks for the demo's output instead of one")
    README.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
