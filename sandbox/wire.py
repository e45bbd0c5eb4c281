"""The frames between host and meter (`meter/meter.h` is the other end), and what the host believes of them."""

from __future__ import annotations

import dataclasses
import math
import os
import struct
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

from afterburner.sandbox.errors import SandboxInternalError, UsageError
from afterburner.sandbox.types import Measurement, RawResult

if TYPE_CHECKING:
    from afterburner.sandbox.types import Command, Limits

READY = b"AFTBMTR2"
_RESULT_MAGIC = int.from_bytes(b"AFTREST2", "little")
_REQUEST = struct.Struct("<12Q")
_HEADER = struct.Struct("<7Qd5Q")
_POINT = struct.Struct("<2Q")
_FRAME = struct.Struct("<2Q")
FRAME_BYTES = _FRAME.size
_EXITED, _SIGNALED, _NOT_STARTED = range(3)
_LIMITS = (None, "wall", "cpu", "memory", "output", "processes", "files")
_SERIES_CAPACITY = 16_384
_CLOCK_SLACK_S = 0.25  # between the meter's clock and the host's, and of CPU time that is booked in ticks
_NANOSECONDS = 1e9
_MOST_STRINGS, _MOST_STRING_BYTES = 4096, 131_000  # what execve takes, and a little less
_MOST = 1 << 33  # of anything: seconds, KiB, bytes, processes; times 2**30 it still fits its field


class Header(NamedTuple):
    """The fixed part of a result, in the order of `struct result_header`."""

    magic: int
    end: int
    code: int
    limit: int
    wall_ns: int
    cpu_ns: int
    peak_kib: int
    integral_kib_s: float
    samples: int
    dirty: int
    stdout_bytes: int
    stderr_bytes: int
    series_length: int


class FrameKind(IntEnum):
    """What a frame of an answer carries."""

    STDOUT = 1
    STDERR = 2
    RESULT = 3


class Reply(NamedTuple):
    """An answer as it came; of a long stdout only the first part is kept."""

    header: Header
    stdout: bytes
    stderr: bytes
    series: bytes


def encode_request(command: Command, stdin: bytes, limits: Limits, cpu: int | None) -> bytes:
    """One request, ready to be sent.

    Raises:
        UsageError: a limit that is not a positive, finite number.
    """
    numbers = (*dataclasses.astuple(limits), cpu or 0)
    if not all(0 <= number < _MOST for number in numbers) or 0 in numbers[:-1]:
        raise UsageError(f"Limits have to be positive and finite, and a core's number not negative: {limits}")
    environment = [f"{name}={value}" for name, value in command.environment.items()]
    strings = [os.fsencode(text) for text in (command.working_directory, *command.argv, *environment)]
    if len(strings) > _MOST_STRINGS or max(map(len, strings)) > _MOST_STRING_BYTES:
        raise UsageError(
            f"A program gets at most {_MOST_STRINGS} arguments and variables of {_MOST_STRING_BYTES} bytes each: the "
            "kernel takes no more. Give what is longer by stdin."
        )
    if not command.argv or any(b"\0" in text for text in strings):
        raise SandboxInternalError("A command needs at least one word, and none may contain a NUL character.")
    joined = b"".join(text + b"\0" for text in strings)
    header = _REQUEST.pack(
        int(limits.wall_time_s * _NANOSECONDS),
        int(limits.cpu_time_s * _NANOSECONDS),
        limits.memory_kib,
        limits.output_bytes,
        limits.processes,
        limits.file_kib * 1024,
        limits.open_files,
        0 if cpu is None else cpu + 1,
        len(command.argv),
        len(environment),
        len(joined),
        len(stdin),
    )
    return header + joined + stdin


def decode_frame(data: bytes, room: int) -> tuple[FrameKind, int]:
    """The kind and the length of the frame that follows.

    Args:
        data: the `FRAME_BYTES` before it.
        room: how much output may still come.

    Raises:
        SandboxInternalError: no such frame.
    """
    kind, length = _FRAME.unpack(data)
    most = _HEADER.size + _SERIES_CAPACITY * _POINT.size if kind == FrameKind.RESULT else room
    if kind not in iter(FrameKind) or length > most:
        raise SandboxInternalError(f"The meter sent something else than a frame: {data.hex()}")
    return FrameKind(kind), length


def decode_result(data: bytes) -> tuple[Header, bytes]:
    """The header and the series of samples.

    Raises:
        SandboxInternalError: it is something else.
    """
    series = data[_HEADER.size :]
    header = Header(*_HEADER.unpack(data[: _HEADER.size])) if len(data) >= _HEADER.size else None
    if (
        header is None
        or header.magic != _RESULT_MAGIC
        or header.end > _NOT_STARTED
        or header.limit >= len(_LIMITS)
        or header.series_length * _POINT.size != len(series)
    ):
        raise SandboxInternalError(f"The meter sent something else than a result: {data[:64].hex()}")
    return header, series


def check_reply(reply: Reply, command: Command, limits: Limits, *, host_wall_s: float, tier: str) -> RawResult:
    """The result, if the host can believe it.

    Raises:
        SandboxInternalError: the command was not started, or a number cannot be.
    """
    header = reply.header
    if header.end == _NOT_STARTED:
        reason = os.strerror(header.code) if header.code < 4096 else str(header.code)
        raise SandboxInternalError(f"{command.argv[0]} cannot be started in the sandbox: {reason}.")
    wall_s, cpu_s = header.wall_ns / _NANOSECONDS, header.cpu_ns / _NANOSECONDS
    cores = os.cpu_count() or 1
    doubts = {
        "wall time": wall_s > host_wall_s + _CLOCK_SLACK_S,
        "CPU time": cpu_s > cores * (host_wall_s + _CLOCK_SLACK_S),
        "memory integral": not 0 <= header.integral_kib_s <= header.peak_kib * (wall_s + _CLOCK_SLACK_S),
        "exit status": header.code > 255,
        "length of the output": header.stdout_bytes + header.stderr_bytes > limits.output_bytes,
        "number of samples": header.samples < 2,
    }
    if wrong := [name for name, doubtful in doubts.items() if doubtful or not math.isfinite(header.integral_kib_s)]:
        raise SandboxInternalError(f"The meter's report cannot be right ({', '.join(wrong)}): {header}")
    measurement = Measurement(
        wall_time_s=wall_s,
        cpu_time_s=cpu_s,
        peak_memory_kib=header.peak_kib,
        memory_integral_kib_s=header.integral_kib_s,
        samples=header.samples,
        sampling_interval_s=wall_s / (header.samples - 1),
        tier=tier,
    )
    return RawResult(
        exit_code=header.code if header.end == _EXITED else None,
        signal=header.code if header.end == _SIGNALED else None,
        limit=_LIMITS[header.limit],
        measurement=measurement,
        stdout=reply.stdout,
        stdout_bytes=header.stdout_bytes,
        stderr=reply.stderr,
        memory_samples=[(time / _NANOSECONDS, kib) for time, kib in _POINT.iter_unpack(reply.series)],
    )
