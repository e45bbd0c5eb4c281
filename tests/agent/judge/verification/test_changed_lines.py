"""What counts as a change of lines that no input reaches."""

from __future__ import annotations

import pytest

from afterburner.agent.judge.verification.changed_lines import MOST_LINES, changed_lines, parameters_used
from afterburner.agent.types import Target

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
            continue
        total += item
    try:
        check(total)
    except ValueError:
        total = 0
    return total
"""
UNREACHED = (5, 9, 15)  # the call of `report`, `total -= 1`, and the line in the handler


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        pytest.param("total += item", "total = total + item", (), id="a line that is reached"),
        pytest.param("    total = 0\n    for", "    total = 0\n    seen = set()\n    for", (), id="a line elsewhere"),
        pytest.param(
            "            total -= 1", "            # less\n\n            total -= 1  # one", (), id="comments"
        ),
        pytest.param("        total += item", "        log(item)\n        total += item", (), id="behind the block"),
        pytest.param("item > limit:", "limit <= item:", (5,), id="the condition above"),
        pytest.param("limit,\n", "limit + 1,\n", (5,), id="a later line of a statement"),
        pytest.param("            report(", "            log()\n            report(", (5,), id="a line before it"),
        pytest.param("total -= 1", "total = total - 1", (5, 9), id="a statement, and the one before it"),
        pytest.param("total -= 1\n", "total -= 1\n            log()\n", (9,), id="a line behind it"),
        pytest.param("            continue\n", "", (9,), id="what ends its block is gone"),
        pytest.param("continue", "break", (9,), id="what ends its block is another"),
        pytest.param("except ValueError", "except Exception", (15,), id="what the handler catches"),
        pytest.param(
            "    total = 0\n    for",
            "    total = 0\n    if not items:\n        return 0\n    for",
            UNREACHED,
            id="a way out",
        ),
        pytest.param(
            "        total += item", "        if not item: continue\n        total += item", (15,), id="in a line"
        ),
        pytest.param(
            "    total = 0\n    for",
            "    total = 0\n    def g():\n        return 1\n    for",
            (),
            id="one of another function",
        ),
    ],
)
def test_a_change_of_a_statement_is_one_of_its_lines_or_of_its_neighbours(
    old: str, new: str, changed: tuple[int, ...]
) -> None:
    assert BEFORE.count(old) == 1
    assert changed_lines(BEFORE, BEFORE.replace(old, new), UNREACHED) == changed
    below = tuple(line + 100 for line in UNREACHED)
    assert changed_lines(BEFORE, BEFORE.replace(old, new), below, 101) == tuple(line + 100 for line in changed)


def test_a_line_that_left_its_block_is_changed() -> None:
    moved = BEFORE.replace("            total -= 1\n            continue\n", "        total -= 1\n        continue\n")
    assert changed_lines(BEFORE, moved, UNREACHED) == (5, 9)


BRANCHES = """\
def f(text):
    if isinstance(text, str):
        try:
            text.encode("ascii")
        except UnicodeEncodeError:
            return False
    elif isinstance(text, bytes):
        return text.isascii()
    else:
        raise ValueError(text)
    return True
"""


def test_what_one_branch_does_is_no_change_of_the_others() -> None:
    first = BRANCHES.index("        try:")
    shorter = BRANCHES[:first] + "        return text.isascii()\n" + BRANCHES[BRANCHES.index("    elif") :]
    assert changed_lines(BRANCHES, shorter, (7, 8, 9, 10)) == ()
    assert changed_lines(BRANCHES, shorter, (4, 6)) == (4, 6)
    other = BRANCHES.replace("isinstance(text, str)", "type(text) is str")
    assert changed_lines(BRANCHES, other, (7, 8, 10)) == (7,), "whether it comes there hangs on the condition before"
    looping = BRANCHES.replace("if isinstance", "while isinstance", 1).replace("    elif", "    if", 1)
    assert 7 in changed_lines(looping, looping.replace("return False", "break"), (7,))


def test_line_feeds_within_a_line_do_not_shift_the_others() -> None:
    before = "def f(n):\n    text = '\x0c'\n    if n > 9:\n        n -= 1\n    return n, text\n"
    assert changed_lines(before, before.replace("n -= 1", "n -= 2"), (4,)) == (4,)
    assert changed_lines(before, before.replace("n, text", "(n, text)"), (4,)) == ()


def test_blank_lines_within_a_string_count() -> None:
    before = 'def f(n):\n    if n > 9:\n        return """a\n\nb"""\n    return n\n'
    assert changed_lines(before, before.replace("a\n\nb", "a\nb"), (3,)) == (3,)


def test_of_functions_with_too_many_lines_to_compare_every_line_counts_as_changed() -> None:
    text = "def f():\n" + "    a()\n" * MOST_LINES
    assert changed_lines(text, text, (2, 7)) == (2, 7)


def test_without_lines_the_text_may_be_of_any_language() -> None:
    assert changed_lines("int main() { return 0; }", "int main() { return 1; }", ()) == ()


def test_a_parameter_counts_if_the_code_of_either_version_uses_it() -> None:
    before = "LIMIT = 3\n\ndef f(n, *more, **options):\n    n += 1\n    return g(n, **options)\n"
    target = Target("/f.py", before, "f", "f", "/", "/")

    def found(*changes: tuple[str, str]) -> tuple[str, ...]:
        after = before
        for old, new in changes:
            after = after.replace(old, new)
        return parameters_used(target, before, after, ("more", "options"))

    assert found(("n += 1", "n = n + 1")) == ("options",), "a change may concern what was made of it"
    assert found(("n += 1", "n += 1 + len(more)")) == ("more", "options")
    assert found((before[before.index("def") :], "from .faster import f\n")) == ("options",)
    before = before.replace("g(n, **options)", "g(n)")
    assert found() == ()
