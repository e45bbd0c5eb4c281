"""What comes back from a harness. Everything in it was within reach of the user's code, so everything is checked."""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from afterburner.sandbox.visible import visible

MAX_RECORDS = 4096
_RECORD = b"R"
_HEADER_BYTES = 5  # a letter for the kind and four bytes for the length
MAX_CALL_BYTES = 8 * 1024 * 1024
MAX_DESCRIPTION = 120
MAX_TEXT = 2_000
MAX_REASON = 300
MAX_COUNT = 10**12
MAX_SECONDS = 10**6
_MARK_OF_PYTEST = re.compile(r"^E\s{2,}")  # before each line of an exception
_ERROR = re.compile(r"(\w+\.)*\w*(Error|Exception)\b")  # as the last line of a traceback begins

Ending = Literal["returned", "raised", "unknown"]


@dataclass(frozen=True, slots=True)
class ChangedCopy:
    """What a call did whose copy may be something else, as `inside/changed_copies.py` tells it: texts of trees."""

    returned: str | None  # None: it cannot be told
    has_changed: bool | None  # what it was given; None: likewise
    copy: str  # the arguments of the copy; empty: likewise
    is_same: bool  # whether the copy seemed to be the same when it was made


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call as the harness recorded it; `number` counts the calls of its origin from 1."""

    blob: bytes
    origin: str
    description: str
    ending: Ending
    number: int
    cpu_time_s: float  # as the harness saw it: good enough to choose by
    text: str = ""  # the call as Python would write it, where the job tells that
    is_probing: bool = False  # made, and beyond what hints and real calls show of the function's contract
    is_ruled_out: bool = False  # of these: by type hints
    did: ChangedCopy | None = None  # what it did, if its copy may be something else
    is_new: bool = False  # it went where no call before it did
    taken: int | None = None  # items that the caller took of its generator; None: all there were, or not known


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that went wrong in a job. `stage` is the harness's word for where."""

    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class FunctionProfile:
    """What the profiler saw of one function of the file: seconds in itself and in callees outside the file."""

    qualname: str
    cost_s: float
    calls: int
    importing: bool  # it ran only while the file was imported


@dataclass(frozen=True, slots=True)
class SurveyedFunction:
    """What a profile over many files saw of one function; `qualname` is empty for the other code of a file.

    `cost_s` is spent in itself and in callees outside the files, `repeated_s` in callees within them that it called
    more than once for each call of its own, without the first of these. `origins` are the tests that call it.
    """

    path: str
    qualname: str
    cost_s: float
    repeated_s: float
    calls: int
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """What became of the project's tests. `complete` is False if they were stopped before their end."""

    passed: int
    failing: tuple[str, ...]
    complete: bool
    why_incomplete: str = ""  # empty: the time was over, or they are complete
    reasons: tuple[str, ...] = ()  # of `failing`, why each failed; of a command, nothing

    def why(self, name: str) -> str:
        """Why a test failed, and before that a colon; empty if it is not known."""
        reason = next(
            (reason for failed, reason in zip(self.failing, self.reasons, strict=False) if failed == name), ""
        )
        return f": {reason}" if reason else ""


@dataclass(frozen=True, slots=True)
class MemoryProfile:
    """What one function of the file holds for its own work (`inside/memory_profiler.py`), and whom of them it calls."""

    qualname: str
    transient_bytes: int
    kept_bytes: int  # the same with all that it was given by its callees
    callees: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundLine:
    """What the profiler saw of one line of the file (see `inside/line_profiler.py`)."""

    line: int
    hits: int
    time_s: float


@dataclass(frozen=True, slots=True)
class FoundSize:
    """A call of another size: `factor` times as large as the given call number `base` (from 0).

    `size` counts what `scaled` names, such as `len(items)`.
    """

    call: FoundCall
    base: int
    size: int
    factor: float
    scaled: str


@dataclass(frozen=True, slots=True)
class Assumption:
    """What holds in so many real calls and breaks in one that was made: an expression, and the same in words."""

    expression: str
    words: str
    held: int
    number: int = 0  # of the one that was made, from 0
    by_hint: bool = False  # a type hint says it


@dataclass(frozen=True, slots=True)
class Answer:
    """All records of one job. `finished` is False if the job was cut off."""

    calls: tuple[FoundCall, ...]
    skipped: tuple[tuple[str, str], ...]  # origin, reason
    failures: tuple[Failure, ...]
    profiles: tuple[FunctionProfile, ...]
    memory: tuple[MemoryProfile, ...]
    count: int
    finished: bool
    damaged: int  # frames that are no records: something wrote into the channel
    sizes: tuple[FoundSize, ...] = ()
    lines: tuple[FoundLine, ...] = ()
    surveyed: tuple[SurveyedFunction, ...] = ()
    suite: Suite | None = None
    assumptions: tuple[Assumption, ...] = ()
    parameters: tuple[tuple[str, bool], ...] = ()  # of which arguments were made, and whether several of each
    suggested: tuple[str, ...] = ()  # calls as Python would write them, which nobody has made yet
    told: tuple[dict[str, Any], ...] = ()  # what only its reader knows the form of, and has to check

    @property
    def hurried(self) -> bool:
        """Whether there would have been more, had there been more time."""
        return any(body.get("hurried") is True for body in self.told)


