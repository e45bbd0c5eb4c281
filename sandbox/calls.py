"""Function calls inside the sandbox: what the driver is asked, and what its reply is worth.

The driver runs in the process of the code under test, so its reply is checked: every call answered once and in order,
times that fit the meter's, outcomes equal byte for byte to those expected, which never enter the sandbox.
"""

from __future__ import annotations

import json
import re
import signal
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from afterburner.sandbox.differences import explain_difference, incomparable_reason
from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.frames import split_frames
from afterburner.sandbox.inside import driver_start
from afterburner.sandbox.samples import measure_windows
from afterburner.sandbox.scrubbing import scrub_bytes
from afterburner.sandbox.tolerance import TreeAgreement, compare_with_tolerance, with_close_floats_equal
from afterburner.sandbox.types import CallOutcome, Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.sandbox.frames import Frame
    from afterburner.sandbox.types import CallCase, Program, RawResult

_CALL = struct.Struct(">IBQQQ")
_END = struct.Struct(">Q")
_DIFFERS, _CHANCE = 1, 2
_SLACK_S = 0.02  # clocks of the meter and of the driver are read at slightly different moments
_MAX_MESSAGE_BYTES = 65_536
_MAX_DETAIL = 400
_SYNTAX_ERROR = re.compile(r'\s*File "([^<>"]+)", line (\d+)$')  # the first line of what Python tells of one
_MAX_COMPLAINTS = 64


class PreparedCall(NamedTuple):
    """How the driver is started: arguments after the interpreter, and what it reads from stdin."""

    argv_tail: tuple[str, ...]
    stdin: bytes


class CallReply(NamedTuple):
    """What the driver's reply amounts to; the fields are those of `CaseReport`."""

    verdict: Verdict
    detail: str
    outcomes: tuple[CallOutcome, ...]
    call_measurement: Measurement | None
    difference_at: int | None
    first_pass_cpu_s: float | None = None
    load_cpu_s: float = 0.0  # until the module was loaded
    told_cpu_s: float | None = None  # of the whole process, by its own account; None if it did not come to its end
    complaints: tuple[str, ...] = ()  # of `process_watch`, where one was set
    kept_bytes: int | None = None  # what the module has come to keep in memory, where it was looked at
    unfit_calls: tuple[int, ...] = ()


def prepare_call(program: Program, case: CallCase) -> PreparedCall:
    """The request for a batch of calls. The expected outcomes are no part of it.

    Raises:
        UsageError: the program has no entry, or the batch is empty.
    """
    entry = program.entry
    if entry is None:
        raise UsageError("Calls need a program with an entry: the function to call.")
    if not case.calls or case.passes < 1:
        raise UsageError("A batch of calls needs at least one call and one pass.")
    source = program.source.encode("utf-8", "surrogatepass")
    header = json.dumps(
        {
            "module": entry.module,
            "path": entry.path,
            "qualname": entry.qualname,
            "import_paths": list(program.environment.import_paths) if program.environment else [],
            "passes": case.passes,
            "cold_caches": case.cold_caches,
            **case_options(case),
            "source_bytes": len(source),
            "call_bytes": [len(blob) for blob in case.calls],
        }
    ).encode("ascii")
    return PreparedCall(
        driver_start("call_driver"), b"".join((struct.pack(">I", len(header)), header, source, *case.calls))
    )


def case_options(case: CallCase) -> dict[str, bool | int | list[str]]:
    """What of a case the driver has to know to encode its outcomes: a part of every request's header."""
    options: dict[str, bool | int | list[str]] = {
        "open_floats": case.float_tolerance is not None,
        "warm": case.warm,
        "fixed_clock": case.fixed_clock,
    }
    if case.known_names is not None:
        options["known_names"] = list(case.known_names)
    if case.most_items is not None:
        options["most_items"] = case.most_items
    if case.breaks_off:
        options["breaks_off"] = True
    return options


