"""Which differences are found, what is shown of them, and what is no difference."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.deadline import Deadline
from afterburner.agent.judge.verification.call_differences import Comparer
from afterburner.agent.judge.verification.made_inputs import CASES_PER_ROUND, TOGETHER_PER_ROUND, Inputs
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.sandbox import CallCase, CancelledError, Verdict
from afterburner.sandbox.driver.call_blobs import dump_call

if TYPE_CHECKING:
    from ...evidence.conftest import MakeBench  # noqa: TID252 - a fixture of its
    from ...inputs.conftest import Project  # noqa: TID252 - likewise
    from .conftest import Compare

pytestmark = pytest.mark.slow

STABLE = """\
def f(rows, reverse=False):
    out = []
    for row in rows:
        place = len(out)
        while place and out[place - 1][1] > row[1]:
            place -= 1
        out.insert(place, row)
    return out[::-1] if reverse else out
"""
UNSTABLE = "def f(rows, reverse=False):\n    return sorted(rows, key=lambda row: (row[1], row[0]), reverse=reverse)\n"
BY_SORTING = (
    "def f(rows, reverse=False):\n    out = sorted(rows, key=lambda row: row[1])\n"
    "    return out[::-1] if reverse else out\n"
)
ROWS = 'f([("a", 3), ("b", 1), ("c", 2)])\nf([("n%d" % n, n * 7 % 101) for n in range(60)])'


@pytest.mark.nightly
def test_equal_keys_are_tried_and_what_is_shown_can_be_pasted(compare: Compare) -> None:
    found = compare(STABLE, UNSTABLE, ROWS, shrinking_s=60)
    assert isinstance(found, Counterexample)
    assert found.every_time
    assert found.shrink_steps > 0
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    exec(STABLE, before)  # noqa: S102 - the two functions above
    exec(UNSTABLE, after)  # noqa: S102 - likewise
    [call] = found.calls
    assert len(eval(call.removeprefix("f"))) == 2  # noqa: S307 - two rows are enough to show it
    assert found.expected == f"returned {eval(call, before)}"  # noqa: S307 - likewise
    assert found.actual == f"returned {eval(call, after)}"  # noqa: S307 - likewise
    assert found.line.startswith(f"{call} returned ")


@pytest.mark.floor
def test_rewrites_that_do_the_same_agree_on_inputs_of_many_kinds(compare: Compare) -> None:
    found = compare(STABLE, BY_SORTING, ROWS, rounds=4)
    assert isinstance(found, Agreement)
    kinds = dict(found.by_kind)
    assert found.inputs == sum(kinds.values()) > 100
    assert {"empty", "equal keys", "negative", "optional argument given", "captured from __main__"} <= kinds.keys()
    assert any(kind in kinds for kind in ("made anew", "several parts changed", "parts of several calls"))
    assert found.line.startswith(f"the same on {found.inputs} inputs: ")


def test_digits_that_are_no_numbers_are_tried_first_where_the_code_asks_for_digits(compare: Compare) -> None:
    original = "def f(text):\n    return [int(part) if part.isdigit() else part for part in text.split()]\n"
    rewrite = "def f(text):\n    made = []\n    for part in text.split():\n        try:\n"
    rewrite += "            made.append(int(part))\n        except ValueError:\n            made.append(part)\n"
    rewrite += "    return made\n"
    calls = "\n".join(f"f({text!r})" for text in ("42 MB", "7 of 9", "3 h 5 min", "1 2 3"))
    found = compare(original, rewrite, calls, rounds=1)
    assert isinstance(found, Counterexample)
    assert found.expected.startswith("raised ValueError"), found.line


def test_one_nan_in_two_arguments_of_a_real_call_stays_one(compare: Compare) -> None:
    original = "def f(a, b):\n    return [x for x in a if x not in b]\n"
    rewrite = "def f(a, b):\n    return [x for x in a if not any(x == y for y in b)]\n"
    found = compare(original, rewrite, "nan = float('nan')\nf([nan, 1.5], [nan])", rounds=0)
    assert isinstance(found, Counterexample)
    assert found.line.startswith("a = float('nan'); f([a], [a]) returned [nan] instead of []"), found.line


def test_a_method_of_a_builtin_class_is_an_argument_like_others(compare: Compare) -> None:
    original = "def f(words, key=None):\n    return max(words, key=key)\n"
    calls = "f(['b', 'A', 'C'], key=str.lower)"
    found = compare(original, original.replace("key=key", "key=None"), calls, rounds=0)
    assert isinstance(found, Counterexample)
    assert "key=str.lower" in found.line
    assert isinstance(compare(original, original.replace("max(words", "max(iter(words)"), calls, rounds=0), Agreement)


WALKED = """\
def f(tree):
    found, waiting = 0, [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(each)
        else:
            found += each
    return found
"""


@pytest.mark.nightly
def test_lists_are_nested_further_than_a_rewrite_may_recurse(compare: Compare) -> None:
    calls = "f([1, [2, [3, 4]], 5])\nf([[6, 7], 8])"
    recursive = "def f(tree):\n    return sum(f(each) if isinstance(each, list) else each for each in tree)\n"
    found = compare(WALKED, recursive, calls, rounds=2)
    assert isinstance(found, Counterexample)
    assert "raised RecursionError(" in found.difference
    agreed = compare(WALKED, WALKED.replace("found += each", "found = found + each"), calls, rounds=2)
    assert isinstance(agreed, Agreement)


COUNTING = """\
import logging, counters
log = logging.getLogger(__name__)

class Book:
    seen = 0

def f(words):
    for word in words:
        counters.WORDS += 1
        Book.seen += 1
        log.info("saw %s", word)
    return len(words)
"""


def test_effects_beside_the_outcome_are_compared_in_every_module_of_the_project(
    compare: Compare, project: Project
) -> None:
    project.write("counters.py", "WORDS = 0\n")
    found = compare(COUNTING, COUNTING.replace("        counters.WORDS += 1\n", ""), "f(['a', 'b'])", rounds=1)
    assert isinstance(found, Counterexample)
    assert found.difference == "left 'counters.WORDS' as it was, which the original changes"
    honest = COUNTING.replace("seen = 0", "seen = 0\n    more = 1")
    assert isinstance(compare(COUNTING, honest, "f(['a', 'b'])", rounds=1), Agreement)


def test_effects_that_are_not_the_same_each_time_are_left_out_and_the_report_says_so(compare: Compare) -> None:
    timed = "import logging, os\ndef f(words):\n    logging.info(os.urandom(8).hex())\n    return sorted(words)\n"
    found = compare(timed, timed.replace("sorted(words)", "list(sorted(words))"), "f(['a', 'b'])", rounds=1)
    assert isinstance(found, Agreement)
    assert found.inputs > 10
    assert [each.origin for each in found.skipped] == ["effects of calls"]


def test_what_a_rewrite_remembers_is_told_with_the_calls_before(compare: Compare) -> None:
    found = compare(
        "def f(items):\n    return sum(items)\n",
        "known = {}\ndef f(items):\n    return known.setdefault(len(items), sum(items))\n",
        "f([1, 2])\nf([3, 4])\nf([5])",
    )
    assert isinstance(found, Counterexample)
    assert len(found.calls) == 2
    assert found.line.startswith(f"after {found.calls[0]}: {found.calls[1]} returned ")


@pytest.mark.nightly
def test_inputs_keep_the_form_that_the_calls_show(compare: Compare) -> None:
    """A record with a field less and a ragged matrix are no inputs; the rewrite fails on them."""
    found = compare(
        "def f(grid, pairs):\n    return [row[0] for row in grid], [pair[0] for pair in pairs]\n",
        "def f(grid, pairs):\n    return [a for a, b, c in grid], [left for left, right in pairs]\n",
        "f([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [('a', 1)])\nf([[1, 0, 0]], [('b', 2), ('c', 3)])",
        rounds=4,
    )
    assert isinstance(found, Agreement), found.line


@pytest.mark.nightly
def test_what_takes_too_long_or_is_no_input_is_left_out(compare: Compare) -> None:
    """The rewrite differs where the original counts for ever, and where it raises a TypeError; nowhere else."""
    found = compare(
        "def f(n, items):\n    while n > 0:\n        n -= 1\n    return len(items) + n\n",
        "def f(n, items):\n    return len(items) + (0 if 0 < n < 10**8 else -1 if n >= 10**8 else n)\n",
        "f(5, [1])\nf(40, [2, 3])",
    )
    assert isinstance(found, Agreement), found.line
    assert any("takes longer than" in skipped.reason for skipped in found.skipped)


OBJECTS = """\
from dataclasses import dataclass

@dataclass
class Item:
    name: str
    price: int

class Cart:
    def __init__(self, items):
        self.items = items

    def dearest(self):
        best = None
        for item in self.items:
            if best is None or item.price > best.price:
                best = item
        return best

def f(items):
    return Cart(items).dearest()
"""


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("function", "calls", "shown"),
    [
        pytest.param(
            "f", "f([Item('a', 1), Item('b', 2)])\nf([Item('c', 3)])", "f([Item(name=", marks=pytest.mark.nightly
        ),
        ("Cart.dearest", "Cart([Item('a', 1), Item('b', 2)]).dearest()", "Cart(items=[Item(name="),
    ],
)
def test_fields_of_objects_are_changed(compare: Compare, function: str, calls: str, shown: str) -> None:
    last = OBJECTS.replace("item.price > best", "item.price >= best")
    found = compare(OBJECTS, last, calls, function=function)
    assert isinstance(found, Counterexample)
    assert found.calls[0].startswith(shown)


@pytest.mark.nightly
def test_the_same_seed_gives_the_same_inputs(make_bench: MakeBench) -> None:
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    place = (bench.sandbox, bench.target, bench.environment, bench.limits)

    def made(seed: int) -> list[bytes]:
        rounds = Inputs(*place, bench.workload.calls, seed).rounds(Deadline.after(600))
        return [call.blob for each in islice(rounds, 3) for call in each.calls]

    first, again, other = made(3), made(3), made(4)
    assert len(first) > 100
    assert first == again
    assert first != other, "what Hypothesis draws hangs on the seed"


@pytest.mark.slow
def test_effects_of_real_calls_are_compared_on_few_that_are_large(make_bench: MakeBench) -> None:
    def chosen(size: int) -> int:
        calls = "".join(f"    f(['user {number} saw this'] * {size})\n" for number in range(6))
        bench = make_bench(f"def f(lines):\n    return len(lines)\n\nif __name__ == '__main__':\n{calls}", "f")
        place = (bench.sandbox, bench.target, bench.environment, bench.limits)
        real = bench.workload.calls_in_order()
        return len(Inputs(*place, real, 0, known_names=("lines",)).real_calls().calls)

    assert chosen(10) >= 6
    assert 1 <= chosen(200_000) <= 2, "for each call makes its outcome again and writes all of it out several times"


@pytest.mark.nightly
def test_without_hypothesis_edge_cases_remain_and_the_report_says_so(make_bench: MakeBench, project: Project) -> None:
    """A module of the project that is called like Hypothesis stands in its way, as it would for the user's own code."""
    project.write("hypothesis.py", "raise ImportError('this is another one')\n")
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    found = DifferenceSearch(bench, bench.target.source, 0).against(BY_SORTING, Deadline.after(8))
    assert isinstance(found, Agreement)
    assert found.inputs > 50
    assert any("only edge cases" in skipped.reason for skipped in found.skipped)


@pytest.mark.nightly
def test_a_rewrite_that_does_not_end_is_told_apart_from_a_busy_machine(make_bench: MakeBench) -> None:
    source = "def f(n):\n    return max(n, 0)\n\nif __name__ == '__main__':\n    f(3)\n    f(5)\n"
    bench = make_bench(source, "f")
    bench = replace(bench, limits=replace(bench.limits, wall_time_s=1.0, cpu_time_s=1.0))
    endless = source.replace("    return max(n, 0)\n", "    while n < 0:\n        pass\n    return max(n, 0)\n")
    found = DifferenceSearch(bench, source, 0).against(endless, Deadline.after(30))
    assert isinstance(found, Counterexample)
    assert found.actual.startswith("did not come to an end")
    assert found.calls[0].startswith("f(-")


class NearlyOver(Deadline):
    """Never over, and never more than a moment away."""

    def passed(self) -> bool:
        return False

    def left_s(self) -> float:
        return 0.001


@pytest.mark.nightly
def test_no_round_is_begun_of_which_most_would_be_too_late(make_bench: MakeBench) -> None:
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    search = DifferenceSearch(bench, bench.target.source, 0)
    in_haste, in_time = (search.against(BY_SORTING, kind.after(600), rounds=3) for kind in (NearlyOver, Deadline))
    assert isinstance(in_haste, Agreement)
    assert isinstance(in_time, Agreement)
    assert 0 < in_haste.inputs <= CASES_PER_ROUND + TOGETHER_PER_ROUND + 2, "that is one round, and two real calls"
    assert in_haste.inputs < in_time.inputs


@pytest.mark.nightly
def test_a_search_for_which_there_is_no_time_left_tries_some_inputs_all_the_same(make_bench: MakeBench) -> None:
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    search = DifferenceSearch(bench, bench.target.source, 0)
    found = search.against(BY_SORTING, Deadline.after(0))
    assert isinstance(found, Agreement)
    assert found.inputs > 0
    assert isinstance(search.against(UNSTABLE, Deadline.after(0)), Counterexample)


@pytest.mark.nightly
def test_a_limit_that_is_not_believed_hides_no_difference(make_bench: MakeBench) -> None:
    """All calls together need more memory than there is, each of them does not; what was not compared is made again."""
    calls = "".join(f"    f({n})\n" for n in range(24))
    source = f"def f(n):\n    return n\n\nif __name__ == '__main__':\n{calls}"
    bench = make_bench(source, "f")
    bench = replace(bench, limits=replace(bench.limits, memory_kib=300 * 1024))
    hungry = "KEPT = []\ndef f(n):\n    KEPT.append(b'x' * (20 << 20))\n    return n if n != {wrong} else -n\n"
    comparer = Comparer(bench.sandbox, bench.target, bench.environment, bench.limits)
    made = bench.workload.calls_in_order()
    for call in (made[2], made[len(made) // 2], made[-2]):
        wrong = int(call.description.removeprefix("f(").removesuffix(")"))
        found = comparer.first_difference(hungry.format(wrong=wrong), made)
        assert found is not None, call.description
        assert found.verdict is Verdict.WRONG_ANSWER
        assert found.actual == f"returned -{wrong}"
    assert comparer.first_difference(hungry.format(wrong=99), made) is None


@pytest.mark.nightly
def test_what_was_made_ahead_or_tried_before_is_not_done_again(
    make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    search = DifferenceSearch(bench, bench.target.source, 0)
    search.make_inputs(1, Deadline.after(600))
    monkeypatch.setattr(Inputs, "_add_round", lambda *_: pytest.fail("a round was there"))
    first = search.against(BY_SORTING, Deadline.after(600), rounds=1)
    assert isinstance(first, Agreement)
    assert first.inputs > 0
    monkeypatch.setattr(Comparer, "first_difference", lambda *_: pytest.fail("the rewrite was known to agree"))
    assert search.against(BY_SORTING, Deadline.after(600), rounds=1) == first
    monkeypatch.undo()
    assert isinstance(search.against(UNSTABLE, Deadline.after(600), rounds=1), Counterexample)


def test_a_search_that_nobody_wants_any_more_ends_and_another_can_begin(make_bench: MakeBench) -> None:
    bench = make_bench(f'{STABLE}\nif __name__ == "__main__":\n    f([("a", 3), ("b", 1)])\n    f([("c", 2)])\n', "f")
    search = DifferenceSearch(bench, bench.target.source, 0)
    with search.droppable() as drop:
        drop()
        with pytest.raises(CancelledError):
            search.against(BY_SORTING, Deadline.after(600))
    assert isinstance(search.against(BY_SORTING, Deadline.after(600), rounds=1), Agreement)


CHOSEN = """\
from __future__ import annotations
from typing import Literal
Side = Literal["l", "r"]

def f(text: str, width: int, side: Side = "l", fill: "Missing" = " ") -> str:
    missing = fill * (width - len(text))
    return text + missing if side == "l" else missing + text
"""


def test_a_hint_that_lists_texts_is_read_and_one_that_cannot_be_read_stops_nothing(compare: Compare) -> None:
    calls = "f('ab', 4)\nf('abc', 5, 'r')"
    wrong = CHOSEN.replace("missing = fill * (width - len(text))", "missing = ' ' * (width - len(text))")
    found = compare(CHOSEN, wrong, calls, rounds=2)
    assert isinstance(found, Counterexample)
    assert "fill=" in found.line
    agreed = compare(CHOSEN, CHOSEN.replace("text + missing", "''.join([text, missing])"), calls, rounds=1)
    assert isinstance(agreed, Agreement)
    assert agreed.inputs > 20


MANY_OPTIONS = """\
def f(rows, options):
    widths = [0] * len(options["names"])
    for row in rows:
        for at, cell in enumerate(row):
            widths[at] = max(widths[at], len(cell), options["least"])
    return widths
"""
OPTIONS = "{'names': 'ab', 'least': %d, **{'option %%d' %% n: n for n in range(30)}}"


def test_a_record_of_many_fields_is_varied_as_any_other(compare: Compare) -> None:
    calls = "\n".join(f"f([['x', 'yy'], ['zzz', '']], {OPTIONS % least})" for least in (0, 2, 5))
    wrong = MANY_OPTIONS.replace(', options["least"])', ")").replace(
        "    return",
        """\
    widths = [max(width, options["least"]) for width in widths]
    return""",
    )
    found = compare(MANY_OPTIONS, wrong, calls, rounds=2)
    assert isinstance(found, Counterexample)
    assert found.line.startswith("f([], {"), "without a row"
    same = MANY_OPTIONS.replace("for at, cell in enumerate(row)", "for at, cell in list(enumerate(row))")
    agreed = compare(MANY_OPTIONS, same, calls, rounds=1)
    assert isinstance(agreed, Agreement)
    assert agreed.inputs > 40


def test_where_no_call_is_left_there_is_no_difference(make_bench: MakeBench) -> None:
    """A round of made inputs may hold none that keeps to the contract."""
    bench = make_bench("def f(n):\n    return n\n\nif __name__ == '__main__':\n    f(1)\n", "f")
    comparer = Comparer(bench.sandbox, bench.target, bench.environment, bench.limits)
    assert comparer.first_difference("def f(n):\n    return -n\n", []) is None


@pytest.mark.nightly
def test_calls_that_no_process_comes_to_are_compared_with_more_time(make_bench: MakeBench) -> None:
    """The rewrite is in time with each call alone, and with so few at once that the middle one's turn hardly comes."""
    bench = make_bench("def f(n):\n    return n\n\nif __name__ == '__main__':\n    f(1)\n", "f")
    bench = replace(bench, limits=replace(bench.limits, wall_time_s=0.7, cpu_time_s=0.7))
    [one] = bench.workload.calls[:1]
    blobs = tuple(dump_call((n,), {}, {}) for n in range(100))
    [report] = bench.sandbox.run(bench.program(bench.target.source), [CallCase(blobs)]).cases
    pairs = zip(blobs, report.outcomes, strict=True)
    made = [replace(one, blob=blob, expected=outcome.encoded) for blob, outcome in pairs]
    late = "import time\ndef f(n):\n    time.sleep(0.1)\n    return n if n != 50 else -n\n"
    comparer = Comparer(bench.sandbox, bench.target, bench.environment, bench.limits)
    found = comparer.first_difference(late, made)
    assert found is not None
    assert found.verdict is Verdict.WRONG_ANSWER
    assert comparer.first_difference(late.replace("-n", "n"), made) is None, "to be slow is not to be different"


@pytest.mark.nightly
@pytest.mark.parametrize(("seconds", "verdict"), [(1.2, None), (60, Verdict.TIME_LIMIT)])
def test_a_call_that_is_late_is_given_more_time_by_itself(
    make_bench: MakeBench, seconds: float, verdict: Verdict | None
) -> None:
    """As on a machine that is busy for a moment; what was not compared is compared then."""
    source = "def f(n):\n    return n\n\nif __name__ == '__main__':\n    f(1)\n    f(2)\n    f(3)\n"
    bench = make_bench(source, "f")
    bench = replace(bench, limits=replace(bench.limits, wall_time_s=0.8, cpu_time_s=0.8))
    comparer = Comparer(bench.sandbox, bench.target, bench.environment, bench.limits)
    late = f"import time\ndef f(n):\n    time.sleep({seconds} * (n == 2))\n    return n\n"
    found = comparer.first_difference(late, bench.workload.calls_in_order())
    assert (found and found.verdict) == verdict


RARE = """\
def f(readings):
    before = None
    for number, value in enumerate(readings):
        if value * 7919 % 1009 == 5:
            if before is not None:
                yield number - before
            before = number
"""


@pytest.mark.nightly
def test_what_is_rare_in_large_real_calls_is_met_in_small_inputs(compare: Compare) -> None:
    never_beside = RARE.replace("before is not None:", "before is not None and number > before + 1:")
    assert never_beside != RARE
    calls = "\n".join(
        ("import random", "chance = random.Random(3)") + ("f([chance.randrange(10**6) for _ in range(9000)])",) * 2
    )
    found = compare(RARE, never_beside, calls, rounds=2)
    assert isinstance(found, Counterexample)
    assert "returned <generator of []> instead of <generator of [1]>" in found.line
