"""Calls made by the driver inside the real sandbox: outcomes, state between calls, and programs that misbehave."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from calling import blob, outcome_of, shown, verdict_on

from afterburner.sandbox import CallCase, FunctionEntry, Limits, Program, Verdict
from afterburner.sandbox.differences import incomparable_reason, render_outcome

if TYPE_CHECKING:
    from calling import Call

    from afterburner.sandbox import Sandbox


def test_a_call_is_answered_with_its_outcome_and_its_times(call: Call) -> None:
    report = call("def f(n):\n    return sum(i * i for i in range(n))\n", blob(10), blob(n=300_000))
    assert shown(report) == ["returned 285", "returned 8999955000050000"]
    small, large = report.outcomes
    assert 0 <= small.cpu_time_s < large.cpu_time_s <= report.measurement.cpu_time_s
    assert 0 <= small.wall_time_s < large.wall_time_s <= report.measurement.wall_time_s
    alone = report.call_measurement
    assert alone is not None
    assert alone.cpu_time_s == pytest.approx(small.cpu_time_s + large.cpu_time_s)
    assert 0 < alone.peak_memory_kib <= report.measurement.peak_memory_kib
    assert 0 < alone.memory_integral_kib_s < report.measurement.memory_integral_kib_s
    assert report.stdout == b""


def test_what_iterators_inside_a_result_take_is_time_of_the_call(call: Call) -> None:
    source = """
        import time

        def slow(n):
            for each in range(n):
                time.sleep(0.02)
                yield each

        def f(n):
            return slow(n), slow(n)
    """
    [outcome] = call(source, blob(3)).outcomes
    assert outcome.wall_time_s >= 6 * 0.02


WRONG = [
    ("return [1, 2]", "return (1, 2)", "returned (1, 2) instead of [1, 2]"),
    ("return 3", "raise ValueError('x')", "raised ValueError('x') instead of returning 3"),
    ("raise KeyError('a')", "raise KeyError('b')", "raised KeyError('b') instead of KeyError('a')"),
    ("rows.append(1)", "return None", "left argument `rows` (1st) as [] instead of [1]"),
    ("print('a')", "print('b')", "printed 'b' instead of 'a'"),
    ("sys.stderr.write('a')", "sys.stderr.write('b')", "wrote to stderr 'b' instead of 'a'"),
    ("os.write(2, b'a')", "return None", "wrote to stderr 0 lines instead of 1"),
    ("logging.warning('a')", "logging.getLogger().handlers.clear()", "wrote to stderr 0 lines instead of 1"),
    ("warnings.warn('a')", "warnings.warn('b')", "wrote to stderr 'UserWarning: b' instead of 'UserWarning: a'"),
    ("return (r for r in [1])", "return [1]", "returned [1] instead of <generator of [1]>"),
    ("global seen; seen = 1", "return None", "left the global `seen` as 0 instead of 1"),
    ("return 0.1 + 0.2 + 0.3", "return 0.3 + 0.2 + 0.1", "returned 0.6 instead of 0.6000000000000001"),
    ("return {1: [1]}, 5", "return {1: [2]}, 5", "(first difference at [0][1][0])"),
    ("import sys; sys.exit(3)", "raise SystemExit(4)", "raised SystemExit(4) instead of SystemExit(3)"),
]


@pytest.mark.parametrize(("original", "rewrite", "detail"), WRONG)
def test_every_observable_difference_is_found_and_told(call: Call, original: str, rewrite: str, detail: str) -> None:
    whole = "import logging, os, sys, warnings\nseen = 0\ndef f(rows):\n    {}\n"
    blobs = (blob([], held={"seen": 0}),)
    verdict, told = verdict_on(call, whole.format(original), whole.format(rewrite), *blobs)
    assert verdict is Verdict.WRONG_ANSWER
    assert told.startswith("call 1 ")
    assert detail in told


def test_the_first_call_that_differs_is_named(call: Call) -> None:
    blobs = tuple(blob(n) for n in range(5))
    expected = outcome_of(call, "def f(n): return n", *blobs)
    report = call("def f(n): return n if n != 3 else -1", *blobs, expected=expected)
    assert (report.verdict, report.difference_at) == (Verdict.WRONG_ANSWER, 3)
    assert report.detail == "call 4 returned -1 instead of 3"


METHODS = """
    class Box:
        def __init__(self, n): self.n = n
        def plain(self, k): self.n += k; return self.n
        @staticmethod
        def static(k): return k
        @classmethod
        def made(cls, k): return cls(k)
        @property
        def double(self): return 2 * self.n
    class Sub(Box): pass