@dataclass(slots=True)
class _Reply:
    """What could be made of the frames before the first that is wrong."""

    calls: int
    passes: int
    parameters: tuple[str, ...] = ()
    encoded: list[bytes] = field(default_factory=list)
    cpu_ns: list[int] = field(default_factory=list)
    first_pass_cpu_ns: int = 0
    used_chance: list[bool] = field(default_factory=list)
    windows: list[tuple[int, int]] = field(default_factory=list)
    load_cpu_ns: int = 0
    told_cpu_ns: int | None = None
    complaints: tuple[str, ...] = ()
    kept_bytes: int | None = None
    differs: int | None = None  # the first call whose outcome changed from pass to pass
    complaint: tuple[Verdict, str] | None = None
    unfit_calls: tuple[int, ...] = ()
    complete: bool = False

    def read(self, frames: Sequence[Frame]) -> None:
        """Take the frames in; stops at the first that does not belong where it is."""
        for position, frame in enumerate(frames):
            if self.complete or not self._take(position, frame):
                self.complete = False
                self.complaint = self.complaint or _broken("its reply is not in the driver's form")
                return

    def _take(self, position: int, frame: Frame) -> bool:
        if frame.kind == b"X":
            self.complaint = _given_up(frame.payload)
            self.unfit_calls = _unfit_calls(frame.payload, self.calls)
            return False
        if position == 0:
            hello = _small_json(frame.payload)
            self.parameters, self.load_cpu_ns = _parameters(hello), _nanoseconds(hello)
            return frame.kind == b"H"
        made = len(self.windows)
        if frame.kind == b"E":
            self.complete = made == self.calls * self.passes and len(frame.payload) == _END.size
            if self.complete:
                (self.told_cpu_ns,) = _END.unpack(frame.payload)
            return self.complete
        if frame.kind in (b"K", b"W"):
            self._take_look(frame)
            return made == self.calls * self.passes
        is_first_pass = made < self.calls
        if made >= self.calls * self.passes or frame.kind != (b"C" if is_first_pass else b"T"):
            return False
        return self._take_call(frame.payload, made % self.calls, is_first_pass=is_first_pass)

    def _take_look(self, frame: Frame) -> None:
        """What the process was found to have left when its calls were over."""
        if frame.kind == b"W":
            self.complaints = complaints_in(frame.payload)
        elif len(frame.payload) == _END.size:
            (self.kept_bytes,) = _END.unpack(frame.payload)

    def _take_call(self, payload: bytes, expected_index: int, *, is_first_pass: bool) -> bool:
        if len(payload) < _CALL.size or (not is_first_pass and len(payload) != _CALL.size):
            return False
        index, flags, cpu_ns, start_ns, end_ns = _CALL.unpack_from(payload)
        last_end = self.windows[-1][1] if self.windows else 0
        if index != expected_index or not last_end <= start_ns <= end_ns:
            return False
        if is_first_pass:
            self.encoded.append(payload[_CALL.size :])
            self.used_chance.append(bool(flags & _CHANCE))
            self.cpu_ns.append(cpu_ns)
            self.first_pass_cpu_ns += cpu_ns
        else:
            self.cpu_ns[index] += cpu_ns
        if flags & _DIFFERS and self.differs is None:
            self.differs = index
        self.windows.append((start_ns, end_ns))
        return True

    def position(self) -> str:
        """Where it stands, in words."""
        made = len(self.windows)
        call = f"call {made % self.calls + 1} of {self.calls}"
        return call if made < self.calls else f"{call}, made for the {made // self.calls + 1}. time"

    def outcomes(self) -> tuple[CallOutcome, ...]:
        """The calls that were answered, with times summed over the passes."""
        wall_ns = [0] * self.calls
        for made, (start, end) in enumerate(self.windows):
            wall_ns[made % self.calls] += end - start
        return tuple(
            CallOutcome(encoded, cpu / 1e9, wall / 1e9, used_chance)
            for encoded, cpu, wall, used_chance in zip(
                self.encoded, self.cpu_ns, wall_ns, self.used_chance, strict=False
            )
        )


