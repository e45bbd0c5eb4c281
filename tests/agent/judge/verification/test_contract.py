"""Differences on inputs beyond the contract make a rewrite conditional, and those within it make it wrong."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.verification.made_inputs import Inputs
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.sandbox.driver.call_blobs import dump_call

if TYPE_CHECKING:
    from ...evidence.conftest import MakeBench  # noqa: TID252 - a fixture of its
    from .conftest import Compare

pytestmark = pytest.mark.slow

UNIQUE = """\
def f(items{hint}):
    kept = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
"""
BY_DICT = "def f(items{hint}):\n    return list(dict.fromkeys(items))\n"


@pytest.mark.parametrize(
    ("original", "candidate", "calls", "stated"),
    [
        pytest.param(
            "def f(n):\n    return repr(n)\n",
            "def f(n):\n    return '%r' % (n * 1)\n",
            "f(3)\nf(4.5)\nf(-2)",
            "type(n) in (float, int)",
            id="True for a number",
        ),
        pytest.param(
            "import re\ndef f(pattern, names):\n    return [name for name in names if re.search(pattern, name)]\n",
            "import re\ndef f(pattern, names):\n    search = re.compile(pattern).search\n"
            "    return [name for name in names if search(name)]\n",
            "f('a+', ['ash', 'elm'])\nf('l', ['oak'])",
            "re.compile(pattern) is not None",
            id="an invalid regular expression where nothing is searched",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(rows):\n    for row in rows:\n        if len(row) > 1:\n            return row['id']\n",
            "def f(rows):\n    ids = [row['id'] for row in rows if len(row) > 1 or row['id'] is None]\n"
            "    return ids[0] if ids else None\n",
            "f([{'id': 1, 'n': 2}, {'id': 2, 'n': 2}])\nf([{'id': 5, 'n': 0}])",
            "all(set(['id', 'n']) <= set(item) for item in rows)",
            id="records without what each real one has",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            UNIQUE.format(hint=": list"),
            BY_DICT.format(hint=": list"),
            "f([3, 1, 3])\nf([5])",
            "all(type(item) is int for item in items)",
            id="elements that cannot be hashed",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_what_shows_only_beyond_the_contract_makes_it_conditional(
    compare: Compare, original: str, candidate: str, calls: str, stated: str
) -> None:
    found = compare(original, candidate, calls)
    assert isinstance(found, Counterexample), found
    assert not found.timed_out
    assert [each.expression for each in found.provided] == [stated]
    assert f'state it with --assume "{stated}"' in found.condition


@pytest.mark.nightly
def test_what_type_hints_rule_out_is_told_and_does_not_count(compare: Compare) -> None:
    candidate = "def f(n: float):\n    return '%r' % (n * 1)\n"  # without the hint: see above
    found = compare("def f(n: float):\n    return repr(n)\n", candidate, "f(3)\nf(4.5)\nf(-2)")
    assert isinstance(found, Agreement), found
    assert found.inputs > 20
    assert found.beyond_hints is not None
    assert found.beyond_hints.calls[0] in {"f(True)", "f(False)"}
    assert f"where values contradict the type hints, for example {found.beyond_hints.line}" in found.line


def test_what_hints_rule_out_is_tried_with_numbers_that_fit_them(make_bench: MakeBench) -> None:
    original = "def f(n: int):\n    return repr(n)\n"
    bench = make_bench(original + "\nif __name__ == '__main__':\n    f(3)\n    f(4)\n", "f")
    candidate = bench.target.source.replace("repr(n)", "repr(n) if n != 987_654_321 else 'special'")
    search = DifferenceSearch(bench, bench.target.source, seed=0)
    for number, calls in ((987_654_321.0, ("f(987654321)",)), (5.0, ()), (987_654_321.5, ())):
        blobs = [dump_call((number,), {}, {})]
        found = search._against(candidate, Deadline.after(60), (), rounds=0, least=None, fitting=blobs)
        assert (found.calls if isinstance(found, Counterexample) else ()) == calls


@pytest.mark.nightly
def test_a_condition_that_hints_do_not_state_is_left_beside_one_that_they_do(compare: Compare) -> None:
    original = "def f(items: list, n: int):\n    return [str(n), *(item for item in items if item in (1, 5))]\n"
    candidate = original.replace("in (1, 5)", "in {1, 5}").replace("str(n)", "str(n * 1)")
    found = compare(original, candidate, "f([3, 1], 4)\nf([8], 5)\nf([5, 1], 9)")
    assert isinstance(found, Counterexample), found
    assert [each.expression for each in found.provided] == ["all(type(item) is int for item in items)"]
    assert "items" not in found.line or "[" in found.calls[0]


@pytest.mark.nightly
def test_what_derives_from_the_type_of_a_hint_does_not_contradict_it(compare: Compare) -> None:
    original = "from datetime import date\ndef f(day: date):\n    return day == date(2024, 5, 1) or str(day)\n"
    candidate = original.replace("or str(day)", "or f'{day.year:04}-{day.month:02}-{day.day:02}'")
    calls = "from datetime import date, datetime\nf(date(2024, 5, 1))\nf(date(2024, 1, 1))"
    found = compare(original, candidate, calls)
    assert isinstance(found, Agreement) or found.provided, found


@pytest.mark.floor
def test_what_shows_within_the_contract_is_wrong_whatever_shows_beyond_it(compare: Compare) -> None:
    candidate = "def f(n):\n    return '%r' % (n + (n == 1_234))\n"
    found = compare("def f(n):\n    return repr(n)\n", candidate, "f(3)\nf(4_000)\nf(0)\nf(-7)")
    assert isinstance(found, Counterexample)
    assert not found.provided
    assert found.calls == ("f(1234)",)


@pytest.mark.nightly
def test_a_difference_within_the_contract_is_shown_on_an_input_within_it(compare: Compare) -> None:
    summed = "def f(rows):\n    return sum(row.get('n', 0) for row in rows{})\n"
    calls = "f([{'id': 1, 'n': 2}, {'id': 2, 'n': 3}])\nf([{'id': 7, 'n': 4_000}])"
    found = compare(summed.format(""), summed.format(" if row.get('n') != 1_234"), calls, shrinking_s=30)
    assert isinstance(found, Counterexample)
    assert not found.provided
    assert "'id'" in found.calls[0]


@pytest.mark.nightly
def test_a_rewrite_that_differs_in_many_ways_beyond_the_contract_is_conditional_all_the_same(compare: Compare) -> None:
    shown = "def f(a, b, c, d, e):\n    return [{} for each in (a, b, c, d, e)]\n"
    calls = "f(1, 2, 3, 4, 5)\nf(9, 8, 7, 6, 5)"
    found = compare(shown.format("repr(each)"), shown.format("'%r' % (each * 1)"), calls, rounds=1, shrinking_s=1)
    assert isinstance(found, Counterexample)
    assert len(found.provided) > 3
    assert len({each.expression for each in found.provided}) == len(found.provided)


@pytest.mark.nightly
def test_what_equals_a_value_of_another_type_is_tried_where_a_hint_leaves_the_kind_open(compare: Compare) -> None:
    types = "def f(items: list):\n    kept = []\n    for item in items:\n        if not any(type(item) is type(other) "
    types += "and item == other for other in kept):\n            kept.append(item)\n    return kept\n"
    tagged = types.replace("not any(type(item) is type(other) and item == other for other in kept)", "item not in kept")
    found = compare(types, tagged, "f([1, 2])\nf([5])")
    assert isinstance(found, Counterexample)
    assert [each.words for each in found.provided] == ["each element of `items` holds int"]
    stated = compare(types, tagged, "f([1, 2])\nf([5])", assume=(found.provided[0].expression,))
    assert isinstance(stated, Agreement), stated.line
    assert stated.inputs > 50


def test_without_a_hint_the_kinds_of_the_real_calls_are_the_contract(compare: Compare) -> None:
    found = compare(UNIQUE.format(hint=""), BY_DICT.format(hint=""), "f([3, 1, 3])\nf([5])")
    assert isinstance(found, Agreement), found.line
    assert found.inputs > 50


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("hint", "calls", "candidate", "differs"),
    [
        ("", "f([3, 1, 3])\n    f([5])", BY_DICT, True),
        (": list[int]", "f([3, 1, 3])", BY_DICT, False),
        ("", "f([3, 1, 3])", UNIQUE.replace("not in kept", "not in tuple(kept)"), False),
        ("", "f([[3], [1], [3]])", UNIQUE.replace("not in kept", "not in tuple(kept)"), False),
        ("", "f({3: 1, 1: 2})\n    f({5: 1})", BY_DICT, False),
    ],
    ids=["no hint", "a hint", "a rewrite that takes any", "calls with such elements", "keys"],
)
def test_a_rewrite_that_needs_elements_of_some_kinds_comes_with_a_caveat(
    make_bench: MakeBench, hint: str, calls: str, candidate: str, differs: bool
) -> None:
    main = f"\nif __name__ == '__main__':\n    {calls}\n"
    bench = make_bench(UNIQUE.format(hint=hint) + main, "f")
    search = DifferenceSearch(bench, bench.target.source, seed=0)
    found = search.beyond_real_calls(candidate.format(hint=hint) + main)
    assert (found is not None) == differs, found and found.line
    if found is not None:
        assert "raised TypeError" in found.actual
        assert found.line in Agreement(beyond_calls=found).caveat


def test_fields_of_records_may_need_to_be_hashed_too(make_bench: MakeBench) -> None:
    """Both sides change at once: a score that is a list beside numbers fails in the original."""
    original = (
        "def f(people, scores):\n    order = sorted(scores)\n    return [order.index(score) for _, score in people]\n"
    )
    rewrite = "def f(people, scores):\n    at = {}\n    for place, score in enumerate(sorted(scores)):\n"
    rewrite += "        at.setdefault(score, place)\n    return [at[score] for _, score in people]\n"
    main = "\nif __name__ == '__main__':\n    f([('a', 3), ('b', 1)], [3, 1])\n    f([('c', 7)], [7, 9])\n"
    bench = make_bench(original + main, "f")
    found = DifferenceSearch(bench, bench.target.source, seed=0).beyond_real_calls(rewrite + main)
    assert found is not None
    assert "unhashable type: 'list'" in found.actual


def test_one_field_may_need_to_be_hashed_where_the_original_hashes_another(make_bench: MakeBench) -> None:
    original = "def f(orders):\n    days, totals = [], {}\n    for customer, day, amount in orders:\n"
    original += "        if day not in days:\n            days.append(day)\n"
    original += "        totals[customer] = totals.get(customer, 0) + amount\n    return days, totals\n"
    rewrite = original.replace("days, totals = [],", "days, totals = {},").replace("days.append(day)", "days[day] = 1")
    rewrite = rewrite.replace("return days", "return list(days)")
    main = "\nif __name__ == '__main__':\n    f([('ann', 'd1', 3), ('bob', 'd1', 0)])\n    f([('ann', 'd7', 3)])\n"
    bench = make_bench(original + main, "f")
    found = DifferenceSearch(bench, bench.target.source, seed=0).beyond_real_calls(rewrite + main)
    assert found is not None
    assert "unhashable type: 'list'" in found.actual


MAPPINGS = """\
from collections.abc import Mapping

