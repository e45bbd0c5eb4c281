"""Programs against each other on the same calls: one template process, a forked process for each sample.

What the template is asked, and what its reply is worth. Samples are taken in the order that is asked for, on
one core, and every one is judged: no time counts unless the outcomes of exactly those calls were the expected ones.
The CPU time of a sample's processes is the kernel's word, told by the template, which runs no code of either side.
"""

from __future__ import annotations

import json
import os
import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.sandbox.calls import PreparedCall, case_options, complaints_in, read_reply
from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.frames import split_frames
from afterburner.sandbox.inside import driver_start
from afterburner.sandbox.types import CallCase, Measurement, RawResult, Verdict

if TYPE_CHECKING:
    from afterburner.sandbox.frames import Frame
    from afterburner.sandbox.types import CallOutcome, Program

_SAMPLE = struct.Struct(">BiQQQQII")
_MAX_REASON = 200


@dataclass(frozen=True, slots=True)
class Duel:
    """What the sides of a comparison are sampled on.

    Side 0 is the program, side n is `rivals[n - 1]`, the text of the same file with a rewrite in it. Every sample makes
    the calls of `case` once, in a process that makes nothing else.

    The samples of a group run at once on one core, in turns of some milliseconds that the kernel gives them: whatever
    changes the machine's speed meets all of them, and cancels in the ratio of their CPU times (Bulej et al., "Duet
    benchmarking", ICPE 2020). The wall time of their calls says nothing. Calls that are shorter than such a turn are
    better made `call_by_call`: each by all of the group, one after the other, while the others wait.
    """

    rivals: tuple[str, ...]
    case: CallCase
    groups: tuple[tuple[int, ...], ...]  # the sides of the samples of each group
    sample_limit_s: float  # of wall time, for one sample that runs by itself
    watched: tuple[int, ...] = ()  # groups of one that tell what they have left changed or running, counted from 0
    call_by_call: bool = False

    @property
    def order(self) -> tuple[int, ...]:
        """The side of each sample."""
        return tuple(side for group in self.groups for side in group)


@dataclass(frozen=True, slots=True)
class DuelSample:
    """One sample. Times of the calls are the driver's, those of the process are the kernel's.

    `queued_s` is the part of its wall time in which it could have run and did not get the core.
    """

    side: int
    verdict: Verdict
    detail: str
    outcomes: tuple[CallOutcome, ...] = ()
    calls: Measurement | None = None  # None if it is no sample: then the verdict says why
    process_cpu_s: float = 0.0
    process_wall_s: float = 0.0
    queued_s: float = 0.0
    group: int = 0  # which one it belongs to, counted from 0
    load_cpu_s: float = 0.0
    told_cpu_s: float = 0.0  # of the process, by its own account
    complaints: tuple[str, ...] = ()  # of `process_watch` and of the template: what the sample left changed or running
    difference_at: int | None = None
    kept_bytes: int | None = None  # what the module has come to keep in memory; None if it was not looked at
    tasks: int = 0  # threads and processes that were started; 0 too if more than one other side ran along


@dataclass(frozen=True, slots=True)
class DuelReport:
    """The samples in the order in which they were taken.

    `broken_off` says why there are fewer than were asked for, None if all are there.
    """

    samples: tuple[DuelSample, ...]
    broken_off: str | None
    verdict: Verdict  # of the process as a whole, which also ends if it runs into a limit
    peak_memory_kib: int  # of the template and the samples that ran at once