def read_reply(raw: RawResult, case: CallCase) -> CallReply:
    """Judge what the driver replied.

    The verdict is about the calls; how the process ended (limits, signals) is for the caller to weigh. A batch
    whose times do not fit the meter's is a `runtime_error`: its figures must not count.
    """
    reply = _Reply(len(case.calls), case.passes)
    reply.read(list(split_frames(raw.stdout)))
    outcomes = reply.outcomes()
    if not reply.complete:
        verdict, detail = reply.complaint or _broken(f"{_ending(raw)} in {reply.position()}")
        load_cpu_s, unfit = reply.load_cpu_ns / 1e9, reply.unfit_calls
        return CallReply(verdict, detail, outcomes, None, None, load_cpu_s=load_cpu_s, unfit_calls=unfit)
    measurement = measure_windows(reply.windows, sum(reply.cpu_ns), raw)
    complaint = _check_times(reply, raw)
    if complaint is not None:
        return CallReply(Verdict.RUNTIME_ERROR, complaint, outcomes, None, None)
    if reply.differs is not None:
        detail = f"call {reply.differs + 1} differs when it is repeated on the same input"
        return CallReply(Verdict.WRONG_ANSWER, detail, outcomes, measurement, reply.differs)
    difference_at, detail = _compare(case, reply)
    verdict = Verdict.ACCEPTED if difference_at is None else Verdict.WRONG_ANSWER
    told_cpu_s = None if reply.told_cpu_ns is None else reply.told_cpu_ns / 1e9
    times = (reply.first_pass_cpu_ns / 1e9, reply.load_cpu_ns / 1e9, told_cpu_s)
    return CallReply(verdict, detail, outcomes, measurement, difference_at, *times, reply.complaints, reply.kept_bytes)


def _ending(raw: RawResult) -> str:
    if raw.signal is None:
        return "the process ended"
    try:
        return f"the process was ended by {signal.Signals(raw.signal).name}"
    except ValueError:  # Python has no name for most real-time signals
        return f"the process was ended by signal {raw.signal}"


def _compare(case: CallCase, reply: _Reply) -> tuple[int | None, str]:
    """The first call whose outcome is not the expected one, and one line on the difference."""
    if case.expected_outcomes is None:
        return None, ""
    if len(case.expected_outcomes) != len(case.calls):
        raise UsageError("There must be one expected outcome for each call.")
    for index, (expected, actual) in enumerate(zip(case.expected_outcomes, reply.encoded, strict=True)):
        reason = incomparable_reason(actual) or incomparable_reason(expected)
        if reason is not None:
            return index, f"call {index + 1} cannot be compared: {reason}"
        if expected == actual:
            continue
        agreement, added = TreeAgreement.DIFFER, ""
        if case.float_tolerance is not None:
            agreement = compare_with_tolerance(expected, actual, case.float_tolerance)
        if case.float_tolerance:
            added = f" (floats may differ by {case.float_tolerance:g})"
        if agreement is TreeAgreement.FOLDED:
            added = " (in a part that is too large to be compared with a tolerance, so it has to be equal)"
        if agreement is not TreeAgreement.AGREE:
            shown = with_close_floats_equal(expected, actual, case.float_tolerance) if case.float_tolerance else actual
            return index, f"call {index + 1} {explain_difference(expected, shown, reply.parameters)}{added}"
    return None, ""