def f(table):
    return [len(value) if isinstance(value, {kind}) else value for value in table.values()]
"""
KEPT = """\
class In:
    def __init__(self, kept):
        self.kept = kept

    def has(self, value):
        try:
            {check}
        except TypeError:
            return None
        return value in self.kept

def f(known, value):
    return known.has(value)
"""


@pytest.mark.parametrize(
    ("original", "rewrite", "calls", "shows"),
    [
        (
            "def f(table, key):\n    if key in table:\n        return table[key]\n    return 'none'\n",
            "def f(table, key):\n    found = table.get(key)\n    return 'none' if found is None else found\n",
            "f({'a': 1, 'b': 2}, 'a')\n    f({'c': 3}, 'd')",
            "None",
        ),
        (
            "def f(row, **wanted):\n    return all(k in row and row[k] == v for k, v in wanted.items())\n",
            "def f(row, **wanted):\n    return all(row.get(k) == v for k, v in wanted.items())\n",
            "f({'a': 1}, a=1)\n    f({'b': 1}, b=2)",
            "=None",
        ),
        (
            "def f(table, key):\n    return key not in table\n",
            "def f(table, key):\n    return table.get(key) is None\n",
            "f({'a': 1, 'b': 2}, 'x')\n    f({'c': 3}, 'd')",
            "None",
        ),
        (
            MAPPINGS.format(kind="Mapping"),
            MAPPINGS.format(kind="dict"),
            "f({'a': {'b': 1}, 'c': 2})\n    f({'a': 3})",
            "UserDict",
        ),
        (
            KEPT.format(check="pass"),
            KEPT.format(check="set(self.kept)"),
            "f(In([1]), 1)\n    f(In([3, 4]), 7)\n    f(In([5, 6, 8]), 6)",
            "kept=[",
        ),
    ],
    ids=[
        "a value of a table",
        "an argument by any name",
        "under a key that no real call names",
        "a table of another class",
        "what an object holds",
    ],
)
def test_what_no_real_call_has_is_told(
    make_bench: MakeBench, original: str, rewrite: str, calls: str, shows: str
) -> None:
    main = f"\nif __name__ == '__main__':\n    {calls}\n"
    bench = make_bench(original + main, "f")
    found = DifferenceSearch(bench, bench.target.source, seed=0).beyond_real_calls(rewrite + main)
    assert found is not None
    assert shows in found.line


@pytest.mark.slow
def test_a_condition_names_what_no_real_call_has_where_that_shows_a_difference_too(compare: Compare) -> None:
    """That keys have no blanks around them is not all that has to hold."""
    original = "def f(table, key):\n    if key in table:\n        return table[key]\n    return 'none'\n"
    rewrite = "def f(table, key):\n    found = table.get(key.strip())\n    return {}\n"
    calls = "f({'a': 1, 'b': 2}, 'a')\nf({'c': 3}, 'd')\nf({'e': 4}, 'e')"
    found = compare(original, rewrite.format("'none' if found is None else found"), calls)
    assert isinstance(found, Counterexample), found
    alone = [each.expression for each in found.provided]
    assert any("table.values()" in each for each in alone), alone
    found = compare(original, rewrite.format("table.get(key.strip(), 'none')"), calls)
    assert isinstance(found, Counterexample), found
    assert not any("table.values()" in each.expression for each in found.provided), found.provided


@pytest.mark.nightly
def test_a_function_that_is_called_with_several_kinds_of_elements_takes_any(compare: Compare) -> None:
    found = compare(UNIQUE.format(hint=""), BY_DICT.format(hint=""), "f([3, 1, 3])\nf(['a', 'b'])")
    assert isinstance(found, Counterexample), found.line
    assert [each.expression for each in found.provided] == ["all(type(item) in (int, str) for item in items)"]


def test_most_made_inputs_keep_to_the_contract_and_come_first(make_bench: MakeBench) -> None:
    bench = make_bench(f"{UNIQUE.format(hint=': list')}\nif __name__ == '__main__':\n    f([3, 1])\n    f([2])\n", "f")
    place = (bench.sandbox, bench.target, bench.environment, bench.limits)
    rounds = list(islice(Inputs(*place, bench.workload.calls, 0).rounds(Deadline.after(600)), 3))
    ranks = [[call.is_probing for call in each.calls] for each in rounds]
    assert any(any(each) for each in ranks)
    assert all(each == sorted(each) for each in ranks)
    assert sum(map(sum, ranks)) < sum(map(len, ranks)) / 2


@pytest.mark.nightly
def test_what_hints_allow_is_within_the_contract_and_drawn_although_no_real_call_has_it(compare: Compare) -> None:
    hint = ': "list[int | list[int]]"'
    found = compare(UNIQUE.format(hint=hint), BY_DICT.format(hint=hint), "f([3, 1, 3])\nf([5])")
    assert isinstance(found, Counterexample)
    assert "TypeError" in found.line
    assert [each.words for each in found.provided] == ["the elements of `items` can be hashed"]


@pytest.mark.nightly
def test_an_argument_that_is_equal_in_every_input_is_not_varied(compare: Compare) -> None:
    cart = "class Cart:\n    def __init__(self, add):\n        self.add = add\n\n\ndef f(cart, items):\n    return {}\n"
    found = compare(
        cart.format("cart.add(items)"), cart.format("sum(items)"), "f(Cart(sum), [1])\nf(Cart(sum), [4, 2])", rounds=3
    )
    assert isinstance(found, Agreement)
    assert found.unvaried == ("cart",)


OPEN = "class Plain:\n    pass\n\n\nclass Adder(Plain):\n    def f(self, items, **options):\n        return {}\n"


@pytest.mark.parametrize(
    ("calls", "never_given"),
    [
        ("Adder().f([1])\nAdder().f([4, 2])", ("options",)),
        pytest.param("Adder().f([1], start=2)", (), marks=pytest.mark.nightly),
    ],
)
def test_an_empty_object_and_keywords_are_no_condition(
    compare: Compare, calls: str, never_given: tuple[str, ...]
) -> None:
    rewrite = OPEN.format("options.get('start', 0) + sum(items)")
    original = OPEN.format("sum(items, options.get('start', 0))")
    found = compare(
        original, rewrite, calls, function="Adder.f", rounds=1, assume=("all(type(x) is int for x in items)",)
    )
    assert isinstance(found, Agreement)
    assert (found.unvaried, found.never_given) == ((), never_given)
    assert ("gives `options` anything" in found.caveat) == bool(never_given)


@pytest.mark.nightly
def test_a_date_in_another_notation_and_a_decimal_of_another_argument_are_tried(compare: Compare) -> None:
    dates = (
        "def f(text):\n    parts = [int(part) for part in text.split('.')]\n    return [len(text.split('.')[1]), {}]\n"
    )
    found = compare(dates.format("parts[0]"), dates.format("int(text[:2])"), "f('05.03.2024')\nf('31.12.2023')")
    assert isinstance(found, Counterexample)
    assert "." in found.line
    exact = "from decimal import Decimal\ndef f(limit, prices):\n    return [price {} limit for price in prices]\n"
    found = compare(
        exact.format(">="), exact.format(">"), "f(Decimal('5.5'), [Decimal('3'), Decimal('9.25')])", rounds=2
    )
    assert isinstance(found, Counterexample)
