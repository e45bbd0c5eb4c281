"""Reads a trace as Perfetto's own reader would: its tracks, and the spans of each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


@dataclass
class ReadSpan:
    """A span of a track."""

    name: str
    begin_ns: int
    facts: dict[str, Any]
    depth: int
    end_ns: int = 0


@dataclass
class ReadTrack:
    """A track with its spans in the order of their beginnings."""

    name: str
    spans: list[ReadSpan] = field(default_factory=list)


def read_trace(data: bytes) -> list[ReadTrack]:
    """Read the tracks, and check that spans are nested or apart and come in the order of time."""
    trace = Trace()
    trace.ParseFromString(data)
    tracks: dict[int, ReadTrack] = {}
    stacks: dict[int, list[ReadSpan]] = defaultdict(list)
    last_ns: dict[int, int] = defaultdict(int)
    for packet in trace.packet:
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = ReadTrack(packet.track_descriptor.name)
            continue
        event, at_ns = packet.track_event, packet.timestamp
        assert at_ns >= last_ns[event.track_uuid]
        last_ns[event.track_uuid] = at_ns
        stack = stacks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            facts = {each.name: each.string_value or each.int_value for each in event.debug_annotations}
            stack.append(ReadSpan(event.name, at_ns, facts, len(stack)))
            tracks[event.track_uuid].spans.append(stack[-1])
        else:
            stack.pop().end_ns = at_ns
    assert not any(stacks.values()), "every span has an end"
    return list(tracks.values())
