"""Takes the picture of docs/evaluation.md: the report of `make eval-smoke`, as a browser shows it.

python -m scripts.eval_picture build/eval-smoke/report
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "evaluation-report.png"
WIDTH, HEIGHT = 1_160, 1_400
CHROMIUM = "/usr/bin/chromium"


def main() -> None:
    """Open the page, and store Table 1 and the curves."""
    page_file = Path(sys.argv[1]) / "index.html"
    if not page_file.is_file():
        sys.exit(f"{page_file} is not there. Make it: make eval-smoke")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(page_file.resolve().as_uri())
        first = page.locator('[id$="-table-1"]').bounding_box()
        last = page.locator('[id$="-figure-5"]').bounding_box()
        if first is None or last is None:
            sys.exit(f"{page_file} has no Table 1 and no Figure 5.")
        height = min(last["y"] + last["height"] - first["y"], HEIGHT)
        page.screenshot(path=PICTURE, full_page=True, clip={"x": 0, "y": first["y"], "width": WIDTH, "height": height})
        browser.close()
    print(f"written: {PICTURE}")


if __name__ == "__main__":
    main()
