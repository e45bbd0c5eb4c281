"""Writes spans as a trace in Perfetto's own format: one track per lane, and more where spans overlap."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.tracing import MODEL, SANDBOX, STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.sandbox.tracing import Recorder, Span

_SEQUENCE = 1  # all packets are of one writer
_PROCESS = 1  # the track that the others belong to
_FIELD_OF = {str: "string_value", int: "int_value", float: "double_value"}
_ORDER = {STEPS: 0, MODEL: 1, SANDBOX: 2}  # the cores come last, by their numbers


@dataclass(slots=True)
class _Track:
    """One row of the picture. Its spans are nested or apart, as the format asks."""

    spans: list[Span] = field(default_factory=list)
    _open: list[Span] = field(default_factory=list)

    def takes(self, span: Span) -> bool:
        """Add a span, unless it would overlap one of another thread or job."""
        while self._open and self._open[-1].end_ns <= span.start_ns:
            self._open.pop()
        if self._open and (self._open[-1].row != span.row or span.end_ns > self._open[-1].end_ns):
            return False
        self._open.append(span)
        self.spans.append(span)
        return True


def trace_bytes(trace: Recorder) -> bytes:
    """The trace as a file of Perfetto's; times begin with the recording."""
    from perfetto.trace_builder.proto_builder import TraceProtoBuilder  # noqa: PLC0415 - an extra, and slow to import

    writer = _Writer(TraceProtoBuilder())
    writer.describe_process(f"afterburner-agent {version('afterburner-agent')}")
    number = _PROCESS
    for lane, tracks in _lanes(trace.spans):
        for nth, track in enumerate(tracks, start=1):
            number += 1
            writer.describe_track(number, lane if nth == 1 else f"{lane} ({nth})")
            for at_ns, _, span, is_end in sorted(_edges(track.spans), key=lambda edge: edge[:2]):
                writer.add_edge(number, at_ns - trace.started_ns, None if is_end else span)
    return bytes(writer.builder.serialize())


def _lanes(spans: Iterable[Span]) -> list[tuple[str, list[_Track]]]:
    lanes: dict[str, list[_Track]] = defaultdict(list)
    for span in sorted(spans, key=lambda each: (each.start_ns, -each.end_ns)):
        tracks = lanes[span.lane]
        if not any(track.takes(span) for track in tracks):
            tracks.append(_Track())
            tracks[-1].takes(span)
    return sorted(lanes.items(), key=lambda lane: (_ORDER.get(lane[0], len(_ORDER)), len(lane[0]), lane[0]))


def _edges(spans: list[Span]) -> Iterable[tuple[int, int, Span, bool]]:
    """The beginnings and ends. At one moment, ends come before beginnings, inner ends and outer beginnings first."""
    for depth, span in enumerate(spans):
        yield span.start_ns, depth, span, False
        yield max(span.end_ns, span.start_ns + 1), -depth - 1, span, True


@dataclass(frozen=True, slots=True)
class _Writer:
    """Adds packets to a trace; `builder` is Perfetto's."""

    builder: Any

    def describe_process(self, name: str) -> None:
        descriptor = self.builder.add_packet().track_descriptor
        descriptor.uuid = _PROCESS
        descriptor.name = name
        descriptor.child_ordering = descriptor.EXPLICIT

    def describe_track(self, number: int, name: str) -> None:
        descriptor = self.builder.add_packet().track_descriptor
        descriptor.uuid = number
        descriptor.parent_uuid = _PROCESS
        descriptor.name = name
        descriptor.sibling_order_rank = number

    def add_edge(self, track: int, at_ns: int, begun: Span | None) -> None:
        """Add the beginning of a span, or, for None, the end of the one that began last on the track."""
        packet = self.builder.add_packet()
        packet.timestamp = max(at_ns, 0)
        packet.trusted_packet_sequence_id = _SEQUENCE
        event = packet.track_event
        event.track_uuid = track
        event.type = event.TYPE_SLICE_END if begun is None else event.TYPE_SLICE_BEGIN
        if begun is not None:
            event.name = begun.name
            event.categories.append(begun.lane.partition(" ")[0])
            for name, fact in begun.facts.items():
                annotation = event.debug_annotations.add()
                annotation.name = name
                setattr(annotation, _FIELD_OF[type(fact)], fact)