"""


def test_methods_of_every_kind_are_called_as_they_are_bound(call: Call) -> None:
    box = b"ctarget\nBox\n)\x81}\x8c\x01nK\x05sb"  # a pickle of Box with n = 5, as the sandbox writes it
    for qualname, data, result in [
        ("Box.plain", by_hand(box + b"K\x02"), "returned 7"),
        ("Sub.plain", by_hand(box + b"K\x02"), "returned 7"),
        ("Box.static", by_hand(b"K\x02"), "returned 2"),
        ("Box.made", by_hand(b"ctarget\nBox\nK\x02"), "returned Box(n=2)"),
        ("Box.double", by_hand(box), "returned 10"),
    ]:
        assert shown(call(METHODS, data, qualname=qualname)) == [result]
    verdict, detail = verdict_on(call, METHODS, METHODS.replace("@staticmethod", ""), blob(2), qualname="Box.static")
    assert (verdict, detail) == (Verdict.WRONG_ANSWER, "call 1 is of a method instead of a static method")


def by_hand(arguments: bytes) -> bytes:
    """A call's blob around the pickled arguments: classes of the target exist in the sandbox only."""
    return b"\x80\x04((" + arguments + b"t}})t."


def test_state_is_put_back_before_each_call(call: Call) -> None:
    source = """
        import random
        COUNT, ROWS = 0, [9]
        ALIAS = ROWS
        def f(step):
            global COUNT
            COUNT += step
            ROWS.append(step)
            return COUNT, ALIAS, random.random()
    """
    calls = blob(1, held={"COUNT": 5, "ROWS": [1]}), blob(2, held={"COUNT": 7, "ROWS": []})
    first, second = shown(call(source, *calls))
    assert first.startswith("returned (6, [1, 1], 0.")
    assert second.startswith("returned (9, [2], 0.")
    assert first.rpartition(" ")[2] == second.rpartition(" ")[2]  # the same random number
    report = call(source, *calls, passes=3)
    assert shown(report) == [first, second]


def test_an_argument_that_is_the_global_itself_stays_it(call: Call) -> None:
    rows: list[int] = []
    source = "ROWS = []\ndef f(rows):\n    rows.append(1)\n    return rows is ROWS\n"
    assert shown(call(source, blob(rows, held={"ROWS": rows}))) == ["returned True"]


def test_names_that_were_not_there_are_taken_away_again(call: Call) -> None:
    source = "def f():\n    global made\n    was = 'made' in globals()\n    made = 1\n    return was\n"
    calls = (blob(absent=("made",)),) * 2
    assert shown(call(source, *calls)) == ["returned False"] * 2
    verdict, detail = verdict_on(call, source, "def f(): return 'made' in globals()", *calls)
    assert verdict is Verdict.WRONG_ANSWER
    assert "the global `made`" in detail


