"""Figure 5 as a picture: what it says in words, which SVG keeps as comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from afterburner.evals.report.curves import Curve
from afterburner.evals.report.measures import BEYOND_I, BEYOND_M, BEYOND_T, MEASURES, PASSING, Measure, Score
from afterburner.evals.report.pictures import write_pictures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("matplotlib", reason="pictures are an extra")
pytestmark = pytest.mark.slow


def drawn(folder: Path, score: Callable[[int, Measure, int], float], caption: str = "") -> list[str]:
    """The texts of a picture of four curves of three iterations, whose scores come from their places."""
    curves = [
        Curve(label, place, {each: [Score(score(place, each, at)) for at in range(3)] for each in MEASURES}, {})
        for place, label in enumerate("abcd")
    ]
    svg, _ = write_pictures(folder, "figure", curves, caption)
    return re.findall(r"<!-- (.*?) -->", svg.read_text("utf-8"))


def test_curves_that_hide_one_another_are_named(tmp_path: Path) -> None:
    apart = {
        PASSING: lambda place, _: place // 2,
        BEYOND_T: lambda *_: 0,
        BEYOND_M: lambda place, at: place if at == 2 else 0,
        BEYOND_I: lambda place, _: place,
    }
    texts = drawn(tmp_path, lambda place, each, at: at + apart[each](place, at))
    assert [text for text in texts if "equal" in text] == ["equal: a, b; equal: c, d", "all 4 curves are equal"]


def test_percent_do_not_begin_below_0_and_a_long_caption_is_wrapped(tmp_path: Path) -> None:
    texts = drawn(tmp_path, lambda *_: 0.0, f"{'A warning. ' * 13}\nThe mean over one problem and one seed")
    assert "0" in texts
    assert not [text for text in texts if text.startswith(("-", "\N{MINUS SIGN}"))]
    *warning, last = [text for text in texts if "warning" in text or "mean" in text]
    assert " ".join(warning) == " ".join(["A warning."] * 13)
    assert len(warning) == 2
    assert last == "The mean over one problem and one seed"
