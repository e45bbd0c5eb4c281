"""What graders run before a solution: the imports that starter code relies on, as each benchmark's grader has them."""

from __future__ import annotations

_WHOLE = (
    *(
        "string",
        "re",
        "datetime",
        "collections",
        "heapq",
        "bisect",
        "copy",
        "math",
        "random",
        "statistics",
        "itertools",
    ),
    *("functools", "operator", "io", "sys", "json"),
)
_RECURSION = "import sys\nsys.setrecursionlimit(50000)\n"

LIVECODEBENCH = (
    "".join(f"from {name} import *\n" for name in (*_WHOLE, "builtins", "typing"))
    + "".join(f"import {name}\n" for name in _WHOLE)
    + _RECURSION
)

_LEETCODE = """\
import io, re, itertools, collections, heapq, bisect, string, sys, functools, math, copy
from math import floor, ceil, factorial, sqrt, inf
from sys import maxsize, stdin
from bisect import bisect_left, bisect_right
from itertools import permutations, zip_longest
from heapq import heappush, heappop, heapify
from collections import deque, defaultdict, OrderedDict
from typing import List, Optional, Tuple
from functools import lru_cache, cache
"""
VENUS = _LEETCODE

# APPS has NumPy as `np`, too, which would take as long to import as most of its tests take. It was made on a Python
# that had no limit for the digits of an integer.
APPS = """\
import sys, time, itertools, collections, math, fractions, random, heapq
from itertools import accumulate, product, permutations, combinations
from collections import Counter, OrderedDict, deque, defaultdict, ChainMap
from functools import lru_cache
from math import sqrt, sin, cos, tan, ceil, fabs, floor, gcd, exp, log, log2
from typing import List, Tuple
from heapq import *
getattr(sys, "set_int_max_str_digits", int)(0)
"""

_NODES = """\
class ListNode:
    def __init__(self, val=0, next=None):
        self.val, self.next = val, next
class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val, self.left, self.right = val, left, right
"""
EFFIBENCH = LIVECODEBENCH + _NODES

EFFIBENCH_X = {
    "python": _LEETCODE
    + """\
import json, pickle, random, operator
from re import match, search, sub, split, findall, finditer
from json import loads
from math import isqrt, log2, log10, sin, cos, tan, pi, e, comb, perm, gcd, lcm
from heapq import heappushpop, nlargest, nsmallest
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits, whitespace, punctuation, hexdigits
from itertools import combinations, product, groupby, chain, accumulate
from functools import reduce
from collections import Counter
from typing import Set, Dict
try:
    import sortedcontainers
    from sortedcontainers import SortedList, SortedDict, SortedSet
except ImportError:
    pass
""",
    "cpp": "#include <bits/stdc++.h>\nusing namespace std;\n",
    "java": "".join(
        f"import java.{name}.*;\n" for name in ("io", "math", "text", "util", "util.stream", "util.function")
    ),
    "javascript": "",
    "ruby": "".join(f"require '{name}'\n" for name in ("set", "date", "time", "stringio", "bigdecimal", "json")),
    "go": "",
}
