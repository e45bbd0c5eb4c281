"""COFFE's tests: inputs that are Python expressions, and answers by the reference solution."""

from __future__ import annotations

import json
import math
import random
import signal
import string
import sys
from copy import deepcopy
from typing import Any

from .calling import called, kept_stdout, loaded, print_line
from .same import is_alike
from .values import encode

_CPU_SECONDS = 15.0  # for one test; not of wall time, which a busy machine stretches
_MOST_CHARACTERS = 8 * 1024 * 1024  # of a test; some expressions make a hundred megabytes


def make_tests(code: str, entry: str) -> None:
    """Print for each test from stdin the text of its input, that of its answer, and what is wrong with it, if anything.

    A test is its arguments as JSON with the answer that is expected, or the arguments as an expression and None. An
    answer that is expected is told as the reference gives it, with tuples where it has tuples, if both are alike.
    """
    tests = json.loads(sys.stdin.buffer.read())
    result = kept_stdout()
    solution = called(loaded(code, ""), entry)
    signal.signal(signal.SIGPROF, _too_long)
    print_line(result, json.dumps([_made(solution, number, *test) for number, test in enumerate(tests)]))


def _made(solution: Any, seed: int, given: Any, expected: Any) -> list[str]:
    random.seed(seed)
    text = ""
    signal.setitimer(signal.ITIMER_PROF, _CPU_SECONDS)
    try:
        if expected is None:
            given = eval(str(given), {"math": math, "random": random, "string": string})  # noqa: S307 - in the sandbox
        text = encode(given)
        if len(text) > _MOST_CHARACTERS:
            return ["", "", "its input has " + str(len(text)) + " characters"]
        answer = solution(*deepcopy(given))
    except Exception as error:  # noqa: BLE001 - the dataset's code may raise anything
        wrong = "the reference fails: " + type(error).__name__ + ": " + str(error)[:100]
        return [text, "" if expected is None else encode(expected[0]), wrong]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if expected is None or is_alike(answer, expected[0]):
        return [text, encode(answer), ""]
    return [text, encode(expected[0]), "the reference gives another answer"]


def _too_long(*_signal: object) -> None:
    raise TimeoutError("it used more than " + str(_CPU_SECONDS) + " s")
