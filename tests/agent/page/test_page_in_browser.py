"""Pages in a real browser: what a run writes, on a phone and in the dark, and what a stranger wrote into one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from browser import PHONE

from afterburner.agent.page.render import render_page
from afterburner.agent.page.run_section import section_of_run

from .test_render import HOSTILE, hostile_section

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from browser import Visit
    from conftest import CommandLine

    from afterburner.agent.loop.results import RunResult
    from afterburner.sandbox import Sandbox

    OpenFile = Callable[..., Visit]

SLOW = """\
def shared(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    for size in (700, 800, 900, 1000):
        print(len(shared(list(range(size)), list(range(size - 5, 2 * size)))))
"""
TEXTS = ("body", ".place", ".verdict strong", "dt", "ins", "del", "pre b", ".samples text", ".growth text", "footer")


@pytest.fixture(scope="module")
def written(
    new_program: Callable[[Path], CommandLine],
    tmp_path_factory: pytest.TempPathFactory,
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is none
) -> Path:
    """The page of a real run, measured for real."""
    program = new_program(tmp_path_factory.mktemp("page"))
    (program.home / "names.py").write_text(SLOW, encoding="utf-8")
    done = program("run", "names.py", "--iterations", "1", "--html", "page.html")
    assert done.returncode == 0, done.stderr
    assert "Improved" in done.stdout
    return program.home / "page.html"


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timed
def test_the_page_of_a_run_needs_nothing_but_itself(written: Path, visit: OpenFile) -> None:
    seen = visit(written)
    assert seen.requested == [written.as_uri()]
    assert seen.complaints == []
    page = seen.page
    assert page.title() == "shared"
    assert page.get_by_role("heading", name="shared", exact=True).is_visible()
    assert page.locator(".verdict").inner_text().startswith("Improved: CPU time improved")
    for name in ("Figures", "The change", "Samples", "Growth", "How it was measured", "Notes", "Candidates"):
        assert page.get_by_role("heading", name=name, exact=True).is_visible(), name
    samples, growth = page.locator("svg").all()
    for picture in (samples, growth):
        box = picture.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 100
    assert samples.locator("circle.before").count() == samples.locator("circle.after").count() > 1
    assert growth.locator("text.rewrite").count() == 1
    changed = page.locator("pre ins")
    assert changed.first.is_visible()
    assert changed.first.inner_text().startswith("+    ")
    assert page.locator("pre i[data-n]").count() > 4


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_of_a_run_can_be_read_on_a_phone(written: Path, visit: OpenFile, scheme: str) -> None:
    seen = visit(written, width=PHONE, scheme=scheme)
    assert seen.overflow() <= 0
    wide = [
        each for each in seen.page.locator(".wide, pre").all() if each.evaluate("(e) => e.scrollWidth > e.clientWidth")
    ]
    assert wide, "what is wide scrolls by itself"
    assert [line for selector in TEXTS for line in seen.hard_to_read(selector)] == []
    other = visit(written, width=PHONE, scheme="light" if scheme == "dark" else "dark")
    for selector, name in (("body", "color"), ("body", "backgroundColor"), ("ins", "color"), (".samples text", "fill")):
        assert seen.colour(selector, name) != other.colour(selector, name), (selector, name)


@pytest.mark.parametrize("width", [PHONE, 1200])
def test_what_a_stranger_wrote_neither_runs_nor_loads_nor_breaks_the_page(
    visit: OpenFile, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_page(HOSTILE, (HOSTILE,), [hostile_section()] * 3), encoding="utf-8")
    seen = visit(path, width=width, scripts=True)
    assert seen.requested == [path.as_uri()]
    assert seen.complaints == []
    assert seen.page.locator("script, img").count() == 0
    assert seen.overflow() <= 0
    assert seen.page.locator("nav a").count() == 3
    seen.page.locator("nav a").nth(2).click()
    assert seen.page.url.endswith("#s3")
    assert seen.page.locator("#s3 h2").inner_text().startswith("<script src=")


def test_the_policy_of_the_page_would_stop_what_slipped_through(
    visit: OpenFile, tmp_path: Path, proven: RunResult
) -> None:
    """The second lock, with the first one broken: markup that was not escaped."""
    page = render_page("total", (), [section_of_run(proven)])
    for place, markup in {
        "script": "<script>document.title = 'taken'</script>",
        "image": "<img src='other.png' onerror=\"document.title = 'taken'\">",
        "frame": "<iframe src='other.html'></iframe>",
        "style": "<link rel='stylesheet' href='other.css'>",
    }.items():
        path = tmp_path / f"{place}.html"
        path.write_text(page.replace("<footer>", f"{markup}<footer>"), encoding="utf-8")
        seen = visit(path, scripts=True)
        assert seen.page.title() == "total", place
        assert any("Content Security Policy" in each and "blocked" in each for each in seen.complaints), place
