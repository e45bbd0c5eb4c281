"""Growth as a picture: in the terminal and as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from afterburner.agent.evidence.chart import draw_chart
from afterburner.agent.evidence.growth import Growth
from afterburner.agent.evidence.growth_svg import growth_svg

from .conftest import GROWTH, POINTS, SIZES


def test_the_chart_fits_a_small_terminal_and_names_both_classes() -> None:
    lines = draw_chart(GROWTH, "utf-8")
    assert len(lines) <= 12
    assert max(map(len, lines)) <= 60
    text = "\n".join(lines)
    assert text.count("●") == text.count("○") == len(SIZES) + 1  # and one each in the legend
    assert "● original: n²   ○ rewrite: n" in lines[-1]
    assert lines[0].lstrip().startswith("128 ms")
    assert "250" in lines[-2]
    assert lines[-2].rstrip().endswith("8000")
    assert lines[0].rstrip().endswith("●")  # the largest is at the top right


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "no such encoding"])
def test_without_braille_the_chart_is_plain(encoding: str) -> None:
    lines = draw_chart(GROWTH, encoding)
    text = "\n".join(lines)
    assert text.isascii()
    assert "o original: n^2   x rewrite: n" in text
    assert (len(lines), max(map(len, lines)) <= 60) == (11, True)


def test_too_little_makes_no_chart() -> None:
    assert draw_chart(Growth(note="nothing"), "utf-8") == []
    assert draw_chart(replace(GROWTH, points=POINTS[:2]), "utf-8") == []
    with pytest.raises(ValueError, match="nothing"):
        growth_svg(Growth(note="nothing"), "x")


def test_a_rewrite_that_was_not_measured_leaves_the_original_alone() -> None:
    alone = replace(GROWTH, points=tuple(replace(point, winner_s=None) for point in POINTS), winner=None)
    assert "rewrite" not in "\n".join(draw_chart(alone, "utf-8"))
    assert "rewrite:" not in growth_svg(alone, "x")


def test_the_svg_is_well_formed_the_same_each_time_and_names_its_units() -> None:
    text = growth_svg(GROWTH, "a<b>.py & \x1b pairs")
    assert text == growth_svg(GROWTH, "a<b>.py & \x1b pairs")
    root = ET.fromstring(text)  # noqa: S314 - made one line earlier
    space = "{http://www.w3.org/2000/svg}"
    words = [element.text or "" for element in root.iter(f"{space}text")]
    assert words[0] == "a<b>.py & ? pairs: n² → n"
    assert "len(left) + len(right) (elements, log scale)" in words
    assert "CPU time of one call (log scale)" in words
    assert {"100 µs", "1 ms", "10 ms", "100 ms", "250", "8000"} <= set(words)
    assert len(list(root.iter(f"{space}circle"))) == len(SIZES)
    assert "prefers-color-scheme: dark" in text
