"""Gates that a rewrite has to pass beside the tests and the clock: no gain by means that a maintainer would not accept.

Three look at different things: `read_rewrite` at its text, before it is run; `judge_complaints` at what the process
looked like when its calls were over; `circumstances` at whether it does the same in other circumstances.
"""

from __future__ import annotations

import ast
import re
import tokenize
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.judge.gate_rules import objection
from afterburner.agent.judge.world_uses import changed_statements, uses_of, without_main
from afterburner.sandbox.launch import encoded_source

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"\b\d+\b")
_WORDS = {
    "patched": "it replaces functions of other modules",
    "stored": "it keeps something in another module",
    "environment": "it changes environment variables",
    "files": "it leaves files behind",
    "threads": "it leaves threads running",
    "processes": "it leaves processes running, or does not wait for them",
    "descriptors": "it leaves files or pipes open",
    "exit handlers": "it leaves work for the end of the process",
    "imports": "it changes how modules are found",
    "tracing": "it leaves tracing or profiling switched on",
    "garbage collection": "it leaves the garbage collector changed",
    "recursion limit": "it leaves the recursion limit changed",
    "signal handlers": "it leaves signal handlers behind",
    "timers": "it leaves timers running",
    "working directory": "it leaves the working directory changed",
}
LEFT_BEHIND = tuple(_WORDS.values())
_COUNTED = frozenset(("files", "threads", "processes", "descriptors", "exit handlers"))
_MAX_DETAIL = 120


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a rewrite does and that no honest one has to. `line` is of the rewritten file."""

    kind: str  # of `gate_rules.RULES`, or "patch"
    what: str  # "sys._getframe"
    line: int
    reason: str  # one sentence for the user


_UNREADABLE = Finding("text", "", 1, "it is nested too deeply, or has numbers too long, for its text to be checked")
_READ_OTHERWISE = Finding("text", "", 1, "it declares an encoding in which Python reads another text than this one")


def read_rewrite(original: str, rewrite: str) -> tuple[Finding, ...]:
    """What the new code does that is refused without running it, in the order of its lines.

    What the original does as well (outside `if __name__ == "__main__"`) may stay.

    Args:
        original: the text of the user's file.
        rewrite: the text of the same file with the rewrite in place.

    Returns:
        Nothing for code that cannot be parsed: the sandbox says so. What only our reading of it fails on is refused,
        for the user's Python may well run it.
    """
    try:
        before, after = ast.parse(original), ast.parse(rewrite)
    except (SyntaxError, ValueError):
        return ()
    except (RecursionError, MemoryError):
        return (_UNREADABLE,)
    if not _is_read_as_written(rewrite):
        return (_READ_OTHERWISE,)
    try:
        return _findings(before, after)
    except (RecursionError, MemoryError, ValueError):
        return (_UNREADABLE,)


def _is_read_as_written(source: str) -> bool:
    """Whether Python reads from the file the text that is checked here: `# coding: raw_unicode_escape` hides code."""
    content = encoded_source(source)
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
        return content.decode(encoding, "surrogatepass").removeprefix("\ufeff") == source.removeprefix("\ufeff")
    except (SyntaxError, UnicodeError, LookupError):
        return True  # Python does not read it at all


def _findings(before: ast.Module, after: ast.Module) -> tuple[Finding, ...]:
    known = uses_of(without_main(before), before)
    names = {(use.name, use.way) for use in known}
    found: dict[str, Finding] = {}
    for use in uses_of(changed_statements(before, after), after):
        if (use.name, use.way) in names:
            continue
        said = objection(use, known)
        if said is not None:
            kind, reason = said
            finding = Finding(kind, use.name, use.line, f"it {reason} ({use.name}, line {use.line})")
            found.setdefault(kind, finding)
    return tuple(sorted(found.values(), key=lambda finding: finding.line))


def refusal(original: str, rewrite: str, language: str = PYTHON) -> str | None:
    """Why a rewrite is refused for its text, in one sentence; None if it is not. Only Python's text is read."""
    if language != PYTHON:
        return None
    found = read_rewrite(original, rewrite)
    return found[0].reason if found else None


def judge_complaints(original: Sequence[str], candidate: Sequence[str]) -> str | None:
    """Why a rewrite is refused for what it left in its process, in one sentence; None if it is not.

    Args:
        original: what `process_watch.Watch` found when the original made the same calls. All of it is permitted.
        candidate: what it complained about after the rewrite's calls.
    """
    permitted = {_kind(each): _amount(each) for each in original}
    known = set(original)
    for complaint in candidate:
        kind = _kind(complaint)
        if complaint in known or (kind in _COUNTED and _amount(complaint) <= permitted.get(kind, 0)):
            continue
        _, _, detail = complaint.partition(": ")
        reason = _WORDS.get(kind, f"it leaves something changed: {kind}")
        return f"{reason} ({detail[:_MAX_DETAIL]})" if detail else reason
    return None


def _kind(complaint: str) -> str:
    return complaint.partition(":")[0]


def _amount(complaint: str) -> int:
    """How many there are: the number in the complaint, else the names that it lists."""
    _, _, detail = complaint.partition(": ")
    number = _NUMBER.search(detail)
    if number is not None and number.start() == 0:
        return int(number[0])
    return detail.count(",") + 1
