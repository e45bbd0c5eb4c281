"""What is refused for its text or for what it leaves behind, and that nothing honest is."""

import pytest

from afterburner.agent.judge.caches import kept_between_calls
from afterburner.agent.judge.gates import judge_complaints, read_rewrite, refusal

ORIGINAL = """\
import functools
import math
import os
import random
import time


def total(values):
    return math.fsum(values)


if __name__ == "__main__":
    started = time.perf_counter()
    print(total([1.0]), os.environ.get("HOME"), time.perf_counter() - started)
"""


def rewritten(body: str, before: str = "", original: str = ORIGINAL) -> str:
    """The original with other code in the function, and with definitions in front of it."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    start, end = original.index("def total"), original.index("\n\n\nif __name__")
    return original[:start] + before + "def total(values):\n" + lines + original[end:]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("caller", "import sys as machine\nlook = machine._getframe\nreturn look(1)"),
        ("caller", "return getattr(__import__('s' + 'ys'), '_get' 'frame')(1)"),
        ("caller", "import operator\nreturn operator.attrgetter('f_back')(values)"),
        ("clock", "return time.process_time()"),  # the original's own use is no part of its calls
        ("harness", "return os.environ"),
        ("harness", "known = [time]\nreturn known[0].process_time()"),
        ("harness", "return total.__globals__"),
        ("harness", "return str(values) + '/proc/self/maps'"),
        ("exit", "return random._os._exit(0)"),
        ("patch", "time.perf_counter = total"),
        ("patch", "setattr(time, 'perf_' + 'counter', total)"),
        ("patch", "vars(time)['perf_counter'] = total"),
        ("patch", "clock = time\nclock.__dict__['perf_counter'] = total"),
        ("patch", "from helper import KNOWN\nKNOWN[len(values)] = 1"),
        ("patch", "def clear():\n    del math.pi\nreturn clear()"),
        ("text", "return getattr(math, values)(1)"),
        ("text", "return eval('1 + 1')"),
        ("text", "import importlib\nreturn importlib.import_module(values)"),
        ("imports", "import importlib\nreturn importlib.import_module('numpy').sum(values)"),
        ("imports", "from importlib import import_module as get\nreturn get('numpy').sum(values)"),
        ("imports", "return __import__('numpy').sum(values)"),
        ("imports", "get = __import__\nreturn get('numpy').sum(values)"),
        ("imports", "import builtins\nreturn getattr(builtins, '__import__')('numpy').sum(values)"),
        ("imports", "import inspect\nreturn inspect.importlib.import_module('numpy').sum(values)"),
        ("imports", "import pkgutil\nreturn pkgutil.resolve_name('numpy').sum(values)"),
        ("imports", "import pydoc\nreturn pydoc.locate('numpy').sum(values)"),
        ("imports", "import pickle\nreturn pickle.loads(b'cnumpy\\nsum\\n.')(values)"),
        ("files", "from pathlib import Path\nreturn Path(values).read_text()"),
        ("processes", "import concurrent.futures as pools\nreturn pools.ProcessPoolExecutor(2)"),
        ("later", "class Late:\n    def __del__(self):\n        pass\nreturn Late()"),
        ("files", "known = [open for open in ()]\nreturn open(values).read()"),
        ("files", "return [line for input in open(values) for line in input]"),
        ("files", "return [open(path).read() for path in values]"),
        ("files", "return [line for path in values for line in open(path)]"),
        ("files", "return {open: [open(path) for path in values] for open in open(values)}"),
        ("files", "return (lambda open: 1)(2), open(values).read()"),
        ("files", "return (lambda path, read=open: read(path))(values)"),
        ("files", "return (lambda read=open(values): read)()"),
        ("files", "return [0 for _ in values if (known := open(values))]"),
        ("files", "def late(path: open('/tmp/x')):\n    return path\nreturn late(values)"),
        ("exit", "def late(path) -> random._os._exit(0):\n    return path\nreturn late(values)"),
        ("exit", "return [random._os._exit(0) for random in [random]]"),
        ("exit", "return (lambda random: random._os._exit(0))(random)"),
        ("exit", "return (lambda *, random: random._os._exit(0))(random=random)"),
        ("exit", "return (lambda random=random: random._os._exit(0))()"),
        ("clock", "return [globals()['time'].process_time() for time in values]"),
        ("clock", "return [time for time in values], time.process_time()"),
        ("clock", "return (lambda: [known := 0 for time in values] and time.process_time())()"),
        ("patch", "return [0 for time.perf_counter in [total]]"),
        ("patch", "return [0 for vars(time)['perf_counter'] in [total]]"),
        ("harness", "return [known for known in [time]][0].process_time()"),
    ],
)
def test_what_no_honest_rewrite_needs_is_refused(kind: str, body: str) -> None:
    assert [finding.kind for finding in read_rewrite(ORIGINAL, rewritten(body))][:1] == [kind]


@pytest.mark.parametrize(
    "body",
    [
        "known = frozenset(values)\nreturn sum(known)",
        "import sys\nsys.exit(len(values))",
        "import re\nreturn re.compile('x').findall(values)",
        "from concurrent.futures import ThreadPoolExecutor as Pool\nwith Pool() as pool:\n    return pool",
        "import numpy as np\nsums = np.zeros(len(values))\nsums[0] = 1\nreturn np.select([sums > 0], [sums])",
        "from decimal import localcontext\nwith localcontext() as context:\n    context.prec = 50\nreturn values",
        "def late(time):\n    return time.hour, time.time()\nreturn late(values)",
        "path = values.path\npath[0] = getattr(values, values.name)\nreturn path",
        "class Slotted:\n    __slots__ = ('value',)\n\n    def __lt__(self, other):\n        return 1\nreturn Slotted",
        "return [input.strip() for input in values]",
        "return {time * value for time, value in values if time}",
        "return {open: [time.hour for time in open] for open in values}",
        "return sum(os.size for time in values for os in time.rows)",
        "return [open(path) for open in values for path in open.paths]",
        "return sorted(values, key=lambda time: (time.hour, time)), max(values, key=lambda *open: open[0])",
        "def first(rows: list[tuple[int, 'os.PathLike']]) -> os.PathLike:\n    return rows[0]\nreturn first(values)",
        "try:\n    return values[0]\nexcept IndexError as time:\n    return time, time.args",
        "match values:\n    case [time, *os]:\n        return time, os, os.getpid()",
        "match values:\n    case {1: str() as open, **input}:\n        return open(input), input",
        "known = [input := value for value in values]\nreturn input.strip()",
        '"""Docstrings may speak of /proc and of __globals__."""\nreturn os.path.join("a", "b"), os.cpu_count()',
    ],
)
def test_what_an_honest_rewrite_may_need_is_left_to_the_other_gates(body: str) -> None:
    assert refusal(ORIGINAL, rewritten(body)) is None


@pytest.mark.parametrize(
    "before",
    [
        "known = [open := 1 for _ in ()]\n\n\n",
        "try:\n    pass\nexcept ValueError as open:\n    pass\n\n\n",
        "match 1:\n    case str() as open:\n        pass\n\n\n",
        "known = [open for open in ()]\n\n\n",
        "for open in ():\n    pass\n\n\n",
        "if __name__ == 'nobody':\n    open = None\n\n\n",
        "def open(path):\n    return path\n\n\ndel open\n\n\n",
    ],
)
def test_a_name_that_a_module_binds_in_passing_hides_no_builtin(before: str) -> None:
    """Whether it is bound when the function is called cannot be read."""
    assert "opens or looks at files" in str(refusal(ORIGINAL, rewritten("return open(values).read()", before)))


def test_what_the_original_does_its_rewrite_may_do_too() -> None:
    """In the same family: who opens a file may look whether it is there; but not by the name of something else."""
    original = ORIGINAL.replace("    return math.fsum(values)", "    return open(values).read(), os.getpid()")
    may = rewritten("return open(values).read() if os.path.exists(values) else os.getpid()", original=original)
    assert refusal(original, may) is None
    may_not = rewritten("return open(values).read(), os.getpid(), os.getppid()", original=original)
    assert "os.getppid" in str(refusal(original, may_not))


def test_only_the_changed_method_of_a_class_is_read() -> None:
    original = (
        "import os\n\n\nclass Box:\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n"
    )
    dirty = original.replace("return 1", "return os.fork()")
    assert refusal(dirty, dirty.replace("return 2", "return 1 + 1")) is None
    assert "line 9" in str(refusal(original, original.replace("return 2", "return os.fork()")))


def test_a_text_that_is_no_python_is_not_judged_here() -> None:
    assert read_rewrite(ORIGINAL, "def total(:") == ()


def test_code_that_only_its_encoding_shows_is_refused() -> None:
    """To whoever reads the text it is a comment; Python decodes the line's end, and runs the rest."""
    hidden = "# coding: raw_unicode_escape\n#\\u000aimport os; os.fork()\nprint(input())\n"
    (finding,) = read_rewrite("print(input())\n", hidden)
    assert "reads another text" in finding.reason


