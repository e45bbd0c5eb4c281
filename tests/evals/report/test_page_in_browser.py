"""The pages of a report in a real browser: what they ask for, whether they can be read, and what the script adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from browser import Visit

    from .conftest import Report

    OpenFile = Callable[..., Visit]

# The first of each kind: there are thousands of them.
TEXTS = (
    "body",
    ".soft",
    "summary",
    ".interval",
    "table .paper",
    ".curve .soft",
    ".curve .bold",
    ".legend label",
    "footer",
)


@pytest.mark.nightly
def test_the_page_shows_all_of_it_without_a_script(report: Report, visit: OpenFile) -> None:
    seen = visit(report.page)
    assert seen.requested == [report.page.as_uri()]
    assert seen.complaints == []
    page = seen.page
    for name in (
        "Table 1: models side by side",
        "Figure 5: scores over the iterations",
        "Private against public tests",
    ):
        assert page.get_by_role("heading", name=name).first.is_visible(), name
    assert page.locator("svg.curve").count() == 8
    dots = page.locator("svg.curve").first.locator("circle")
    assert dots.first.locator("title").text_content() == "trained, iteration 0: Pass@1 33.33 (0.00, 83.33)"
    assert page.locator("path.papers").count() > 4, "the paper's points"
    assert page.locator(".readout").first.is_hidden()
    assert page.locator("input").first.is_hidden()
    page.get_by_text("All values").first.click()
    assert page.get_by_role("cell", name="without feedback").first.is_visible()


@pytest.mark.slow
def test_the_script_tells_values_and_hides_runs(report: Report, visit: OpenFile) -> None:
    seen = visit(report.page, scripts=True)
    assert seen.complaints == []
    figure = seen.page.locator("figure.curves").first
    dot = figure.locator('g[data-run="0"] circle').nth(4)
    dot.hover(force=True)
    told = figure.locator(".readout").inner_text().split("; ")
    assert dot.get_attribute("data-told") in told
    assert len(told) == 3, "the other runs' dots lie below it"
    box = figure.get_by_label("without feedback")
    curve = figure.locator('g[data-run="1"]').first
    assert curve.is_visible()
    box.uncheck()
    assert curve.is_hidden()
    assert figure.locator('g[data-run="0"]').first.is_visible()
    box.check()
    assert curve.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_can_be_read_on_a_phone(report: Report, visit: OpenFile, scheme: str) -> None:
    seen = visit(report.page, width=PHONE, scheme=scheme)
    assert seen.overflow() <= 0
    assert [line for each in TEXTS for line in seen.hard_to_read(f":nth-match({each}, 1)")] == []
    assert visit(report.problem(1), width=PHONE, scheme=scheme).overflow() <= 0


def test_a_problem_has_a_page_of_what_happened(report: Report, visit: OpenFile) -> None:
    seen = visit(report.page)
    seen.page.get_by_role("link", name="problem 1").first.click()
    page = seen.page
    assert page.title() == "problem 1"
    assert [each.inner_text() for each in page.locator("h2").all()] == ["trained", "without feedback", "vanilla"]
    assert page.get_by_text("One test was left out.").is_visible()
    assert page.locator("svg.ranks").count() == 9
    assert page.locator("svg.ranks").first.locator("circle.reference").count() == 8
    first, later = (
        page.locator("summary", has_text="Iteration 0").first,
        page.locator("summary", has_text="Iteration 3").first,
    )
    first.click()
    assert "wrong_answer" in first.inner_text()
    assert page.locator("details[open] pre.lines").first.inner_text().startswith("def solve(values):")
    later.click()
    assert page.locator("details[open] pre.diff ins").first.is_visible()
    page.locator("details[open] summary", has_text="Prompt: user").first.click()
    assert page.get_by_text("Make it faster.").first.is_visible()
    page.get_by_role("link", name="All results").click()
    assert page.title() == "Evaluation"


@pytest.mark.parametrize("width", [PHONE, 1200])
def test_what_strangers_wrote_neither_runs_nor_loads_nor_breaks_the_pages(
    hostile_report: Report,
    visit: OpenFile,
    width: int,
) -> None:
    pages = [hostile_report.page, min((hostile_report.folder / "problems").glob("*.html"))]
    for path, scripts in zip(pages, (1, 0), strict=True):
        seen = visit(path, width=width, scripts=True)
        assert seen.requested == [path.as_uri()]
        assert seen.complaints == []
        assert seen.page.locator("script").count() == scripts, "ours alone"
        assert seen.page.locator("img").count() == 0
        assert seen.overflow() <= 0
    assert seen.page.locator("pre", has_text="<script src='https://evil.example/x.js'>").count() > 0


def test_no_other_script_would_run(report: Report, visit: OpenFile, tmp_path: Path) -> None:
    """The second lock, with the first one broken: markup that was not escaped."""
    path = tmp_path / "page.html"
    injected = (
        "<script>document.title = 'taken'</script><img src='other.png' onerror=\"document.title = 'taken'\"><footer>"
    )
    path.write_text(report.page.read_text("utf-8").replace("<footer>", injected), "utf-8")
    seen = visit(path, scripts=True)
    assert seen.page.title() == "Evaluation"
    assert len([each for each in seen.complaints if "Content Security Policy" in each]) >= 2