def _check_times(reply: _Reply, raw: RawResult) -> str | None:
    """What is wrong with the times that the driver reports, if the meter and the host's clock are right."""
    cpu_s = sum(reply.cpu_ns) / 1e9
    if cpu_s > raw.measurement.cpu_time_s + _SLACK_S:
        return f"timing was tampered with: calls of {cpu_s:.3f} s in a process of {raw.measurement.cpu_time_s:.3f} s"
    first, last = reply.windows[0][0] / 1e9, reply.windows[-1][1] / 1e9
    if raw.memory_samples:
        start, end = raw.memory_samples[0][0], raw.memory_samples[-1][0]
        if first < start - _SLACK_S or last > end + _SLACK_S:
            return "timing was tampered with: calls outside the life of their process"
    if last - first > raw.measurement.wall_time_s + _SLACK_S:
        return "timing was tampered with: the calls took longer than their process"
    return None


def _nanoseconds(hello: object) -> int:
    """The CPU time until the module was loaded; anything odd is none."""
    told = hello.get("load_cpu_ns") if isinstance(hello, dict) else None
    return told if isinstance(told, int) and 0 <= told < 10**15 else 0


def _parameters(hello: object) -> tuple[str, ...]:
    """Names of parameters for messages, with `*rest` at most as the last; anything odd is no name."""
    names = hello.get("parameters") if isinstance(hello, dict) else None
    if not isinstance(names, list) or len(names) > 255:
        return ()
    if not all(isinstance(name, str) and len(name) <= 80 for name in names):
        return ()
    last = [name.removeprefix("*") for name in names[-1:]]
    return tuple(names) if all(name.isidentifier() for name in [*names[:-1], *last]) else ()


# How the detail begins where the objects of calls lack what the constructor of this version adds to them.
CONSTRUCTOR_CHANGED = "its constructor cannot make the objects of these calls"
UNPLACED_SYNTAX_ERROR = "the module does not compile"  # what its import raises may be no error of a file, either


def _given_up(payload: bytes) -> tuple[Verdict, str]:
    """The driver's own word on why it could not go on."""
    told = _small_json(payload)
    if not isinstance(told, dict):
        return _broken("its reply is not in the driver's form")
    stage, kind, message = (str(told.get(name, "")) for name in ("stage", "type", "message"))
    lines = scrub_bytes(message.encode("utf-8", "replace"), _MAX_DETAIL).strip().splitlines()
    said = lines[-1] if lines else kind[:80]
    if stage == "load":
        if kind in {"SyntaxError", "IndentationError", "TabError"}:
            file = _SYNTAX_ERROR.match(lines[0]) if lines else None  # which may be one that the module imports
            where = f"{file[1]} does not compile: line {file[2]}" if file else UNPLACED_SYNTAX_ERROR
            return Verdict.COMPILE_ERROR, f"{where}: {said}"
        return _broken(f"the module cannot be imported: {said}")
    if stage == "constructor":
        return _broken(f"{CONSTRUCTOR_CHANGED}: {said}")
    return _broken(f"{scrub_bytes(stage.encode('utf-8', 'replace'), 80)}: {said}")


def _unfit_calls(payload: bytes, calls: int) -> tuple[int, ...]:
    """The indices of the calls whose objects could not be made; anything odd is none."""
    told = _small_json(payload)
    told = told.get("calls") if isinstance(told, dict) else None
    if not isinstance(told, list) or len(told) > calls:
        return ()
    return tuple(sorted({index for index in told if type(index) is int and 0 <= index < calls}))


def complaints_in(payload: bytes) -> tuple[str, ...]:
    """The texts of a JSON list that came out of a sandbox, each one short printable line; anything odd is none."""
    told = _small_json(payload)
    texts = told[:_MAX_COMPLAINTS] if isinstance(told, list) else []
    return tuple(scrub_bytes(str(text).encode("utf-8", "replace"))[:_MAX_DETAIL] for text in texts)


def _small_json(payload: bytes) -> object:
    if len(payload) > _MAX_MESSAGE_BYTES:
        return None
    try:
        loaded: object = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return loaded


def _broken(detail: str) -> tuple[Verdict, str]:
    return Verdict.RUNTIME_ERROR, detail