MEMOS = {
    "module dictionary": "memo = {}\ndef f(n):\n    print(len(memo)); memo[len(memo)] = 1\n",
    "default argument": "def f(n, memo=[]):\n    print(len(memo)); memo.append(n)\n",
    "functools cache": ("import functools\n@functools.cache\ndef g(n): print('work')\ndef f(n): g(n)\n"),
    "cache in a closure": (
        "import functools\ndef make():\n    @functools.lru_cache\n    def inner(n): print('work')\n"
        "    return lambda n: inner(n)\ng = make()\ndef f(n): g(n)\n"
    ),
    "function attribute": "def f(n):\n    f.seen = getattr(f, 'seen', 0) + 1; print(f.seen)\n",
    "class attribute": (
        "class C:\n    memo = {}\n    last = None\ndef f(n):\n    print(C.last, C.memo); C.memo[n] = 1; C.last = n\n"
    ),
    "new global": "def f(n):\n    global last\n    print('last' in globals()); last = n\n",
    "object": (
        "class Memo:\n    def __init__(self): self.known = {}; self.asked = 0\nmemo = Memo()\n"
        "def f(n):\n    print(memo.asked, memo.known); memo.known[n] = 1; memo.asked += 1\n"
    ),
    "object with slots": (
        "class Memo:\n    __slots__ = ('known', 'last')\n    def __init__(self): self.known = []\nmemo = Memo()\n"
        "def f(n):\n    print(hasattr(memo, 'last'), memo.known); memo.known.append(n); memo.last = n\n"
    ),
    "kind of dictionary": (
        "class Memo(dict):\n    def __init__(self, size): self.size = size\n    def copy(self): raise TypeError\n"
        "memo = Memo(3)\ndef f(n):\n    print(len(memo), memo.size); memo[n] = 1; memo.size += 1\n"
    ),
    "variable of a closure": (
        "def make():\n    known = None\n    def get():\n        nonlocal known\n        was, known = known, 1\n"
        "        return was\n    return get\nget = make()\ndef f(n): print(get())\n"
    ),
    "global with underscores": "__memo__ = {}\ndef f(n):\n    print(__memo__); __memo__[n] = 1\n",
    "bound method": "held = []\nkeep = held.append\ndel held\ndef f(n):\n    keep(n); print(keep.__self__)\n",
    "namespace": (
        "from types import SimpleNamespace\nmemo = SimpleNamespace(last=0, known=[])\n"
        "def f(n):\n    print(memo); memo.last += n; memo.known.append(n)\n"
    ),
    "list of another kind": (
        "from collections import UserList\nmemo = UserList()\ndef f(n):\n    print(len(memo)); memo.append(n)\n"
    ),
    "partial": (
        "import functools\nkeep = functools.partial([].append)\ndef f(n):\n    print(keep.func.__self__); keep(n)\n"
    ),
    "nested list": "memo = {'a': [1]}\ndef f(n):\n    print(memo['a']); memo['a'].append(2)\n",
}


@pytest.mark.parametrize("source", MEMOS.values(), ids=MEMOS.keys())
def test_with_cold_caches_no_call_profits_from_an_earlier_one(call: Call, source: str) -> None:
    cold = shown(call(source, *(blob(1),) * 3, passes=2, cold=True))
    assert len(set(cold)) == 1
    warm = call(source, *(blob(1),) * 3)
    assert len({outcome.encoded for outcome in warm.outcomes}) > 1


@pytest.mark.parametrize(("work", "rounds"), [("pass", range(1, 17)), ("time.sleep(0.03)", range(1, 2))])
def test_a_warm_process_has_made_each_call_before_and_says_nothing_of_it(call: Call, work: str, rounds: range) -> None:
    """Short ones often: code that is not a loop is specialised only after some calls."""
    source = (
        "import functools, math, sys, time\ncalls = []\n"
        f"def f(n):\n    {work}\n    calls.append(n)\n    math.seen = getattr(math, 'seen', 0) + 1\n"
        "    print(n)\n    print(n, file=sys.stderr)\n    if n < 0:\n        raise ValueError(n)\n"
        "    return len(calls), math.seen\n"
    )
    first, second, *more = (
        call(source, blob(1), blob(-2), blob(3), cold=True, warm=warm) for warm in (False, True, True, True)
    )
    has_one_round = ["returned (1, 4)" in shown(each)[0] for each in (second, *more)]
    assert all(has_one_round) == (len(rounds) == 1), "on a machine that is busy, a short one may be made once as well"
    for report, made in ((first, range(1)), (second, rounds)):
        assert report.verdict is Verdict.ACCEPTED, report.detail
        told = shown(report)
        assert any(f"returned (1, {3 * each + 1})" in told[0] for each in made), told[0]
        assert "raised ValueError" in told[1]
        assert any(f"returned (1, {3 * each + 3})" in told[2] for each in made), told[2]
        assert len(report.outcomes) == 3
    assert second.stderr == first.stderr