def parse_answer(stdout: bytes) -> Answer:  # noqa: C901, PLR0912 - one branch for each kind of record
    """Read the records in what a harness wrote; what is none is only counted."""
    calls: list[FoundCall] = []
    skipped: list[tuple[str, str]] = []
    failures: list[Failure] = []
    profiles: list[FunctionProfile] = []
    memory: list[MemoryProfile] = []
    sizes: list[FoundSize] = []
    lines: list[FoundLine] = []
    surveyed: list[SurveyedFunction] = []
    suite: Suite | None = None
    assumptions: list[Assumption] = []
    suggested: list[str] = []
    parameters: list[tuple[str, bool]] = []
    told: list[dict[str, Any]] = []
    count, finished, damaged = 0, False, 0
    payloads, rest = _frames(stdout)
    for payload in payloads:
        match _record(payload):
            case {"kind": "call"} as record if (call := _call(record)) is not None:
                calls.append(call)
            case {"kind": "taken", "number": int(number), "items": int(items), "exhausted": bool(exhausted)} if (
                0 <= items <= MAX_COUNT
            ):
                calls = [_with_use(call, number, None if exhausted else items) for call in calls]
            case {"kind": "skipped", "origin": str(origin), "reason": str(reason)}:
                skipped.append((scrub(origin, MAX_DESCRIPTION), scrub(reason, MAX_REASON)))
            case {"kind": "failed", "stage": str(stage), "reason": str(reason)}:
                failures.append(Failure(scrub(stage, 20), scrub(reason, MAX_REASON)))
            case {
                "kind": "profile",
                "function": str(name),
                "cost_s": float(cost_s),
                "calls": int(number),
                "importing": bool(importing),
            } if 0 <= cost_s < MAX_SECONDS and 0 <= number <= MAX_COUNT:
                profiles.append(FunctionProfile(scrub(name, MAX_REASON), cost_s, number, importing))
            case {"kind": "memory"} as record if (profile := _memory(record)) is not None:
                memory.append(profile)
            case {"kind": "scaled"} as record if (size := _size(record)) is not None:
                sizes.append(size)
            case {"kind": "line", "line": int(line), "hits": int(hits), "time_s": float(time_s)} if (
                0 < line <= MAX_COUNT and 0 < hits <= MAX_COUNT and 0 <= time_s < MAX_SECONDS
            ):
                lines.append(FoundLine(line, hits, time_s))
            case {"kind": "surveyed"} as record if (function := _surveyed(record)) is not None:
                surveyed.append(function)
            case {"kind": "suite"} as record if (told_suite := _suite(record)) is not None:
                suite = told_suite
            case {"kind": "assumption"} as record if (assumption := _assumption(record)) is not None:
                assumptions.append(assumption)
            case {"kind": "suggested", "text": str(text)} if text.isprintable() and len(text) <= MAX_TEXT:
                suggested.append(text)
            case {"kind": "parameter", "name": str(name), "varied": bool(varied)} if name.isidentifier():
                parameters.append((scrub(name, MAX_DESCRIPTION), varied))
            case {"kind": "told", "body": dict(body)}:
                told.append(body)
            case {"kind": "done", "calls": int(number)} if 0 <= number <= MAX_COUNT:
                count, finished = max(count, number), True
            case _:
                damaged += 1
    damaged += finished and rest > 0  # a job that was cut off may well leave half a frame
    return Answer(
        tuple(calls),
        tuple(skipped),
        tuple(failures),
        tuple(profiles),
        tuple(memory),
        max((count, *(call.number for call in calls))),
        finished,
        damaged,
        tuple(sizes),
        tuple(lines),
        tuple(surveyed),
        suite,
        tuple(assumptions),
        tuple(parameters),
        tuple(suggested),
        tuple(told),
    )


def _suite(record: dict[str, Any]) -> Suite | None:
    match record:
        case {"passed": int(passed), "failing": [*failing], "complete": bool(complete)} if 0 <= passed <= MAX_COUNT:
            reasons = record.get("reasons", [])
            if not isinstance(reasons, list) or not all(isinstance(each, str) for each in (*failing, *reasons)):
                return None
            names, why = (tuple(scrub(each, MAX_REASON) for each in texts) for texts in (failing, reasons))
            return Suite(passed, names, complete, reasons=why)
    return None


def scrub(text: str, length: int) -> str:
    """One printable line of at most `length` characters."""
    line = visible("".join(" " if character.isspace() else character for character in text[: 2 * length])).strip()
    return line if len(line) <= length and len(text) <= 2 * length else line[: length - 1] + "…"


