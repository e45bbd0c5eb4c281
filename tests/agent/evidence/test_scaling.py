"""Calls of other sizes, made in the sandbox from real ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.judge.larger_inputs import larger_calls
from afterburner.agent.judge.scaled_calls import Climb, likely_bases, scale_calls

from .conftest import COMMON

if TYPE_CHECKING:
    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.agent.judge.scaled_calls import ScaledCall

    from .conftest import MakeBench


def ladder(bench: Workbench, climb: Climb) -> tuple[list[ScaledCall], tuple[str, ...]]:
    return scale_calls(bench, likely_bases(bench.workload.calls_in_order())[:1], climb, 10.0)


def test_a_ladder_of_sizes_says_what_it_counts(make_bench: MakeBench) -> None:
    made, reasons = ladder(make_bench(COMMON, "common"), Climb(until_s=0.0))
    assert reasons == ()
    assert {each.scaled for each in made} == {"len(left) + len(right)"}
    sizes = [each.size for each in made]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 400 * sizes[0]
    assert len({each.call.blob for each in made}) == len(made) == 10
    lengths = [each.call.expected.count(b'"name-') for each in made]  # in the result and in both arguments
    assert lengths == sorted(lengths)


def test_what_raises_or_takes_too_long_at_a_size_is_left_out_and_told(make_bench: MakeBench) -> None:
    bench = make_bench(
        "import time\n\n"
        "def wait(items, limit=24):\n"
        '    """\n'
        "    >>> wait(list(range(12)))\n    66\n"
        "    >>> wait(list(range(11)))\n    55\n"
        '    """\n'
        "    if len(items) > limit:\n"
        "        time.sleep(30)\n"
        "    if len(items) < 3:\n"
        '        raise ValueError("too few")\n'
        "    return sum(items)\n",
        "wait",
    )
    made, reasons = ladder(bench, Climb(until_s=0.0, most_s=0.2))
    assert {each.size for each in made} <= {3, 6, 11, 12, 22, 24}, reasons
    assert any("takes longer than 0.2 s" in reason for reason in reasons)


def test_attributes_of_objects_and_integers_are_sizes_too(make_bench: MakeBench) -> None:
    bag = (
        "class Bag:\n"
        "    def __init__(self, items):\n        self.items = items\n\n"
        "    def pairs(self):\n        return sum(a < b for a in self.items for b in self.items)\n\n"
        'if __name__ == "__main__":\n    Bag([3, 1, 2] * 9).pairs()\n    Bag([1, 2] * 10).pairs()\n'
    )
    made, _ = ladder(make_bench(bag, "Bag.pairs"), Climb(factors=(1.0, 2.0), until_s=0.0))
    assert [each.scaled for each in made] == ["len(self.items), its elements repeated"] * 2, "the numbers repeat"
    assert made[1].size == 2 * made[0].size
    count = (
        "def triangle(n):\n    return sum(range(n))\n\n"
        'if __name__ == "__main__":\n    triangle(100)\n    triangle(90)\n'
    )
    made, _ = ladder(make_bench(count, "triangle", "count.py"), Climb(factors=(0.5, 1.0, 2.0), until_s=0.0))
    assert {each.scaled for each in made} == {"n"}
    assert [each.size for each in made] in ([50, 100, 200], [45, 90, 180]), made


LOOKUP = """\
def lookup(table, field):
    names = iter(table)
    place = next(names).index(field)
    found = {}
    for row in names:
        found.setdefault(row[place], []).append(row)
    return found


if __name__ == "__main__":
    lookup([("foo", "bar"), ("a", 1), ("b", 2), ("b", 3)], "foo")
    lookup([("foo", "bar", "baz"), ("a", 1, True), ("b", 2, False), ("b", 3, True), ("b", 3, False)], "baz")
"""


def test_more_of_a_table_has_more_rows_below_the_same_header(make_bench: MakeBench) -> None:
    climb = Climb((2.0, 4.0), 0.05, 0.5, from_little=True)
    for variety in ("natural", "distinct", "equal"):
        made, reasons = ladder(make_bench(LOOKUP, "lookup"), replace(climb, variety=variety))
        assert made, reasons
        assert made[-1].factor > 10, reasons  # how far it goes by then depends on how busy the machine is
        assert made[-1].scaled == "len(table)"


def test_what_names_an_element_stays_where_the_rest_grows_alone(make_bench: MakeBench) -> None:
    """Every larger call would raise if the name grew, too."""
    place = (
        "def after(items, name):\n    return len(items) - 1 - items.index(name)\n\n"
        "if __name__ == '__main__':\n"
        "    after(['pear', 'fig', 'plum', 'lime'], 'lime')\n    after(['pear', 'fig', 'plum'], 'plum')\n"
    )
    made, reasons = ladder(make_bench(place, "after"), Climb((2.0, 4.0), 0.0, from_little=True))
    assert [each.scaled for each in made] == ["len(items)"] * 2, reasons


