"""Lazy results: what kind they are, what they give, how they end, and when they do their work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from calling import blob, outcome_of, shown, verdict_on

from afterburner.sandbox import Verdict

if TYPE_CHECKING:
    from calling import Call

LAZY = """
seen = []
def work(rows):
    for n in range(9):
        BODY
        yield n
def f(rows): return work(rows)
"""
AT_ONCE = """
def f(rows):
    got = [*work(rows)]
    return (n for n in got)
"""
ON_FIRST = """
def f(rows):
    got = [*work(rows)]
    yield from got
"""
BY_THREES = """
def f(rows):
    source = work(rows)
    while got := [n for _, n in zip(range(3), source)]:
        yield from got
"""
EFFECTS = {
    "prints": "print(n)",
    "writes to stderr": "import sys; sys.stderr.write(str(n))",
    "changes an argument": "rows.append(n)",
    "changes a global": "seen.append(n)",
}


@pytest.mark.parametrize("effect", EFFECTS.values(), ids=EFFECTS.keys())
def test_when_a_generator_does_its_work_is_a_part_of_what_it_does(call: Call, effect: str) -> None:
    lazy = LAZY.replace("BODY", effect)
    same = lazy.replace("return work(rows)", "yield from (n for n in work(rows))")
    blobs = (blob([], held={"seen": []}),)
    expected = outcome_of(call, lazy, *blobs)
    assert call(same, *blobs, expected=expected).verdict is Verdict.ACCEPTED
    for eager, told in ((AT_ONCE, "before the first item"), (ON_FIRST, "by the time that 1 items were taken")):
        report = call(lazy + eager, *blobs, expected=expected)
        assert report.verdict is Verdict.WRONG_ANSWER
        assert told in report.detail


def test_work_that_is_done_some_items_early_is_seen_where_it_prints(call: Call) -> None:
    lazy = LAZY.replace("BODY", "print(n)")
    verdict, detail = verdict_on(call, lazy, lazy + BY_THREES, blob([]))
    assert (verdict, "by the time that 1 items" in detail) == (Verdict.WRONG_ANSWER, True)


def test_iterators_that_are_given_are_taken_from_as_slowly(call: Call) -> None:
    lazy = "def f(rows):\n    for row in rows: yield row\n"
    eager = "def f(rows):\n    yield from [*rows]\n"
    verdict, detail = verdict_on(call, lazy, eager, blob(iter([1, 2, 3])))
    assert (verdict, "1 items were taken" in detail) == (Verdict.WRONG_ANSWER, True)


@pytest.mark.parametrize(
    ("original", "rewrite"),
    [
        ("yield 1; return 5", "yield 1; return 6"),
        ("yield 1; return 5", "yield 1"),
        ("return (n for n in [1])", "return iter([1])"),
        ("return (n for n in [1])", "return [1]"),
        ("return [1]", "return (n for n in [1])"),
        ("return map(str, [1])", "return (str(n) for n in [1])"),
        ("return reversed([1])", "return iter([1])"),
        ("yield 1; raise KeyError", "raise KeyError; yield 1"),
        ("return zip([1], [2])", "return [(1, 2)]"),
        ("return [g(), g()]", "g_ = g(); return [g_, g_]"),
        ("return [g()]", "print(1); return [(n for n in [1])]"),
    ],
)
def test_lazy_values_are_of_their_kind_and_end_as_they_do(call: Call, original: str, rewrite: str) -> None:
    whole = "def g():\n    print(1)\n    yield 1\ndef f():\n    {}\n"
    assert verdict_on(call, whole.format(original), whole.format(rewrite), blob())[0] is Verdict.WRONG_ANSWER


def test_what_a_generator_inside_a_value_prints_is_of_its_own_call(call: Call) -> None:
    source = "def g(n):\n    print(n)\n    yield n\ndef f(n): return [g(n)]\n"
    assert [line.rpartition(" ")[2] for line in shown(call(source, blob(1), blob(2)))] == ["'1\\n'", "'2\\n'"]


def test_what_is_cut_off_is_not_ended(call: Call) -> None:
    source = """
        import itertools
        def f():
            try: yield from itertools.count()
            finally: print("ended")
    """
    assert "ended" not in shown(call(source, blob()))[0]


ONE_BY_ONE = """
def f(groups, seen):
    for group in groups:
        for item in group:
            seen.append(item)
            yield item
"""
TOGETHER = """
def f(groups, seen):
    for group in groups:
        seen += group
        yield from group
"""


@pytest.mark.parametrize(("before", "taken"), [(1, 2), (3, 4), (31, 32)])
def test_what_is_changed_between_later_items_counts(call: Call, before: int, taken: int) -> None:
    groups = [["a"]] * before + [["b", "c"]]
    verdict, detail = verdict_on(call, ONE_BY_ONE, TOGETHER, blob(groups, []))
    assert verdict is Verdict.WRONG_ANSWER
    assert f"changes its arguments or the module: by the time that {taken} items were taken" in detail
    copied = ONE_BY_ONE.replace("in group:", "in list(group):")
    assert verdict_on(call, ONE_BY_ONE, copied, blob(groups, [])) == (Verdict.ACCEPTED, "")
