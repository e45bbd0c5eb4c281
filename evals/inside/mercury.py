"""Mercury's grader: the conversion of inputs beside the solution, the evaluation in a process of the checker's own.

As in Mercury's own, one instance of the solution's class makes all calls of a process.
"""

from __future__ import annotations

import sys
from typing import Any

from .calling import kept_stdout, loaded, print_line, run
from .checking import judge
from .leetcode_arrays import as_module
from .values import decode, encode

PREAMBLE = """
import re, itertools, collections, heapq, bisect, string, sys, lctk, functools, math, copy
try:
    import sortedcontainers
except ImportError:
    pass
from math import floor, ceil, factorial, sqrt, inf
from sys import maxsize, stdin
from bisect import bisect_left, bisect_right
from itertools import permutations, zip_longest
from heapq import heappush, heappop, heapify
from collections import deque, defaultdict, OrderedDict
from typing import List, Optional, Tuple
from functools import lru_cache
try:
    from functools import cache
except ImportError:
    pass
def print(*args): pass
"""


def answer(code: str, convert: str, entry: str) -> None:
    """Call a method for all inputs from stdin, and print for each what it returns and the inputs after the call."""
    given = decode(sys.stdin.buffer.read())
    result = kept_stdout()
    names = _namespace(code)
    solution = names["Solution"]()
    run(convert, names, "convert_offline")
    made = []
    for inputs in given:
        converted = _converted(names, inputs)
        made.append((getattr(solution, entry)(*converted), list(converted)))
    print_line(result, encode(made))


def check(convert: str, evaluate: str, only_true: bool) -> None:
    """Judge by `evaluate_offline(inputs, outputs, expected)` of a record, which has to accept every case.

    With `only_true`, it has to say True, rather than anything that counts as true.
    """

    def make_rule() -> Any:
        names = _namespace(convert + "\n" + evaluate)
        return lambda given, output, answer: _wrong(names, only_true, given, output, answer)

    judge(make_rule)


def _wrong(names: dict[str, Any], only_true: bool, given: Any, output: Any, answer: Any) -> str | None:
    if not isinstance(output, list) or len(output) != len(given):
        return "there is not one answer for each test case"
    for number, (inputs, (returned, after), expected) in enumerate(zip(given, output, answer), start=1):
        _, converted = names["convert_offline"]((inputs, expected))
        accepted = names["evaluate_offline"](after, returned, converted)
        if accepted is not True and (only_true or not accepted):
            return "test case " + str(number) + ": evaluate_offline refuses the output"
    return None


def _namespace(code: str) -> dict[str, Any]:
    sys.modules["lctk"] = as_module()
    return loaded(code, PREAMBLE)


def _converted(names: dict[str, Any], inputs: object) -> Any:
    """The inputs as the solution takes them; what is expected is not here, and most conversions leave it alone."""
    try:
        return names["convert_offline"]((inputs, None))[0]
    except (TypeError, AttributeError):
        return names["convert_offline"]((inputs, []))[0]
