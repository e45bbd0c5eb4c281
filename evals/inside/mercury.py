"""Mercury's grader: the conversion of inputs beside the solution, the evaluation in a process of the checker's own.

As in Mercury's own, one instance of the solution's class makes all calls of a process.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .calling import kept_stdout, loaded, print_line, run
from .checking import judge
from .leetcode_arrays import as_module
from .values import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    Accepts = Callable[[Any, Any, Any, Any], bool]

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


def check(convert: str, evaluate: str, only_true: bool, inputs_after: bool) -> None:
    """Judge by `evaluate_offline(inputs, outputs, expected)` of a record, which has to accept every case.

    With `only_true`, it has to say True, rather than anything that counts as true. With `inputs_after`, it sees the
    inputs as the solution left them; otherwise as they were before.
    """

    def make_rule() -> Any:
        names = _namespace(convert + "\n" + evaluate)
        accepts = _accepts(names, only_true, inputs_after)
        return lambda given, output, answer: _wrong(accepts, given, output, answer)

    judge(make_rule)


def _accepts(names: dict[str, Any], only_true: bool, inputs_after: bool) -> Accepts:
    """The rule for one case: its inputs, what the call returned, the inputs after it, and what is expected."""

    def accepts(inputs: Any, returned: Any, after: Any, expected: Any) -> bool:
        before, converted = names["convert_offline"]((inputs, expected))
        found = names["evaluate_offline"](after if inputs_after else before, returned, converted)
        return found is True if only_true else bool(found)

    return accepts


def _wrong(accepts: Accepts, given: Any, output: Any, answer: Any) -> str | None:
    if not isinstance(output, list) or len(output) != len(given):
        return "there is not one answer for each test case"
    for number, (inputs, (returned, after), expected) in enumerate(zip(given, output, answer), start=1):
        if not accepts(inputs, returned, after, expected):
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