LEDGER = (
    "class Ledger:\n"
    "    {slots}\n\n"
    "    def __init__(self, {taken}):\n"
    "        {private}\n"
    "        {public}\n\n"
    "    def pairs(self):\n"
    "        return sum(a < b for a in self.{read} for b in self.{read})\n\n"
    'if __name__ == "__main__":\n    Ledger(list(range(18))).pairs()\n    Ledger(list(range(20))).pairs()\n'
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("parts", "grows"),
    [
        (("", "lines", "self._entries = list(lines)", "self.name = 'plain'", "_entries"), ""),
        (("", "entries", "self._entries = list(entries)", "self.name = 'plain'", "_entries"), "len(self._entries)"),
        (("", "entries", "self._known = set(entries)", "self.entries = entries", "_known"), "len(self.entries)"),
        (("__slots__ = ('entries',)", "entries", "", "self.entries = entries", "entries"), "len(self.entries)"),
    ],
    ids=["taken by another name", "private", "kept in step", "in a slot"],
)
def test_what_an_object_keeps_to_itself_grows_through_its_constructor_alone(
    make_bench: MakeBench, parts: tuple[str, ...], grows: str
) -> None:
    """Edited by itself it would make objects that the class forbids."""
    ledger = LEDGER.format(**dict(zip(("slots", "taken", "private", "public", "read"), parts, strict=True)))
    bench = make_bench(ledger, "Ledger.pairs", "ledger.py")
    made, reasons = ladder(bench, Climb(factors=(2.0,), until_s=0.0))
    assert [each.scaled for each in made] == ([grows] if grows else []), reasons
    assert not made or not reasons
    recorded = {call.expected for call in bench.workload.calls_in_order()}
    assert all(each.call.expected not in recorded for each in made), "the constructor made an object with more"


def test_larger_calls_for_a_gain_that_is_too_good_to_be_true(make_bench: MakeBench) -> None:
    bench = make_bench(COMMON, "common")
    larger = larger_calls(bench, bench.workload.calls, 4)
    assert larger.note == ""
    assert (larger.factor, larger.scaled) == (4.0, "len(left) + len(right)")
    assert all(call.expected and call.origin == "scaled" for call in larger.calls)
    dearest = max(call.cpu_time_s for call in bench.workload.calls)
    assert max(call.cpu_time_s for call in larger.calls) > 3 * dearest  # twelve times, if nothing disturbs


def test_of_several_texts_one_may_grow_alone(make_bench: MakeBench) -> None:
    coded = (
        "def coded(text, encoding):\n    return text.encode(encoding)\n\n"
        "if __name__ == '__main__':\n    coded('pear fig plum', 'utf-8')\n    coded('lime fig', 'ascii')\n"
    )
    made, reasons = ladder(make_bench(coded, "coded"), Climb((2.0, 4.0), 0.0, from_little=True))
    assert [each.scaled for each in made] == ["len(text)"] * 2, reasons


def test_without_a_size_there_are_no_larger_calls_and_the_reason_is_told(make_bench: MakeBench) -> None:
    source = (
        "def turn(clockwise):\n    return 90 if clockwise else -90\n\n"
        'if __name__ == "__main__":\n    turn(True)\n    turn(False)\n'
    )
    bench = make_bench(source, "turn")
    larger = larger_calls(bench, bench.workload.calls)
    assert larger.calls == ()
    assert (
        larger.note == "not measured again on larger inputs: nothing among its arguments has a size that can be changed"
    )


def test_an_object_of_which_no_larger_one_can_be_made_is_named(make_bench: MakeBench) -> None:
    source = (
        "class Shelf:\n    def __init__(self, *rows):\n        self._held = list(rows)\n\n"
        "def width(shelf):\n    return len(shelf._held)\n\n"
        "if __name__ == '__main__':\n    width(Shelf(1, 2, 3, 4))\n    width(Shelf(5, 6, 7, 8))\n"
    )
    bench = make_bench(source, "width")
    note = larger_calls(bench, bench.workload.calls).note
    assert note.endswith("no larger Shelf object can be made: its constructor does not take what it holds"), note


def test_texts_that_are_too_short_to_be_made_larger_are_told_as_such(make_bench: MakeBench) -> None:
    source = (
        "def is_vowel(letter):\n    return letter in 'aeiou'\n\n"
        "if __name__ == '__main__':\n    is_vowel('a')\n    is_vowel('')\n"
    )
    too_small = "what its arguments hold is too small to make more of (fewer than %d elements)"
    bench = make_bench(source, "is_vowel")
    assert larger_calls(bench, bench.workload.calls).note.endswith(too_small % 4)
    made, reasons = ladder(bench, Climb((2.0, 4.0), 0.0, from_little=True))
    assert (made, set(reasons)) == ([], {too_small % 2})


def test_where_the_time_is_up_nothing_is_made_and_nothing_is_lost(make_bench: MakeBench) -> None:
    """A winner that is confirmed in the last moment is offered; a limit of no seconds would have ended the run."""
    bench = make_bench(COMMON, "common")
    larger = larger_calls(bench, bench.workload.calls_in_order(), most_s=0.0)
    assert larger.calls == ()
    assert "the time budget ended before" in larger.note