def test_a_call_that_changes_when_it_is_made_again_is_told(call: Call) -> None:
    report = call("calls = []\ndef f(n):\n    calls.append(n)\n    return len(calls)\n", blob(1), passes=2)
    assert (report.verdict, report.difference_at) == (Verdict.WRONG_ANSWER, 0)
    assert "when it is repeated" in report.detail


def test_lazy_results_are_run_inside_the_measured_time(call: Call) -> None:
    work = "sum(i * i for i in range(400_000))"
    for source in (
        f"def f():\n    yield {work}\n",
        f"def f():\n    return map(lambda _: {work}, [0])\n",
        f"def f():\n    return [(lambda: (yield {work}))()]\n",
        f"async def f():\n    return {work}\n",
        f"async def f():\n    yield {work}\n",
    ):
        report = call(source, blob())
        assert report.verdict is Verdict.ACCEPTED, report.detail
        assert b"21333253333400000" in report.outcomes[0].encoded
        at_once = call(f"def f():\n    return {work}\n", blob())
        # Without its work it would take a thousandth.
        assert report.outcomes[0].cpu_time_s > at_once.outcomes[0].cpu_time_s / 50


def test_a_result_whose_class_cannot_be_hashed_is_a_result(call: Call) -> None:
    source = """
        class Meta(type):
            __hash__ = None
        class Thing(metaclass=Meta): pass
        def f(): return Thing()
    """
    assert shown(call(source, blob())) == ["returned Thing()"]


def test_an_endless_generator_is_cut_off(call: Call) -> None:
    assert "more" in shown(call("import itertools\ndef f():\n    return itertools.repeat(1)\n", blob()))[0]


def test_what_is_printed_past_python_is_heard_and_the_reply_stays_whole(call: Call) -> None:
    source = """
        import os, subprocess, sys
        def f():
            print("python")
            sys.stdout.flush()
            os.write(1, b"descriptor ")
            subprocess.run(["/bin/echo", "child"])
            return sys.stdin.read()
    """
    assert shown(call(source, blob(), blob())) == ["returned '', printed 'python\\ndescriptor child\\n'"] * 2


TOLD_ELSEWHERE = {
    "a warning": "import warnings\ndef f():\n    warnings.warn('old')\n",
    "a trace": """
        import traceback
        def f():
            try: 1 / 0
            except ZeroDivisionError: traceback.print_exc()
    """,
    "a log of an exception": """
        import logging
        def f():
            try: {}[1]
            except KeyError: logging.exception("no %s", 1)
    """,
    "an exception that nobody sees": """
        class C:
            def __del__(self): raise ValueError("x")
        def f(): C()
    """,
}


@pytest.mark.parametrize("source", TOLD_ELSEWHERE.values(), ids=TOLD_ELSEWHERE.keys())
def test_where_code_stands_is_no_part_of_what_it_writes_to_stderr(call: Call, source: str) -> None:
    (expected,) = outcome_of(call, source, blob())
    assert b"Warning" in expected or b"Error" in expected
    report = call("# moved\n\n" + textwrap.dedent(source), blob(), blob(), expected=(expected, expected))
    assert report.verdict is Verdict.ACCEPTED, report.detail
    assert report.stderr.count("old") in {0, 2}


def test_what_a_crash_has_to_say_reaches_the_report(call: Call) -> None:
    source = """
        import ctypes, sys
        def f(n):
            print("before", file=sys.stderr)
            if n: ctypes.string_at(0)
    """
    report = call(source, blob(0), blob(1))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert "SIGSEGV" in report.detail
    assert report.stderr.startswith("before\n")
    assert "Segmentation fault" in report.stderr
    assert "in f\n" in report.stderr
    assert "No such thing" in call("import sys; sys.exit('No such thing')", blob()).stderr


