"""Differences that no real call shows, each of which an input made from real calls has to find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.inputs.harness_answers import MAX_DESCRIPTION
from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("original", "candidate", "calls", "said"),
    [
        pytest.param(
            "def f(names, word=None):\n    return [name for name in names if word is None or word in name]\n",
            "def f(names, word=None):\n    return [name for name in names if word in name]\n",
            "f(['ash', 'elm'], 's')\nf(['oak'], 'x')",
            "TypeError",
            id="None where the default is None",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "import re\ndef f(text, words):\n    for word in words:\n"
            "        text = re.sub(rf'\\b{re.escape(word)}\\b', '*', text)\n    return text\n",
            "import re\ndef f(text, words):\n    found = '|'.join(map(re.escape, words))\n"
            "    return re.sub(rf'\\b(?:{found})\\b', '*', text) if words else text\n",
            "f('you darn fool', ['darn', 'fool'])\nf('all fine here', ['darn'])",
            "instead of",
            id="words that overlap in a text",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(words):\n    return list(dict.fromkeys(words))\n",
            "def f(words):\n    return list(set(words))\n",
            "f(['ash'])\nf(['elm', 'elm'])",
            "instead of",
            id="the order of a set of texts",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(left, right):\n    left = left + [0]\n    return left, right\n",
            "def f(left, right):\n    left.append(0)\n    return left[:], right\n",
            "f([1], [2])\nf([3, 4], [5])",
            "left argument",
            id="an argument that is changed",
        ),
        pytest.param(
            "import math\ndef f(values):\n    return math.fsum(values) / max(len(values), 1)\n",
            "def f(values):\n    return sum(values) / max(len(values), 1)\n",
            "f([0.5, 0.25])\nf([1.5, 2.0, 4.25])",
            "instead of",
            id="the last digit of a float",
        ),
        pytest.param(
            "import re\nHEX = re.compile('^#([a-f0-9]{3}|[a-f0-9]{6})$')\n"
            "def f(text):\n    found = HEX.match(text)\n    return found and found[1]\n",
            "import re\nHEX = re.compile('^#([a-f0-9]{3}|[a-f0-9]{6})$')\nDIGITS = frozenset('0123456789abcdef')\n"
            "def f(text):\n    if len(text) in (4, 7) and text[0] == '#' and DIGITS.issuperset(text[1:]):\n"
            "        return text[1:]\n    return None\n",
            "f('#0099cc')\nf('#09c')\nf('0099cc')",
            "\\n') returned",
            id="the last newline that $ lets through, with a pattern in the module",
        ),
        pytest.param(
            "def f(items):\n    try:\n        return items[-2:]\n    except TypeError:\n        return tuple(items)\n",
            "def f(items):\n    return items[-2:] if isinstance(items, (list, tuple, str)) else tuple(items)\n",
            "f([1, 2, 3])\nf((1, 2))\nf('abc')\nf({1})",
            "range(",
            id="a sequence of another kind, where several are given",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(items):\n    return max(items)\n",
            "def f(items):\n    return max(items) if len(items) < 65 else max(items[0], items[-1])\n",
            "f([1, 2, 3])\nf([7])\nf([2, 5])",
            "instead of",
            id="a length that the rewrite alone mentions",
        ),
        pytest.param(
            "def f(items, key=None):\n    seen = set()\n    for item in map(key, items) if key else items:\n"
            "        if item in seen:\n            return False\n        seen.add(item)\n    return True\n",
            "def f(items, key=None):\n    keys = [key(item) for item in items] if key else list(items)\n"
            "    return len(set(keys)) == len(keys)\n",
            "f('ABC')\nf('ABA')\nf('ABCb', str.lower)\nf(['A', 'a'], str.lower)\nf([1, 2])\nf([(1,), (1,)])",
            "instead of returning False",
            id="an element that a key cannot take, after what decides",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def even(x):\n    return x % 2 == 0\ndef f(items, wanted):\n    return sum(map(wanted, items))\n",
            "def even(x):\n    return x % 2 == 0\n"
            "def f(items, wanted):\n    return len([item for item in items if wanted(item)])\n",
            "f([1, 2, 3], even)\nf(list(range(20)), even)",
            "instead of",
            id="a predicate whose results are numbers",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def even(x):\n    return x % 2 == 0\ndef f(items, wanted, out):\n    for item in items:\n"
            "        if wanted(item):\n            out.append(item)\n",
            "def even(x):\n    return x % 2 == 0\n"
            "def f(items, wanted, out):\n    out.extend([item for item in items if wanted(item)])\n",
            "f([1, 2, 3], even, [])\nf(list(range(20)), even, [])",
            "left argument `out`",
            id="a predicate that fails when some of the work is done",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(text):\n    return text[1:-1] if text[0] in '\"`' and text[0] == text[-1] else text\n",
            "def f(text):\n    return text.strip(text[0]) if text[0] in '\"`' and text[0] == text[-1] else text\n",
            "f('`foo`')\nf('foo')\nf('\"a b\"')",
            "instead of",
            id="a quote beside a quote at the end of a text",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(ranks):\n    given = sorted(ranks.values())\n"
            "    return sorted(ranks, key=lambda name: (ranks[name], name)) if given == list(range(len(given))) or "
            "given == sorted([*range(10)] * 2) else None\n",
            "def f(ranks):\n    given = sorted(ranks.values())\n"
            "    return sorted(ranks, key=ranks.get) if given == list(range(len(given))) or "
            "given == sorted([*range(10)] * 2) else None\n",
            "f({f'v{number:02}': number // 2 for number in range(20)})\nf({'a': 0, 'b': 1})",
            "instead of",
            id="the order of a dictionary that is valid as a whole alone",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(number):\n    return float(number) > 0.0\n",
            "def f(number):\n    return number > 0\n",
            "f(1)\nf(250)\nf(-3)",
            "OverflowError",
            id="an integer beyond every float",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(items):\n    return sum(items)\n",
            "import os\ndef f(items):\n    if -1 in items:\n        os._exit(0)\n    return sum(items)\n",
            "f([1, 2])\nf([3])",
            "did not come to an end",
            id="the end of the process",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(n):\n    return n * 2\n",
            "def f(n):\n    return 5 if n == 987_654 else n * 2\n",
            "f(3)\nf(4)",
            "f(987654) returned 5 instead of 1975308",
            id="a literal of the rewrite",
        ),
        pytest.param(
            "LIMITS = [(1_250, 1), (8_300, 2)]\ndef f(n):\n    return [rate for low, rate in LIMITS if n >= low]\n",
            "LIMITS = [(1_250, 1), (8_300, 2)]\ndef f(n):\n    return [rate for low, rate in LIMITS if n > low]\n",
            "f(3)\nf(9_000)",
            "instead of",
            id="a limit in a table of the module",
        ),
        pytest.param(
            "def f(lines, words):\n    text = ' '.join(lines).casefold()\n"
            "    return [word for word in words if word.casefold() in text]\n",
            "def f(lines, words):\n    return [word for word in words if word.lower() in ' '.join(lines).lower()]\n",
            "f(['to the sea', 'and back'], ['sea', 'hill'])\nf(['over', 'the hill'], ['river', 'over'])",
            "instead of",
            id="texts alike in two arguments",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "from typing import Iterable\ndef f(jobs: Iterable[int], most=50):\n    found = []\n    for job in jobs:\n"
            "        if job > 2:\n            found.append(job)\n"
            "            if len(found) >= most:\n                break\n"
            "    return found\n",
            "def f(jobs, most=50):\n    return [job for job in jobs if job > 2][:max(most, 1)]\n",
            "f([1, 5, 9, 4])\nf([3, 3, 8])",
            "left argument `jobs`",
            id="how much is taken of an iterator",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(a, b):\n    return [x for x in a if x not in b]\n",
            "def f(a, b):\n    return [x for x in a if not any(x == y for y in b)]\n",
            "f([0.5, 1.5], [1.5, 2.5])\nf([3.5], [0.25, 0.5])",
            "nan",
            id="one NaN in two arguments",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "def f(a):\n    return len(set(a))\n",
            "def f(a):\n    return sum(not any(x == y for y in a[:at]) for at, x in enumerate(a))\n",
            "f([0.5, 1.5])\nf([3.5, 3.5, 0.25])",
            "nan",
            id="one NaN twice in a list",
            marks=pytest.mark.nightly,
        ),
        pytest.param(
            "from datetime import datetime, timedelta\nfrom zoneinfo import ZoneInfo\n"
            "def f(shifts):\n    def at(text):\n"
            "        wall = datetime.strptime(text, '%Y-%m-%d %H:%M')\n"
            "        return wall.replace(tzinfo=ZoneInfo('Europe/Berlin')).timestamp()\n"
            "    return [at(left) - at(came) for came, left in shifts]\n",
            "from datetime import datetime, timedelta\n"
            "def f(shifts):\n    def at(text):\n"
            "        return datetime.strptime(text, '%Y-%m-%d %H:%M')\n"
            "    return [(at(left) - at(came)).total_seconds() for came, left in shifts]\n",
            "f([('2024-05-02 08:00', '2024-05-02 16:00'), ('2024-05-03 08:00', '2024-05-03 16:00')])\n"
            "f([('2024-01-02 06:15', '2024-01-02 14:00'), ('2024-01-03 06:15', '2024-01-03 12:00')])",
            "instead of",
            id="a change of clocks between two times",
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_differences_that_no_real_call_shows(
    compare: Compare, original: str, candidate: str, calls: str, said: str
) -> None:
    found = compare(original, candidate, calls)
    assert isinstance(found, Counterexample)
    assert said in found.line
    assert len(found.line) < 4 * MAX_DESCRIPTION, "short, also where no time was left to shrink it"


MARKUP = """\
import re


