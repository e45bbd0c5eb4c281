"""Answers of COFFE's tests, by the reference solution."""

from __future__ import annotations

import json
import signal
import sys
from typing import Any

from .calling import arguments_of, called, kept_stdout, loaded, print_line
from .same import is_alike
from .values import encode

_CPU_SECONDS = 15.0  # for one test; not of wall time, which a busy machine stretches
_MOST_CHARACTERS = 8 * 1024 * 1024  # of an answer


def make_answers(code: str, preamble: str, entry: str) -> None:
    """Print for each test from stdin the text of its answer, and what is wrong with it, if anything.

    A test is the text of its arguments with the answer that is expected in a list, or with None. An answer that is
    expected is told as the reference gives it, with tuples where it has tuples, if both are alike.
    """
    tests = json.loads(sys.stdin.buffer.read())
    result = kept_stdout()
    solution = called(loaded(code, preamble), entry)
    signal.signal(signal.SIGPROF, _too_long)
    print_line(result, json.dumps([_answered(solution, *test) for test in tests]))


def _answered(solution: Any, given: str, expected: list[object] | None) -> list[str]:
    stated = "" if expected is None else encode(expected[0])
    signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
    try:
        answer = solution(*arguments_of(given))
    except Exception as error:  # noqa: BLE001 - the dataset's code may raise anything
        return [stated, "the reference fails: " + type(error).__name__ + ": " + str(error)[:100]]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if expected is not None and not is_alike(answer, expected[0]):
        return [stated, "the reference gives another answer"]
    text = encode(answer)
    if len(text) > _MOST_CHARACTERS:
        return ["", "its answer has " + str(len(text)) + " characters"]
    return [text, ""]


def _too_long(*_signal: object) -> None:
    raise TimeoutError("it used more than " + str(_CPU_SECONDS) + " s")