def test_threads_that_are_left_running_make_an_outcome_incomparable(call: Call) -> None:
    source = "import threading, time\ndef f():\n    threading.Thread(target=time.sleep, args=(9,)).start()\n"
    report = call(source, blob())
    assert "threads" in str(incomparable_reason(report.outcomes[0].encoded))
    expected = tuple(outcome.encoded for outcome in report.outcomes)
    again = call(source, blob(), expected=expected)
    assert again.verdict is Verdict.WRONG_ANSWER
    assert "cannot be compared" in again.detail


def test_stolen_clocks_change_nothing(call: Call) -> None:
    source = """
        import resource, time, sys
        for name in ("process_time_ns", "monotonic_ns", "process_time", "perf_counter", "clock_gettime_ns"):
            setattr(time, name, lambda *_: 0)
        resource.getrusage = None
        def f():
            return sum(i * i for i in range(400_000))
    """
    report = call(source, blob())
    assert shown(report) == ["returned 21333253333400000"]
    assert report.outcomes[0].cpu_time_s > 0
    assert report.outcomes[0].wall_time_s > 0


ENDS = {
    "does not compile": ("def f(:", Verdict.COMPILE_ERROR, "does not compile"),
    "cannot be imported": (
        "import nothing_of_this_name",
        Verdict.RUNTIME_ERROR,
        "cannot be imported: ModuleNotFoundError",
    ),
    "exits on import": ("raise SystemExit(0)", Verdict.RUNTIME_ERROR, "cannot be imported"),
    "has no such function": ("g = 1", Verdict.RUNTIME_ERROR, "module target has no function 'f'"),
    "is no function": ("f = 1", Verdict.RUNTIME_ERROR, "target.f is no function but a int"),
    "leaves": ("import os\ndef f(): os._exit(0)", Verdict.RUNTIME_ERROR, "ended in call 1"),
    "crashes": ("import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGSEGV)", Verdict.RUNTIME_ERROR, "SIGSEGV"),
    "closes the channel": ("import os\ndef f(): os.closerange(0, 256)", Verdict.RUNTIME_ERROR, ""),
    "never ends": ("def f():\n    while True: pass", Verdict.TIME_LIMIT, "stopped after"),
    "takes all memory": ("def f(): return bytearray(1 << 32)", Verdict.MEMORY_LIMIT, ""),
}


@pytest.mark.parametrize(("source", "verdict", "detail"), ENDS.values(), ids=ENDS.keys())
def test_programs_that_end_badly_get_a_verdict_and_one_line(
    call: Call, source: str, verdict: Verdict, detail: str
) -> None:
    report = call(source, blob(), limits=Limits(wall_time_s=4, cpu_time_s=2, memory_kib=262_144, file_kib=1024))
    assert report.verdict is verdict, report.detail
    assert detail in report.detail
    assert "\n" not in report.detail


def test_printing_more_than_the_disk_holds_cannot_be_compared(call: Call) -> None:
    source = "def f():\n    while True: print('x' * 100_000)"
    report = call(source, blob(), limits=Limits(file_kib=1024))
    assert "more than the sandbox's disk holds" in str(incomparable_reason(report.outcomes[0].encoded))


def test_calls_before_a_crash_are_kept(call: Call) -> None:
    report = call("import os\ndef f(n):\n    if n == 2: os.abort()\n    return n", *(blob(n) for n in range(4)))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert [render_outcome(outcome.encoded) for outcome in report.outcomes] == ["returned 0", "returned 1"]


def test_arguments_that_cannot_be_rebuilt_are_named(call: Call) -> None:
    report = call("def f(n): return n", blob(1), b"\x80\x04ctarget\nGone\n.")
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.detail.startswith("arguments of call 2: ")
    assert "Gone" in report.detail


def test_deep_recursion_and_exit_are_outcomes(call: Call) -> None:
    source = "def f(n):\n    if n: raise SystemExit('bye')\n    return f(n)\n"
    first, second = shown(call(source, blob(0), blob(1)))
    assert first.startswith("raised RecursionError(")
    assert second == "raised SystemExit('bye')"


