"""Takes the pictures of docs/ci.md: the comment on a pull request, and the page for people.

They show a real run, on a small repository that this script makes. The comment is drawn with GitHub's styles and with
Mermaid, in Chromium, without a network.

    make ci-pictures
    PYTHONPATH=tests/ci_action python -m scripts.ci_pictures [--report DIR]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from playwright.sync_api import sync_playwright

from afterburner.ci_action.formats.markdown import Surroundings, summary
from afterburner.ci_action.outputs import PAGE
from afterburner.ci_action.report.reading import read_report
from scripts.floor_bench.pull_request import make_demo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parent / "docs" / "images"
LOOK = HERE / "github_look" / "node_modules"
STYLES = LOOK / "github-markdown-css" / "github-markdown-light.css"
MERMAID = LOOK / "@mermaid-js" / "tiny" / "dist" / "mermaid.tiny.js"
CHROMIUM = Path("/usr/bin/chromium")
REPOSITORY = "https://github.com/your-organisation/shop"
PHONE, DESK = 390, 1000  # CSS pixels
LAST_SHOWN = "How it was measured"  # the heading above which the pictures of the page end

FRAME = """
body { margin: 0; padding: 16px; width: 880px; background: #fff; font-family: system-ui, sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; }
.comment > header { padding: 8px 16px; background: #f6f8fa; border-bottom: 1px solid #d1d9e0; color: #59636e;
  border-radius: 6px 6px 0 0; font-size: 14px; }
.comment > header b { color: #1f2328; }
.comment > header i { border: 1px solid #d1d9e0; border-radius: 2em; padding: 0 6px; font-style: normal;
  font-size: 12px; }
.comment > article { padding: 16px; font-size: 14px; }
.markdown-body pre.mermaid { background: none; padding: 0; text-align: center; }
"""


def measure(out: Path, folder: Path) -> None:
    """Make a repository with a pull request, and measure it.

    Args:
        out: where the report goes.
        folder: of the repository; there is none yet.
    """
    make_demo(folder)
    program = str(Path(sys.executable).with_name("afterburner-agent"))
    command = [program, "ci", "--base", "main", "--python", sys.executable, "--out", str(out)]
    subprocess.run(command, cwd=folder, check=True)


def comment_page(report: Path) -> str:
    """The comment that GitHub would show for a report, as a page."""
    around = Surroundings(blob_url=f"{REPOSITORY}/blob/searches", report_url=f"{REPOSITORY}/actions")
    markdown = MarkdownIt("commonmark", {"html": True, "highlight": _coloured}).enable(["table", "strikethrough"])
    body = markdown.render(summary(read_report(report), around)).replace("<details>", "<details open>", 1)
    return (
        f"<!doctype html><meta charset='utf-8'><style>{STYLES.read_text('utf-8')}{FRAME}</style>"
        "<div class='comment'><header><b>github-actions</b> <i>bot</i> commented</header>"
        f"<article class='markdown-body'>{body}</article></div>"
    )


def _coloured(text: str, language: str, _attributes: str) -> str:
    """A block of code as GitHub shows it: charts are drawn, and diffs have colours."""
    if language == "mermaid":
        return f"<pre class='mermaid'>{escape(text)}</pre>"
    if language == "diff":
        return f"<pre><code>{''.join(map(_diff_line, text.splitlines(keepends=True)))}</code></pre>"
    return ""


def _diff_line(line: str) -> str:
    kind = {"+": "pl-mi1", "-": "pl-md", "@": "pl-mdr"}.get(line[0])
    if kind is None or line.startswith(("+++", "---")):
        return escape(line)
    return f"<span class='{kind}'>{escape(line)}</span>"


def take_comment(browser: Browser, report: Path) -> None:
    """The picture of the comment, its first function unfolded."""
    with _page(browser, width=DESK) as page:
        page.set_content(comment_page(report))
        page.add_script_tag(path=MERMAID)
        page.evaluate("mermaid.initialize({ startOnLoad: false })")
        page.evaluate("mermaid.run({ querySelector: '.mermaid' })")
        page.locator(".comment").screenshot(path=IMAGES / "ci-comment.png")


def take_report(browser: Browser, report: Path, name: str, *, width: int, scheme: str) -> None:
    """A picture of the page for people, as far down as the curves of its first function."""
    with _page(browser, width=width, scheme=scheme) as page:
        page.goto((report / PAGE).as_uri())
        box = page.get_by_role("heading", name=LAST_SHOWN).first.bounding_box()
        if box is None:
            raise SystemExit(f"ci_pictures: {report / PAGE} has no heading {LAST_SHOWN!r}")
        clip = {"x": 0, "y": 0, "width": width, "height": int(box["y"]) - 8}
        page.screenshot(path=IMAGES / name, full_page=True, clip=clip)  # type: ignore[arg-type]  # four numbers


@contextmanager
def _page(browser: Browser, *, width: int, scheme: str = "light") -> Iterator[Page]:
    """A page that reaches nothing but this machine's files."""
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme=scheme,  # type: ignore[arg-type]  # a literal of its own
        offline=True,
    )
    yield context.new_page()
    context.close()


def take_pictures(report: Path) -> None:
    """Take all pictures of a report."""
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take_comment(browser, report)
        take_report(browser, report, "ci-report.png", width=DESK, scheme="light")
        take_report(browser, report, "ci-report-phone-dark.png", width=PHONE, scheme="dark")
        browser.close()


def main() -> None:
    """Measure, unless there is a report already, and take the pictures."""
    parser = argparse.ArgumentParser(description="Take the pictures of docs/ci.md.")
    parser.add_argument("--report", type=Path, metavar="DIR", help="what `ci --out` has written; default: a new run")
    given = parser.parse_args().report
    for needed, advice in ((CHROMIUM, "apt-get install chromium"), (MERMAID, "make ci-pictures installs it with npm")):
        if not needed.exists():
            raise SystemExit(f"ci_pictures: {needed} is missing: {advice}")
    with tempfile.TemporaryDirectory() as scratch:
        report = given or Path(scratch, "report")
        if given is None:
            measure(report, Path(scratch, "shop"))
        take_pictures(report.resolve())


if __name__ == "__main__":
    main()
