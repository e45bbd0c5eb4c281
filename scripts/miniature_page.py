"""Writes a miniature's report into its page, between the markers, and copies the figure.

python -m scripts.miniature_page build/miniature/report
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "miniature.md"
FIGURE = ROOT / "docs" / "images" / "miniature-figure-5.svg"
BLOCK = re.compile(r"(?s)(<!-- written by `make miniature-page` -->\n).*?(<!-- end -->)")


def main() -> None:
    """Replace the block between the markers; stop, and change nothing, unless the page has exactly one."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m scripts.miniature_page FOLDER (the report folder of a miniature)")
    folder = Path(sys.argv[1])
    report = (folder / "report.md").read_text(encoding="utf-8")
    tables = report[report.index("## ") :].replace("\n## ", "\n### ").replace("## ", "### ", 1)
    text = PAGE.read_text(encoding="utf-8")
    fresh, count = BLOCK.subn(lambda match: f"{match[1]}\n{tables}\n{match[2]}", text)
    if count != 1:
        raise SystemExit(f"miniature_page: {PAGE} has {count} blocks for results instead of one")
    shutil.copyfile(folder / "figure-5.svg", FIGURE)
    PAGE.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