def prepare_duel(program: Program, duel: Duel) -> PreparedCall:
    """The request for the template. The expected outcomes are no part of it.

    Raises:
        UsageError: the program has no entry, or there is nothing to sample.
    """
    entry = program.entry
    if entry is None or not duel.case.calls or not duel.order or max(duel.order) > len(duel.rivals):
        raise UsageError("A duel needs a program with an entry, at least one call, and samples of sides that exist.")
    sources = [text.encode("utf-8", "surrogatepass") for text in (program.source, *duel.rivals)]
    header = json.dumps(
        {
            "module": entry.module,
            "path": entry.path,
            "qualname": entry.qualname,
            "import_paths": list(program.environment.import_paths) if program.environment else [],
            "passes": 1,
            "cold_caches": True,
            "groups": [list(group) for group in duel.groups],
            "watched": list(duel.watched),
            "call_by_call": duel.call_by_call,
            "sample_limit_s": duel.sample_limit_s,
            "sources_bytes": [len(source) for source in sources],
            "call_bytes": [len(blob) for blob in duel.case.calls],
            **case_options(duel.case),
        }
    ).encode("ascii")
    stdin = b"".join((struct.pack(">I", len(header)), header, *sources, *duel.case.calls))
    return PreparedCall(driver_start("sample_template"), stdin)


def read_duel(raw: RawResult, duel: Duel, verdict: Verdict, detail: str) -> DuelReport:
    """Judge what the template replied.

    Args:
        raw: what the meter says of the template and all its samples together.
        duel: what was asked.
        verdict: of the process as a whole.
        detail: why, if that is not `accepted`.

    Raises:
        SandboxInternalError: the template cannot work here.
    """
    samples: list[DuelSample] = []
    order = [(side, number) for number, group in enumerate(duel.groups) for side in group]
    is_whole = False
    for frame in split_frames(raw.stdout):
        if frame.kind == b"X":
            raise SandboxInternalError(f"The samples of a comparison cannot be taken: {_reason(frame)}.")
        if frame.kind == b"E":
            is_whole = True
        elif frame.kind == b"S" and len(samples) < len(order):
            side, group = order[len(samples)]
            sample = _sample(frame.payload, duel, raw, group)
            if sample is None or sample.side != side:
                break
            samples.append(sample)
    broken_off: str | None = detail or "the process that starts the samples was ended"
    if is_whole and len(samples) == len(order) and verdict is Verdict.ACCEPTED:
        broken_off = None
    return DuelReport(tuple(samples), broken_off, verdict, raw.measurement.peak_memory_kib)


def _sample(payload: bytes, duel: Duel, raw: RawResult, group: int) -> DuelSample | None:
    if len(payload) < _SAMPLE.size:
        return None
    side, status, cpu_ns, start_ns, end_ns, queued_ns, tasks, length = _SAMPLE.unpack_from(payload)
    position = _SAMPLE.size + length
    complaints, written = complaints_in(payload[_SAMPLE.size : position]), payload[position:]
    wall_s, cpu_s = (end_ns - start_ns) / 1e9, cpu_ns / 1e9
    code = os.waitstatus_to_exitcode(status)
    process = replace(raw.measurement, wall_time_s=wall_s, cpu_time_s=cpu_s)
    exit_code, signal = (code, None) if code >= 0 else (None, -code)
    reply = read_reply(RawResult(exit_code, signal, None, process, written, b""), duel.case)
    verdict, detail = reply.verdict, reply.detail
    limit_s = duel.sample_limit_s * len(duel.groups[group])
    if wall_s >= limit_s:
        verdict, detail = Verdict.TIME_LIMIT, f"one sample took longer than {limit_s:.1f} s"
    elif verdict is Verdict.ACCEPTED and code != 0:
        verdict, detail = Verdict.RUNTIME_ERROR, f"its process ended with {code} after the last call"
    return DuelSample(
        side=side,
        verdict=verdict,
        detail=detail,
        outcomes=reply.outcomes,
        calls=reply.call_measurement if verdict is Verdict.ACCEPTED else None,
        process_cpu_s=cpu_s,
        process_wall_s=wall_s,
        queued_s=queued_ns / 1e9,
        group=group,
        load_cpu_s=reply.load_cpu_s,
        told_cpu_s=reply.told_cpu_s or 0.0,
        complaints=(*complaints, *reply.complaints),
        difference_at=reply.difference_at,
        kept_bytes=reply.kept_bytes,
        tasks=tasks,
    )


def _reason(frame: Frame) -> str:
    try:
        return str(json.loads(frame.payload)["message"])[:_MAX_REASON]
    except (ValueError, KeyError, TypeError, RecursionError):  # it shares its process with nobody, yet
        return "it does not say why"
