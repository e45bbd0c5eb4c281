"""Edits that were made for one text, on another one: at the right place, or not at all."""

from __future__ import annotations

import random

import pytest

from afterburner.agent.code.text_edits import apply_edits, edits_between
from afterburner.lsp_server.text.reached import uses_the_same
from afterburner.lsp_server.text.rebase import in_one_piece, rebased

BEFORE = """\
import os


def first(x):
    return x


def slow(xs):
    total = 0
    for x in xs:
        total += x
    return total
"""
AFTER = """\
import os
from math import fsum


def first(x):
    return x


def slow(xs):
    return fsum(xs)
"""


def put(now: str) -> str | None:
    edits = rebased(BEFORE, edits_between(BEFORE, AFTER), now, "slow")
    return None if edits is None else apply_edits(now, edits)


def test_the_text_that_they_were_made_for() -> None:
    assert put(BEFORE) == AFTER


def test_edits_in_a_function_are_one_so_that_none_can_be_left_out() -> None:
    before = BEFORE.replace("        total += x\n", "        # each of them\n        total += x\n")
    after = before.replace("total = 0", "total = 0.0").replace("total += x", "total = total + x")
    after = after.replace("import os\n", "import os\nimport sys\n")
    edits = edits_between(before, after)
    assert len(edits) == 3
    added, changed = in_one_piece(before, edits, "slow")
    assert added.new_text == "import sys\n"
    assert changed.new_text == (
        "    total = 0.0\n    for x in xs:\n        # each of them\n        total = total + x\n"
    )
    assert apply_edits(before, (added, changed)) == after
    assert in_one_piece(before, edits[:2], "slow") == edits[:2], "there is nothing to join"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("def first(x):\n    return x\n", "def first(x):\n    return x + 1\n\n\ndef more():\n    pass\n"),
        ("import os\n", "import os\n\nSIZE = 3\n"),
        ("def first(x):\n    return x\n\n\n", ""),
        ("    return total\n", "    return total\n\n\ndef last():\n    return 1\n"),
    ],
)
def test_changes_elsewhere_stay(old: str, new: str) -> None:
    now = BEFORE.replace(old, new, 1)
    made = put(now)
    assert made is not None
    assert made == now.replace("import os\n", "import os\nfrom math import fsum\n", 1).replace(
        "    total = 0\n    for x in xs:\n        total += x\n    return total\n", "    return fsum(xs)\n"
    )


def test_a_function_that_was_moved() -> None:
    function = BEFORE[BEFORE.index("def slow") :]
    now = BEFORE.replace(function, "").replace("def first", f"{function}\n\ndef first")
    made = put(now)
    assert made is not None
    assert "def slow(xs):\n    return fsum(xs)\n\n\ndef first(x):\n    return x\n" in made
    assert made.startswith("import os\nfrom math import fsum\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total += x", "total += 2 * x"),
        ("def slow", "def slower"),
        ("    total = 0\n", "    total = 0\n\n"),
        ("def slow(xs)", "@cache\ndef slow(xs)"),
        ("    return total\n", "    return total\n\n\ndef slow(xs):\n    return 3\n"),  # another one counts now
    ],
)
def test_a_function_that_was_changed_is_left_alone(old: str, new: str) -> None:
    assert put(BEFORE.replace(old, new, 1)) is None


def test_an_import_is_not_put_into_a_text() -> None:
    """The line that it stood behind is gone, and an equal one stands in a string."""
    assert put(BEFORE.replace("import os\n", 'TEXT = """\nimport os\n"""\n', 1)) is None


def test_an_import_waits_for_a_text_that_parses() -> None:
    now = BEFORE.replace("    return x\n", "    return (x\n", 1)
    assert put(now) is None
    inside = AFTER.replace("from math import fsum\n", "").replace("fsum(xs)", "sum(xs)")
    edits = rebased(BEFORE, edits_between(BEFORE, inside), now, "slow")
    assert edits is not None
    assert apply_edits(now, edits) == inside.replace("    return x\n", "    return (x\n", 1)


@pytest.mark.parametrize("number", [500, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_random_changes_stay_as_they_are(number: int) -> None:
    """Taking the rewrite out of what comes of it by hand gives the text that was there."""
    rng = random.Random(number)
    old, new = BEFORE[BEFORE.index("def slow") :], AFTER[AFTER.index("def slow") :]
    pool = [
        *BEFORE.splitlines(keepends=True),
        "\n",
        "x = 1\n",
        '"""\n',
        "@cache\n",
        "def slow(xs):\n",
        "if x:\n",
        old,
        "# a\n",
    ]
    made = 0
    for _ in range(number):
        lines = BEFORE.splitlines(keepends=True)
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(len(lines) + 1)
            end = min(len(lines), start + rng.choice([0, 0, 1, 3]))
            lines[start:end] = rng.choices(pool, k=rng.choice([0, 1, 1, 2]))
        now = "".join(lines)
        after = put(now)
        if after is not None:
            made += 1
            head, found, tail = after.rpartition(new)
            assert found
            assert (head + old + tail).replace("from math import fsum\n", "", 1) == now
    assert made > number / 20


USES = """\
import math

SIZE = 3


def helper(x):
    return math.floor(other(x)) * SIZE


def other(x):
    return x


def f(x):
    return helper(x)
"""


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("SIZE = 3", "SIZE = 4", False),
        ("return x\n", "return x + 1\n", False),
        ("import math", "import math\nimport re", True),
        ("import math\n", "import math\nUNUSED = 3\n", True),
        ("import math\n", "import math, re\n", True),
        ("import math\n", "import cmath as math\n", False),
        ("def other(x):\n    return x\n", "", False),
        ("def other(x):\n    return x\n", "def other(x):\n    return x  # a comment\n", True),
        ("SIZE = 3", "SIZE = (", True),
    ],
)
def test_a_rewrite_fits_only_with_what_its_function_uses(old: str, new: str, same: bool) -> None:
    assert uses_the_same(USES, USES.replace(old, new), "f") is same
