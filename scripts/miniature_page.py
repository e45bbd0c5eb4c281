"""Writes a miniature's report into its page, between the markers, and copies its figures.

python -m scripts.miniature_page build/miniature/report
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "miniature.md"
IMAGES = ROOT / "docs" / "images"
BLOCK = re.compile(r"(?s)(<!-- written by `make miniature-page` -->\n).*?(<!-- end -->)")


def main() -> None:
    """Replace the block between the markers; stop, and change nothing, unless the page has exactly one."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m scripts.miniature_page FOLDER (the report folder of a miniature)")
    folder = Path(sys.argv[1])
    report = (folder / "report.md").read_text(encoding="utf-8")
    tables = re.sub(r"(?m)^#", "##", report[report.index("## ") :])
    tables = re.sub(r"\]\(([\w-]+\.svg)\)", r"](images/miniature-\1)", tables)
    text = PAGE.read_text(encoding="utf-8")
    fresh, count = BLOCK.subn(lambda match: f"{match[1]}\n{tables}\n{match[2]}", text)
    if count != 1:
        raise SystemExit(f"miniature_page: {PAGE} has {count} blocks for results instead of one")
    for figure in folder.glob("*.svg"):
        shutil.copyfile(figure, IMAGES / f"miniature-{figure.name}")
    PAGE.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
