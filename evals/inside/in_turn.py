"""Calls a solution for several tests in one process, as graders of LeetCode problems do."""

from __future__ import annotations

import signal
import sys

from .calling import kept_stdout, loaded, print_line
from .values import decode, encode


def answer(code: str, preamble: str, entry: str, seconds: int) -> None:
    """Call a function for each list of arguments from stdin, and print what it returned as one line.

    Where the solution says `class Solution`, the function is a method of one instance, which makes all calls. One call
    that takes longer than the seconds ends it.
    """
    tests = decode(sys.stdin.buffer.read())
    result = kept_stdout()
    names = loaded(code, preamble)
    called = _called(names, entry) if "class Solution" in code else names[entry]
    signal.signal(signal.SIGALRM, _too_long)
    returned = []
    for arguments in tests:
        signal.alarm(seconds)
        value = called(*arguments)  # type: ignore[operator]
        signal.alarm(0)
        returned.append(plain(list(value) if isinstance(value, tuple) else value))
    print_line(result, encode(returned))


def _called(names: dict[str, object], entry: str) -> object:
    """A method of the one instance."""
    return getattr(names["Solution"](), entry)  # type: ignore[operator]


def plain(value: object) -> object:
    """The same with NumPy's scalars as the numbers that they equal, wherever they are in lists, tuples and dicts."""
    if "numpy" not in sys.modules:
        return value
    if type(value) in (list, tuple):
        return type(value)(map(plain, value))  # type: ignore[call-arg,call-overload]
    if type(value) is dict:
        return {plain(key): plain(each) for key, each in value.items()}
    if type(value).__module__ == "numpy" and getattr(value, "ndim", None) == 0:
        return value.item()  # type: ignore[attr-defined]
    return value


def _too_long(*_signal: object) -> None:
    raise TimeoutError("a test took longer than it may")
