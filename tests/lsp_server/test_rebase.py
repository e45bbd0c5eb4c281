"""Edits that were made for one text, on another one: at the right place, or not at all."""

from __future__ import annotations

import pytest

from afterburner.agent.code.text_edits import apply_edits, edits_between
from afterburner.lsp_server.rebase import rebased

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