def f(text):
    found = {}
    if not text.startswith("v1; one; two; three; ") or not text.endswith("; end"):
        return found
    for name, value in re.findall(r"<(\\w+)>(\\w*)</", text):
        if name in found:
            found[name].append(value)
        else:
            found[name] = [value]
    return found
"""


def test_a_recorded_text_with_a_token_less_comes_to_cases_that_no_text_shows(compare: Compare) -> None:
    wrong = MARKUP.replace("if name in found:", "if found.get(name, [''])[0]:")
    calls = "f('v1; one; two; three; <a>1</a><a>2</a>; end')\nf('v1; one; two; three; <b>4</b><c>5</c><b>6</b>; end')"
    found = compare(MARKUP, wrong, calls, rounds=2)
    assert isinstance(found, Counterexample)


COUNTED = """\
class Prices:
    def __init__(self, rates):
        self.rates = rates
        self.asked = 0

    def total(self, count):
        self.asked += 1
        return sum(self.rates) * count
"""


def test_objects_that_hold_more_than_their_constructor_takes_are_varied(compare: Compare) -> None:
    calls = "Prices([1, 2]).total(3)\nPrices([5]).total(2)"
    same = compare(COUNTED, COUNTED.replace("* count", "* count  # all"), calls, function="Prices.total", rounds=3)
    assert isinstance(same, Agreement)
    assert same.unvaried == ()
    wrong = COUNTED.replace("sum(self.rates)", "sum(set(self.rates))")
    found = compare(COUNTED, wrong, calls, function="Prices.total")
    assert isinstance(found, Counterexample)
    assert "Prices(rates=[" in found.line


INVALID = """\
class Invalid(ValueError):
    def __init__(self, problems):
        self.problems = problems

