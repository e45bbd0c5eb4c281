"""Reads traces and draws them below one another, on one axis of seconds."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scripts.sandbox_pictures import ACCENT, INK, SOFT, Picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_LEFT, _WIDTH, _LANE, _MARK_S = 120, 840, 15, 10
_HEADER, _GAP, _FOOT = 34, 30, 30
_STEPS = ("#0f766e", "#5eaea6")  # in turn, so that one step ends where the colour changes
_COLOURS = {"core": ACCENT, "model": "#7c3aed"}
_JUDGING = "#64748b"
_LEAST_LABEL_S = 3.0  # a shorter step has no room for its name


@dataclass(frozen=True, slots=True)
class Bar:
    """Something that took time, on a lane; `depth` 0 is not within another."""

    lane: str
    name: str
    start_s: float
    end_s: float
    depth: int


def bars_of(trace: Path) -> list[Bar]:
    """The spans of a file that `--trace` wrote."""
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent  # noqa: PLC0415 - slow to import

    read = Trace()
    read.ParseFromString(trace.read_bytes())
    lanes: dict[int, str] = {}
    open_spans: dict[int, list[tuple[str, int]]] = defaultdict(list)
    bars: list[Bar] = []
    for packet in read.packet:
        if packet.HasField("track_descriptor"):
            lanes[packet.track_descriptor.uuid] = packet.track_descriptor.name
        elif packet.HasField("track_event"):
            event = packet.track_event
            spans = open_spans[event.track_uuid]
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                spans.append((event.name, packet.timestamp))
            else:
                name, start_ns = spans.pop()
                lane = lanes[event.track_uuid].partition(" (")[0]
                bars.append(Bar(lane, name, start_ns / 1e9, packet.timestamp / 1e9, len(spans)))
    return sorted(bars, key=lambda bar: bar.start_s)


def draw(runs: Sequence[tuple[str, Sequence[Bar]]], name: str) -> None:
    """Write docs/images/NAME: for each run its steps, what its cores were timing, and what was judged.

    Args:
        runs: titles with the spans of each run.
        name: of the file.
    """
    rows = [(title, _rows(bars)) for title, bars in runs]
    longest_s = max(bar.end_s for _, bars in runs for bar in bars)
    height = sum(_HEADER + _GAP + _LANE * len(lanes) for _, lanes in rows) + _FOOT
    picture = Picture(_LEFT + _WIDTH + 30, height)
    scale = _WIDTH / longest_s
    top = 0.0
    for title, lanes in rows:
        picture.text(20, top + 22, title, size=14, bold=True)
        top += _HEADER
        for lane, bars in lanes:
            picture.text(20, top + 11, lane, size=11, colour=SOFT)
            _draw_lane(picture, bars, top, scale)
            top += _LANE
        top += _GAP
    for second in range(0, int(longest_s) + 1, _MARK_S):
        picture.text(_LEFT + second * scale - 4, height - 12, f"{second} s", size=11, colour=SOFT)
    picture.save(name)


def _rows(bars: Iterable[Bar]) -> list[tuple[str, list[Bar]]]:
    """The lanes from the top: steps, cores, models, and what the sandbox judged, side by side where it was."""
    lanes: dict[str, list[Bar]] = defaultdict(list)
    for bar in bars:
        if bar.depth == 0:
            lanes[bar.lane].append(bar)
    found: list[tuple[str, list[Bar]]] = [("steps", lanes.pop("steps", []))]
    untimed = [bar for bar in lanes.pop("sandbox", []) if not _is_timed(bar, lanes)]
    found += [(f"timing, {lane}" if lane.startswith("core") else lane, lanes[lane]) for lane in sorted(lanes)]
    tracks: list[list[Bar]] = []
    for bar in untimed:
        track = next((each for each in tracks if each[-1].end_s <= bar.start_s), None)
        if track is None:
            tracks.append([bar])
        else:
            track.append(bar)
    return [*found, *(("judging" if number == 0 else "", track) for number, track in enumerate(tracks))]


def _is_timed(bar: Bar, lanes: dict[str, list[Bar]]) -> bool:
    """Whether a run of the sandbox is one of a leased core, which has a lane of its own."""
    cores = (each for lane, bars in lanes.items() if lane.startswith("core") for each in bars)
    return any(each.start_s <= bar.start_s and bar.end_s <= each.end_s for each in cores if each.name == "leased")


def _draw_lane(picture: Picture, bars: Sequence[Bar], top: float, scale: float) -> None:
    for number, bar in enumerate(bars):
        kind = bar.lane.partition(" ")[0]
        colour = _STEPS[number % 2] if kind == "steps" else _COLOURS.get(kind, _JUDGING)
        x, width = _LEFT + bar.start_s * scale, max((bar.end_s - bar.start_s) * scale, 0.6)
        picture.shapes.append(
            f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{_LANE - 3}" fill="{colour}"/>'
        )
        label = bar.name.partition(": ")[2].replace("_", " ")
        if kind == "steps" and bar.end_s - bar.start_s > _LEAST_LABEL_S:
            room = int(width / 5.2)
            picture.text(x + 3, top + 9.5, label[:room], size=9, colour="white" if number % 2 == 0 else INK)
