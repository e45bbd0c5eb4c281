"""join-strings: strings that grow in loops are collected and joined once."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from afterburner.agent.rules.patterns.join_strings import JoinStrings

TABLE = r"""
def table(rows, stop):
    text: str = "name,total\n"
    for row in rows:
        # one line each
        text = text + row[0] + ","  # the name
        line = ''
        for cell in row:
            line += cell
            if cell == stop: return text + line
        text += line.strip() + ";"
    text += "end"
    return text
"""

LATER = """
def render(items, head: str = "<"):
    out, raw = "", b""
    raw = b"x"
    i = 0
    for item in items:
        if not item:
            continue
        head = f"{head}{item!r}, "; raw += item.encode()
    while i < len(items):
        head += items[i]
        i += 1
        if i > 3:
            break
    print(head)
    return head.upper(), raw, out
"""

FRONT = """
def digits(number):
    out = "b"
    while number:
        out = str(number % 2) + out
        number //= 2
    return out
"""

EACH = """
def lines(groups):
    found = []
    for name, words in groups:
        line = f"{name}:"
        for word in words:
            line = line + " " + word
        found.append(line)
    return found
"""

PROGRAM = """
import sys
out = ""
for line in sys.stdin:
    out += line[::-1]
sys.stdout.write(out)
"""

LEFT_ALONE = """
def f(xs):
    text = ""
    for x in xs:
        text += x
        if len(text) > 80:
            break
    return text
---
def f(xs):
    words, word = [], ""
    for x in xs:
        if x == " ":
            words.append(word)
            word = ""
        else:
            word += x
    return words
---
def f(xs):
    total = 0
    for x in xs:
        total += x
    return total
---
def f(xs, start):
    for x in xs:
        start += x
    return start
---
def f(xs):
    text = ""
    for x in xs:
        text += 1
    return text
---
def f(xs):
    text = ""
    try:
        for x in xs:
            text += x
    except TypeError:
        return text
    return text
---
def f(xs):
    text = ""
    for x in xs:
        try:
            text += x
        except TypeError:
            text += "?"
    return text
---
def f(xs):
    text = ""
    def show():
        print(text)
    for x in xs:
        text += x
        show()
    return text
---
def f(xs):
    text = ""
    for x in xs:
        text = x + text
        text = text + x
    return text
---
def f(xs):
    text = ""
    text += str(xs)
    return text
---
def f(xs):
    for x in xs:
        text = "a"
        for y in x:
            text += y
            if not y:
                return 1
        else:
            continue
        print(text)
    return text
---
def f(xs):
    global text
    text = ""
    for x in xs:
        text += x
    return text
---
def f(xs):
    text = ""
    for x in xs:
        text += text + x
    return text
"""


def words(rng: random.Random, count: int = 6) -> list[str]:
    return [rng.choice(["", "a", "bc", "x\n", " "]) for _ in range(rng.randint(0, count))]


def test_all_pieces_are_collected_up_to_the_first_use(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(JoinStrings(), TABLE, "table")
    assert r'text_parts = ["name,total\n"]' in after
    assert 'text_parts.extend((row[0], ","))  # the name' in after
    assert 'text_parts.append("".join(line_parts).strip() + ";")' in after
    assert 'return "".join(text_parts)' in after
    rng = random.Random(0)
    rows = [[["n", *words(rng)] for _ in range(rng.randint(0, 5))] for _ in range(50)]
    agree(TABLE, after, "table", [*((each, rng.choice(["bc", None])) for each in rows), (None, 1), ([[]], 1)])


def test_parameters_bytes_and_format_strings_grow_too(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(JoinStrings(), LATER, "render")
    assert "head_parts = [head]" in after
    assert 'raw_parts = [b"x"]' in after
    assert "+=" not in after.replace("i += 1", "")
    rng = random.Random(1)
    agree(LATER, after, "render", [*((words(rng),) for _ in range(50)), (["a"], "")])


def test_what_grows_at_its_front_is_reversed(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    after = apply(JoinStrings(), FRONT, "digits")
    assert 'return "".join(reversed(out_parts))' in after
    agree(FRONT, after, "digits", [(number,) for number in range(40)])


def test_a_string_that_starts_anew_in_each_round_is_joined_in_each_round(
    apply: Callable[..., Any], agree: Callable[..., None]
) -> None:
    after = apply(JoinStrings(), EACH, "lines")
    assert 'line_parts = [f"{name}:"]' in after
    assert 'found.append("".join(line_parts))' in after
    agree(EACH, after, "lines", [([],), ([("a", ["b", "c"]), (1, [])],), ([(None, "xyz")],)])


def test_a_whole_program_is_treated(apply: Callable[..., Any]) -> None:
    after = apply(JoinStrings(), PROGRAM)
    assert "out_parts.append(line[::-1])" in after
    assert 'sys.stdout.write("".join(out_parts))' in after


@pytest.mark.parametrize("source", LEFT_ALONE.split("---\n"))
def test_strings_are_left_alone_when_they_are_looked_at_or_may_be_none(apply: Callable[..., Any], source: str) -> None:
    assert apply(JoinStrings(), source, "f") is None