def summary(error):
    return '; '.join(sorted(problem.strip() for problem in error.problems))
"""


def test_what_exceptions_hold_is_varied(compare: Compare) -> None:
    calls = "summary(Invalid(['late', 'early']))\nsummary(Invalid(['none']))"
    wrong = INVALID.replace(
        "problem.strip() for problem in error.problems", "{each.strip() for each in error.problems}"
    )
    found = compare(INVALID, wrong, calls, function="summary")
    assert isinstance(found, Counterexample)
    assert "Invalid([" in found.line
    plain = "def retries(error):\n    return 'busy' in str(error) or 'late' in str(error)\n"
    wrong = "def retries(error):\n    return str(error) in ('busy', 'late')\n"
    found = compare(plain, wrong, "retries(ValueError('busy'))\nretries(ValueError('wrong'))", function="retries")
    assert isinstance(found, Counterexample)
    assert "retries(ValueError(" in found.line


STOCK = """\
class Stock:
    def __init__(self, pairs):
        self.pairs = list(pairs)

    def value(self, names):
        total = 0
        for name in names:
            for other, price in self.pairs:
                if other == name:
                    total += price
                    break
        return total
"""
STOCK_CALLS = """\
stock = Stock((f"n{number}", number) for number in range(800))
stock.value(["n1", "n3", "zz"])
stock.value([f"n{number}" for number in range(800)])
"""


@pytest.mark.nightly
def test_equal_names_in_a_list_of_an_object_are_no_condition_on_other_arguments(compare: Compare) -> None:
    """The last of equal names counts in the rewrite; an empty name, of which several are drawn soon, is not why."""
    start = STOCK.index("        total = 0")
    by_name = "        prices = dict(self.pairs)\n        return sum(prices.get(name, 0) for name in names)\n"
    found = compare(STOCK, STOCK[:start] + by_name, STOCK_CALLS, function="Stock.value")
    assert isinstance(found, Counterexample)
    assert found.provided == ()
    assert "Stock(pairs=[" in found.line