def last_lines(stderr: str, lines: int = 3) -> str:
    """The end of what a program wrote to stderr, as one line for a message; empty if it wrote nothing.

    The last error that it names comes first, if that stands before the end: unittest ends with its own summary.
    """
    unmarked = (_MARK_OF_PYTEST.sub("", line).strip() for line in stderr.splitlines())
    said = [line for line in unmarked if line.strip("^~ ")]  # what points at a column points at nothing in one line
    kept, errors = said[-lines:], [line for line in said if _ERROR.match(line)]
    if errors and errors[-1] not in kept:
        kept = [errors[-1], *kept[1:]]
    return scrub(" | ".join(kept), MAX_REASON)


def _assumption(record: dict[str, Any]) -> Assumption | None:
    match record:
        case {"expression": str(expression), "words": str(words), "held": int(held), "number": int(number)} if (
            0 <= held <= MAX_COUNT and 0 <= number <= MAX_COUNT
        ):
            is_plain = len(expression) <= MAX_REASON and expression.isprintable()
            by_hint = record.get("by_hint") is True
            return Assumption(expression, scrub(words, MAX_REASON), held, number, by_hint) if is_plain else None
    return None


def _frames(data: bytes) -> tuple[list[bytes], int]:
    """The payloads of the record frames (`sandbox/driver/host_channel.py`), and how many bytes are none."""
    payloads: list[bytes] = []
    position = 0
    while len(payloads) < MAX_RECORDS and data[position : position + 1] == _RECORD:
        start = position + _HEADER_BYTES
        end = start + int.from_bytes(data[position + 1 : start], "big")
        if start > len(data) or end > len(data):
            break
        payloads.append(data[start:end])
        position = end
    return payloads, len(data) - position


def _record(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except (ValueError, RecursionError):
        return None


def _memory(record: dict[str, Any]) -> MemoryProfile | None:
    match record:
        case {
            "function": str(name),
            "transient_bytes": int(transient),
            "kept_bytes": int(kept),
            "callees": [*callees],
        } if (
            0 <= transient <= MAX_COUNT
            and 0 <= kept <= MAX_COUNT
            and all(isinstance(callee, str) for callee in callees)
        ):
            names = tuple(scrub(callee, MAX_REASON) for callee in callees)
            return MemoryProfile(scrub(name, MAX_REASON), transient, kept, names)
    return None


def _surveyed(record: dict[str, Any]) -> SurveyedFunction | None:
    match record:
        case {
            "path": str(path),
            "function": str(name),
            "cost_s": float(cost_s),
            "repeated_s": float(repeated_s),
            "calls": int(calls),
            "origins": [*origins],
        } if (
            0 <= cost_s < MAX_SECONDS
            and 0 <= repeated_s < MAX_SECONDS
            and 0 <= calls <= MAX_COUNT
            and all(isinstance(origin, str) for origin in origins)
        ):
            told = tuple(scrub(origin, MAX_REASON) for origin in origins)
            return SurveyedFunction(path, scrub(name, MAX_REASON), cost_s, repeated_s, calls, told)
    return None


def _call(record: dict[str, Any]) -> FoundCall | None:
    match record:
        case {
            "blob": str(blob),
            "origin": str(origin),
            "description": str(description),
            "ended": "returned" | "raised" | "unknown" as ending,
            "number": int(number),
            "cpu_time_s": float(cpu_time_s),
        } if 0 <= cpu_time_s < MAX_SECONDS and len(blob) <= MAX_CALL_BYTES * 4 // 3 + 4 and 0 <= number <= MAX_COUNT:
            try:
                decoded = base64.b64decode(blob, validate=True)
            except (binascii.Error, ValueError):
                return None
            origin, description = scrub(origin, MAX_DESCRIPTION), scrub(description, MAX_DESCRIPTION)
            text = record.get("text", "")
            text = scrub(text, MAX_TEXT) if isinstance(text, str) else ""
            is_new, did = record.get("is_new") is True, _changed_copy(record.get("did"))
            return FoundCall(decoded, origin, description, ending, number, cpu_time_s, text, did=did, is_new=is_new)
    return None


def _changed_copy(record: object) -> ChangedCopy | None:
    match record:
        case {
            "returned": str() | None as returned,
            "has_changed": bool() | None as has_changed,
            "copy": str(copy),
            "is_same": bool(is_same),
        }:
            return ChangedCopy(returned, has_changed, copy, is_same)
        case _:
            return None


def _with_use(call: FoundCall, number: int, taken: int | None) -> FoundCall:
    return replace(call, taken=taken) if call.number == number else call


def _size(record: dict[str, Any]) -> FoundSize | None:
    match record:
        case {"base": int(base), "size": int(size), "factor": float(factor), "scaled": str(scaled)} if (
            0 <= base < MAX_RECORDS and 0 < size <= MAX_COUNT and 0 < factor <= MAX_COUNT
        ):
            call = _call({"ended": "returned", "origin": "scaled", "number": base, **record})
            return FoundSize(call, base, size, factor, scrub(scaled, MAX_DESCRIPTION)) if call is not None else None
    return None
