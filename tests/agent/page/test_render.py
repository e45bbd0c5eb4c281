"""The page as text: what is on it, that it is the same each time, and that no text of a stranger is markup."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.page.render import render_page
from afterburner.agent.page.run_section import section_of_run
from afterburner.agent.page.section import CandidateRow, FigureRow, PageSection, Tone
from afterburner.agent.types import Decision, Gain

from ..evidence.conftest import GROWTH  # noqa: TID252 - the same hand-made evidence
from .conftest import SAMPLES

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.options import RunSettings

HOSTILE = (
    "<script src=//x.example/a.js></script><img src=x onerror=alert(1)> \"'& </style></pre> \x1b[31m\u202e\ud800\0"
)
MAY_HAVE = {
    "html": {"lang"},
    "meta": {"charset", "content", "http-equiv", "name"},
    "a": {"href"},
    "i": {"data-n"},
    "th": {"scope"},
    "nav": {"aria-label"},
}
SVG = {"svg", "circle", "line", "path", "polyline", "rect", "text"}


class Reader(HTMLParser):
    """What elements and attributes a page has, whether they are closed in order, and its text."""

    VOID = frozenset({"meta"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.text += " " if tag in {"td", "dt", "dd"} else ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def having(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def hostile_section() -> PageSection:
    return PageSection(
        title=HOSTILE,
        decision=HOSTILE,
        tone=Tone.BAD,
        sentence=HOSTILE,
        place=HOSTILE,
        figures=(FigureRow(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE, decides=True),),
        samples=replace(SAMPLES, noun=HOSTILE),
        patch=f"--- a/{HOSTILE}\n+++ b/{HOSTILE}\n@@ -1,2 +1,2 @@ {HOSTILE}\n-{HOSTILE}\r\n+{HOSTILE}\n {HOSTILE}\n",
        facts=((HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
        counterexample=(HOSTILE,),
        candidates=(CandidateRow(*[HOSTILE] * len(fields(CandidateRow))),),
        candidates_note=HOSTILE,
    )


def test_no_text_of_a_stranger_is_markup() -> None:
    page = render_page(HOSTILE, (HOSTILE,), [hostile_section(), hostile_section()])
    assert page.encode("utf-8")  # half of a surrogate pair cannot be encoded
    assert not re.search(r"[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", page)
    assert r"\x1b[31m\u202e\ud800\x00" in page
    read = Reader(page)
    for tag, attributes in read.elements:
        allowed = MAY_HAVE.get(tag, set()) | {"class", "id"}
        assert tag in SVG or attributes.keys() <= allowed, (tag, attributes)
        assert not any(name.startswith("on") or name in {"src", "style", "href"} for name in attributes) or tag == "a"
    tags = {tag for tag, _ in read.elements}
    assert tags.isdisjoint({"script", "img", "link", "iframe", "object", "base", "form", "use", "image"})
    assert read.text.count("<script src=//x.example/a.js></script>") > 20
    assert {attributes["href"] for attributes in read.having("a")} == {"#s1", "#s2"}
    assert {attributes.get("id") for attributes in read.having("section")} == {"s1", "s2"}


def test_a_page_loads_nothing_and_forbids_it(proven: RunResult) -> None:
    page = render_page("total", (), [section_of_run(proven)])
    for word in ("http:", "https:", "src=", "<script", "url(", "@import", "<link", "//"):
        assert word not in page, word
    policy = {each.get("http-equiv"): each["content"] for each in Reader(page).having("meta") if "content" in each}
    assert policy["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def test_the_same_results_make_the_same_page(proven: RunResult, settings: RunSettings) -> None:
    section = section_of_run(proven, settings)
    assert section == section_of_run(replace(proven), settings)
    assert render_page("total", ("One.",), [section]) == render_page("total", ("One.",), [section])


def test_the_page_of_an_improvement_tells_all_that_it_rests_on(proven: RunResult, settings: RunSettings) -> None:
    page = render_page("total", (), [section_of_run(proven, settings, "a remark")])
    read = Reader(page)
    words = " ".join(read.text.split())
    for told in (
        "Improved: CPU time improved 8.00x.",
        "8.00x between 7.50x and 8.60x with 95% confidence, by 31 blocks of fresh runs",
        "CPU time 1.60 s 200 ms 8.00x (7.50x to 8.60x)",
        "peak memory 20.0 MiB 20.5 MiB 0.98x",
        "Objective less CPU time",
        "5 samples of each version in 31 blocks, each in a fresh process; 95% confidence",
        "9 captured from __main__, 3 doctest",
        "4 inputs that selection never saw, passed, gain 7.90x (7.10x to 8.80x)",
        "generated: a lambda cannot be copied",
        "Quick CPU (2 CPUs, 8.00 GiB), Linux 6.1 x86_64, Python 3.11.7, bubblewrap 0.8.0, tier rlimits",
        "2 lines added, 1 removed, 0 branches added",
        "Seed 7",
        "a remark",
        "call 3: returned 4 instead of 5; for example total([1, 1]) returned 4 instead of 5",
        "n² → n",
    ):
        assert told in words, told
    assert [each["class"] for each in read.having("svg")] == ["picture samples", "picture growth"]
    assert page.count("<h1>") == 1
    assert "<h1>total</h1>" in page
    assert "<ins>+    seen = set()</ins>" in page
    assert "<del>-    seen = []</del>" in page


def test_the_candidates_of_later_rounds_say_what_their_gains_are_over(proven: RunResult) -> None:
    note = "<p>Each gain is over the best version before its round; before round 1 that is the original.</p>"
    assert note not in render_page("total", (), [section_of_run(proven)])
    later = replace(proven.candidates[0], id="2.1", iteration=2)
    assert note in render_page("total", (), [section_of_run(replace(proven, candidates=(later,)))])


def test_growth_is_told_with_the_calls_that_it_is_of(proven: RunResult) -> None:
    growth = replace(GROWTH, like="total([1, 2, …])")
    page = render_page("total", (), [replace(section_of_run(proven), growth=growth)])
    assert "<p>Growth of calls like total([1, 2, …]); calls of another kind may grow in another way.</p>\n<h2>" in page


def test_without_an_improvement_it_says_why_and_shows_the_candidates(unimproved: RunResult) -> None:
    section = section_of_run(unimproved)
    assert (section.tone, section.gain, section.patch, section.samples) == (Tone.NEUTRAL, None, "", None)
    read = Reader(render_page(section.title, (), [section]))
    assert "No improvement: nothing is offered: none of 4 candidates was correct and really better." in read.text
    assert "rules: rule-2" in read.text
    assert "CPU time 1.60 s \n" in read.text, "of the original alone"
    assert not read.having("svg")


def test_the_condition_of_a_rewrite_is_on_the_page(unimproved: RunResult) -> None:
    reason = "3.00x, the same provided that `limits` ascends"
    right = replace(unimproved.candidates[-1], decision=Decision.CONDITIONAL, reason=reason)
    section = section_of_run(replace(unimproved, candidates=(*unimproved.candidates[:-1], right)))
    assert section.candidates[-1].reason == reason


def test_many_sections_have_contents_and_headings_of_their_own(proven: RunResult, unimproved: RunResult) -> None:
    sections = [section_of_run(proven), section_of_run(replace(unimproved, evidence=None))]
    page = render_page("Functions of shop", ("1 of 2 functions improved.",), sections)
    read = Reader(page)
    assert page.count("<h2>total</h2>") == 2
    assert [each["href"] for each in read.having("a")] == ["#s1", "#s2"]
    assert "total report.py: Improved 8.00x" in read.text
    assert "1 of 2 functions improved." in read.text
    alone = render_page("Functions of shop", (), sections[:1])
    assert "<h2>total</h2>" in alone, "the page has another title"
    assert "<nav" not in alone


@pytest.mark.parametrize(("high", "told"), [(2.5, "between 1.50x and 2.50x"), (float("inf"), "at least 1.50x")])
def test_an_interval_may_be_open(high: float, told: str) -> None:
    section = PageSection("f", "Faster", Tone.GOOD, "faster", gain=Gain(2.0, 1.5, high, 0.95, 1))
    assert f"{told} with 95% confidence, by 1 block of fresh runs" in render_page("f", (), [section])


def test_a_loss_is_told_by_how_many_times_as_much_is_used() -> None:
    section = PageSection("f", "Slower", Tone.BAD, "slower", gain=Gain(0.02, 0.016, 0.025, 0.99, 8))
    page = render_page("two", (), [section, section])
    assert Reader(page).text.count("50.0x as much between 40.0x and 62.5x with 99% confidence") == 2
    assert "f: Slower 50.0x as much" in Reader(page).text


def test_the_lines_of_a_diff_are_numbered_and_those_of_its_head_are_not() -> None:
    lines = ["--- a/x.sql", "+++ b/x.sql", "@@ -9,3 +9,3 @@", " SELECT", "--- old comment", "+++ new comment", " 1"]
    patch = "\n".join([*lines, "\\ No newline at end of file", "@@ -40 +40,2 @@", " x", "+y"]) + "\n"
    page = render_page("x", (), [PageSection("x", "", Tone.GOOD, "", patch=patch)])
    block = page[page.index("<pre") : page.index("</pre>")]
    read = Reader(f"{block}</pre>")
    numbers = [each.get("data-n") for each in read.having("i")]
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    nothing = (None, None)
    assert pairs == [
        *[nothing] * 3, ("9", "9"), ("10", None), (None, "10"), ("11", "11"), nothing,
        nothing, ("40", "40"), (None, "41"),
    ]  # fmt: skip
    assert "<del>--- old comment</del>" in block
    assert "<ins>+++ new comment</ins>" in block
    assert read.text == patch, "who copies the block copies the patch"