@pytest.mark.parametrize(
    "head",
    ["# coding: latin-1\n# é\n", "# coding: utf-8\n# é€\n", "\ufeff# é€\n", "# coding: utf-7\n# +AAo-\n", "# €\r\n"],
)
def test_other_encodings_are_read_as_they_are_written(head: str) -> None:
    assert read_rewrite("print(input())\n", f"{head}print(input())\n") == ()


def test_complaints_count_only_where_the_original_has_none_of_the_kind() -> None:
    original = ["files: 2 more in /tmp", "recursion limit: changed from 1000 to 5000", "processes"]
    assert judge_complaints(original, original) is None
    assert judge_complaints(original, ["files: /tmp/a, /tmp/b", "processes"]) is None
    assert judge_complaints(original, ["files: /tmp/a, /tmp/b, /tmp/c"]) == (
        "it leaves files behind (/tmp/a, /tmp/b, /tmp/c)"
    )
    assert "recursion limit" in str(judge_complaints(original, ["recursion limit: changed from 1000 to 9000"]))
    assert judge_complaints([], ["patched: time.time"]) == "it replaces functions of other modules (time.time)"
    assert judge_complaints([], ["something new: 1"]) == "it leaves something changed: something new (1)"


@pytest.mark.parametrize(
    ("before", "body", "kept"),
    [
        ("@functools.lru_cache\ndef _total(values):\n    return 1\n\n", "return _total(values)", "lru_cache on _total"),
        ("_known = {}\n\n", "_known[1] = values\nreturn 1", "the module's _known"),
        ("_known = []\n\n", "_known.append(values)\nreturn 1", "the module's _known"),
        ("_last = None\n\n", "global _last\n_last = values\nreturn 1", "the module's _last"),
        ("", "total.known = values\nreturn 1", "the module's total"),
        ("def _add(value, known=[]):\n    known.append(value)\n\n", "_add(values)", "the default of known in _add"),
    ],
)
def test_what_lives_across_calls_is_named(before: str, body: str, kept: str) -> None:
    assert kept_between_calls(ORIGINAL, rewritten(body, before)) == (kept,)


def test_what_lives_as_long_as_a_call_is_no_cache() -> None:
    body = "known = {}\nknown[1] = values\n\n@functools.lru_cache\ndef ways(number):\n    return number\nreturn ways(1)"
    assert kept_between_calls(ORIGINAL, rewritten(body)) == ()
