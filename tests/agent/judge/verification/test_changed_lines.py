"""What counts as a change of lines that no input reaches."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.verification.changed_lines import MOST_PAIRS, changed_lines

BEFORE = """\
def f(items, limit):
    total = 0
    for item in items:
        if item > limit:
            report(
                item,
                limit,
            )
            total -= 1
        total += item
    try:
        check(total)
    except ValueError:
        total = 0
    return total
"""
UNREACHED = (5, 9, 14)  # the call of `report`, `total -= 1`, and the line in the handler


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        pytest.param("total += item", "total = total + item", (), id="a line that is reached"),
        pytest.param("    total = 0\n    for", "    total = 0\n    seen = set()\n    for", (), id="a line elsewhere"),
        pytest.param("item > limit:", "limit < item:", (), id="the condition above, which is reached"),
        pytest.param("            total -= 1", "            # less\n\n            total -= 1", (), id="a comment"),
        pytest.param("        total += item", "        log(item)\n        total += item", (), id="behind the block"),
        pytest.param("limit,\n", "limit + 1,\n", (5,), id="a later line of the statement"),
        pytest.param("            report(", "            log()\n            report(", (5,), id="a line before it"),
        pytest.param(
            "item > limit:\n",
            "limit < item:\n            log()\n",
            (5,),
            id="a line before it, and the condition above",
        ),
        pytest.param("total -= 1\n", "total -= 1\n            log()\n", (9,), id="a line behind it"),
        pytest.param("            total -= 1", "        total -= 1", (9,), id="a line that left its block"),
        pytest.param("total -= 1", "total = total - 1", (9,), id="the statement behind another one"),
        pytest.param("            report(", "            log(", (5,), id="the statement before another one"),
        pytest.param("except ValueError", "except Exception", (14,), id="what the handler catches"),
    ],
)
def test_a_change_of_a_statement_is_one_of_its_lines_its_handler_or_its_block(
    old: str, new: str, changed: tuple[int, ...]
) -> None:
    assert BEFORE.count(old) == 1
    assert changed_lines(BEFORE, BEFORE.replace(old, new), UNREACHED) == changed


def test_the_indentation_of_the_whole_is_no_change() -> None:
    indented = "class A:\n" + "".join(f"    {line}\n" for line in BEFORE.splitlines())
    assert changed_lines(BEFORE, indented, UNREACHED) == ()


def test_texts_with_too_many_lines_to_compare_count_as_changed() -> None:
    size = int(MOST_PAIRS**0.5) + 1
    before, after = "a()\n" * size, "b()\n" * size
    assert changed_lines(before, after, (1, size)) == (1, size)
    assert changed_lines(before, before + "b()\n", (1, 7)) == ()
