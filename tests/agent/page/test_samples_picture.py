"""The picture of samples: every sample is in it, its axis fits them, and its units are named."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from afterburner.agent.evidence.samples import SampleFigures
from afterburner.agent.page.samples_picture import HEIGHT, WIDTH, samples_picture


def drawn(samples: SampleFigures) -> tuple[list[str], dict[str, list[float]]]:
    """The words of a picture, and where the dots of each version lie from left to right."""
    text = samples_picture(samples)
    assert text == samples_picture(samples)
    root = ET.fromstring(text)  # noqa: S314 - made one line earlier
    for dot in root.iter("circle"):
        assert 0 <= float(dot.attrib["cx"]) <= WIDTH
        assert 0 <= float(dot.attrib["cy"]) <= HEIGHT
    dots = {
        side: [float(each.attrib["cx"]) for each in root.iter("circle") if each.attrib["class"] == side]
        for side in ("before", "after")
    }
    return [each.text or "" for each in root.iter("text")], dots


@pytest.mark.parametrize(
    ("noun", "before", "after", "label", "medians"),
    [
        ("CPU time", (0.5, 0.52, 0.51), (0.45, 0.46, 0.47), "CPU time of each sample (ms)", ("510 ms", "460 ms")),
        ("wall time", (1.5, 1.6), (0.0001, 0.0002), "wall time of each sample (s, log scale)", ("1.55 s", "150 µs")),
        ("peak memory", (20480.0,), (18432.0,), "peak memory of each sample (MiB)", ("20.0 MiB", "18.0 MiB")),
        ("memory integral", (4e6,), (40.0,), "memory integral of each sample (GiB·s, log scale)", ("3.81 GiB·s", "40")),
        ("memory integral", (0.0,), (0.0,), "memory integral of each sample (KiB·s)", ("0.00 KiB·s", "0.00 KiB·s")),
        ("CPU time", (2e-6, 2e-6), (2e-6,), "CPU time of each sample (µs)", ("2.00 µs", "2.00 µs")),
        ("peak memory", (1.0, 2.0), (0.0, 90.0), "peak memory of each sample (KiB)", ("1.50 KiB", "45.0 KiB")),
    ],
)
def test_the_axis_fits_the_samples(
    noun: str, before: tuple[float, ...], after: tuple[float, ...], label: str, medians: tuple[str, str]
) -> None:
    words, dots = drawn(SampleFigures(noun, before, after))
    assert label in words
    ticks = [float(word) for word in words if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", word)]
    assert 1 <= len(ticks) <= 8
    assert ticks == sorted(set(ticks))
    assert [len(dots["before"]), len(dots["after"])] == [len(before), len(after)]
    for side, median in zip((before, after), medians, strict=True):
        assert any(word.startswith(f"median {median}") and f"of {len(side)} sample" in word for word in words)
    figures, places = (*before, *after), (*dots["before"], *dots["after"])
    order = sorted(range(len(figures)), key=lambda each: (figures[each], places[each]))
    assert sorted(places) == [places[each] for each in order], "a larger figure lies further to the right"


def test_dots_of_equal_samples_do_not_hide_each_other() -> None:
    text = samples_picture(SampleFigures("CPU time", (0.5,) * 20, (0.4,) * 20))
    heights = re.findall(r'class="before" cx="[\d.]+" cy="([\d.]+)"', text)
    assert len(set(heights)) == 20