def test_forged_replies_are_not_believed(call: Call) -> None:
    forge = """
        import os, struct
        def f():
            outcome = b'["outcome","function",["returned",1],["args"],["kwargs"],["globals"],"",""]'
            body = struct.pack(">IBQQQ", INDEX, 0, CPU, START, END) + outcome
            for fd in range(3, 30):
                try: os.write(fd, b"C" + struct.pack(">I", len(body)) + body + TAIL)
                except OSError: pass
            os._exit(0)
    """
    expected = outcome_of(call, "def f(): return 1", blob())
    for index, cpu, start, end, tail in (
        ("0", "0", "0", "0", "b''"),  # no end
        ("0", "10**12", "0", "1", "b'E' + bytes(3) + bytes([8]) + bytes(8)"),  # more CPU time than the process had
        ("0", "0", "0", "10**12", "b'E' + bytes(3) + bytes([8]) + bytes(8)"),  # outside the life of the process
        ("0", "0", "10", "5", "b'E' + bytes(3) + bytes([8]) + bytes(8)"),  # ends before it starts
        ("1", "0", "0", "0", "b'E' + bytes(3) + bytes([8]) + bytes(8)"),  # another call
        ("0", "0", "0", "0", "b'E' + bytes(3) + bytes([8]) + bytes(8) + b'C' + bytes(4)"),  # something after the end
    ):
        source = forge
        for name, value in {"INDEX": index, "CPU": cpu, "START": start, "END": end, "TAIL": tail}.items():
            source = source.replace(name, value)
        report = call(source, blob(), expected=expected)
        assert report.verdict is Verdict.RUNTIME_ERROR, (index, cpu, start, end, tail)
        assert report.call_measurement is None


def test_a_module_called_like_one_of_the_library_is_the_users(sandbox: Sandbox) -> None:
    for name in ("random", "json", "types", "enum"):
        entry = FunctionEntry(name, f"/afterburner/program/{name}.py", "f")
        program = Program("python", "def f(): return __name__\n", entry)
        report = sandbox.run(program, [CallCase((blob(),))]).cases[0]
        assert shown(report) == [f"returned {name!r}"]


def test_user_code_meets_nothing_of_the_driver(sandbox: Sandbox) -> None:
    """Neither on the import path nor among the modules: a package of the user's may have any name of ours."""
    source = """
        import sys
        def f():
            own = [name for name in sys.modules if name.split(".")[0] in {"_afterburner_inside", "value_encoder"}]
            return own, [path for path in sys.path if path.startswith("/afterburner/inside")], __name__
    """
    for name in ("_afterburner_inside", "afterburner", "value_encoder", "start"):
        entry = FunctionEntry(name, f"/afterburner/program/{name}.py", "f")
        report = sandbox.run(Program("python", textwrap.dedent(source), entry), [CallCase((blob(),))]).cases[0]
        own = [name] if name in {"_afterburner_inside", "value_encoder"} else []
        assert shown(report) == [f"returned ({own}, [], {name!r})"]


NAMED = """
class Named:
    def __init__(self, name, part):
        self.name, self.part, self.around = name, part, None
    def __hash__(self):
        return hash(self.name)
    def __eq__(self, other):
        return self.name == other.name

def f(names):
    part, other = [0], [0]
    found = {Named(name, part) for name in names}
    alike = {Named(name + "!", (part, other)) for name in names}
    for one in found | alike:
        one.around = found
    first = min(found, key=lambda one: one.name)
    return found, frozenset({first, (first.name, frozenset(alike))}), first, SHARED
"""


def test_what_sets_share_counts_and_the_order_of_hashes_does_not(sandbox: Sandbox) -> None:
    def made(shared: str, seed: int) -> bytes:
        entry = FunctionEntry("target", "/afterburner/program/target.py", "f")
        program = Program("python", NAMED.replace("SHARED", shared), entry)
        case = CallCase((blob(("a", "b", "c", "d", "e", "f")),), hash_seed=seed)
        return sandbox.run(program, [case]).cases[0].outcomes[0].encoded

    assert len({made("part", seed) for seed in range(4)}) == 1
    assert made("part", 0) not in {made("[0]", 0), made("other", 0)}
