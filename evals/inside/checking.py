"""Frames of checker programs: `checker INPUT OUTPUT ANSWER`, exit code 0 for right, 1 for wrong, 3 for a broken rule.

A rule may be the dataset's code, and what it looks at comes from a solution, which may be made to make it fail: that
is a wrong answer. So a rule runs in a child, which may crash or never end, within this checker's own limits.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from typing import TYPE_CHECKING

from .values import decode

if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = Callable[..., object]
    Read = Callable[[bytes], object]

RIGHT, WRONG, BROKEN = 0, 1, 3
_MOST_BYTES = 768 * 1024 * 1024  # of address space; below the sandbox's limit, which would say nothing of the output
_MOST_SECONDS = 10.0
_POLL_S = 0.002


def judge(make_rule: Callable[[], Rule], *, texts: bool = False, most_seconds: float = _MOST_SECONDS) -> None:
    """Judge by what `make_rule()` returns: a function of INPUT, OUTPUT and ANSWER that says what is wrong, or None.

    It is given values (`values.py`), or, with `texts`, what the files hold.
    """
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        # The verdict goes through a pipe: an exit code of 0 is too easily come by.
        os.write(tell, bytes([_judged(make_rule, _text if texts else decode, _text if texts else _one_line)]))
        os._exit(0)
    os.close(tell)
    os.set_blocking(told, False)  # what the child leaves running may hold the other end
    deadline = time.monotonic() + most_seconds
    while time.monotonic() < deadline:
        ended, _ = os.waitpid(child, os.WNOHANG)
        if ended:
            sys.exit(_verdict(told))
        time.sleep(_POLL_S)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _say("the check did not end on this output")
    sys.exit(WRONG)


def _verdict(told: int) -> int:
    """What the child has written."""
    try:
        verdict = os.read(told, 2)
    except BlockingIOError:
        verdict = b""
    if len(verdict) == 1 and verdict[0] in (RIGHT, WRONG, BROKEN):
        return verdict[0]
    _say("the check crashed on this output")
    return WRONG


def _judged(make_rule: Callable[[], Rule], read: Read, read_output: Read) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    try:
        rule = make_rule()
        given, printed, expected = (open(path, "rb").read() for path in sys.argv[1:4])  # noqa: PTH123, SIM115 - the child ends at once
        answer = read(expected)
        asked = read(given)
    except BaseException as error:  # noqa: BLE001 - the dataset's code may raise anything
        _say("the rule is broken: " + _named(error))
        return BROKEN
    try:
        output = read_output(printed)
    except BaseException as error:  # noqa: BLE001 - what a solution's process printed may be anything
        _say("the output is no answer: " + _named(error))
        return WRONG
    try:
        wrong = rule(asked, output, answer)
    except BaseException as error:  # noqa: BLE001 - likewise
        wrong = "the check failed on this output: " + _named(error)
    if wrong is None:
        return RIGHT
    _say(str(wrong))
    return WRONG


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _one_line(printed: bytes) -> object:
    if printed.count(b"\n") != 1 or not printed.endswith(b"\n"):
        raise ValueError("it is not one line")
    return decode(printed)


def _named(error: BaseException) -> str:
    return type(error).__name__ + ": " + str(error)[:200]


def _say(text: str) -> None:
    os.write(2, text.replace("\n", " ").encode("utf-8", "replace") + b"\n")
