"""yielded-rows: what was collected first and gone through later is the same when it comes one by one."""

from collections.abc import Callable
from typing import Any

import pytest

# ruff: noqa: E501 - a refused function is one line each
from afterburner.agent.rules.patterns.stream_loops import StreamLoops

SUMMED = """
from typing import NamedTuple

class Row(NamedTuple):
    name: str
    amount: int

def parse(line):
    name, amount = line.split(",")
    return Row(name, int(amount))

def f(lines, wanted):
    # all readable rows
    rows: list[Row] = []
    for row in lines:
        row = row.strip()
        if not row or row.startswith("#"):
            continue
        if row == "end":
            break
        rows.append(parse(row))
    total, count = 0, 0
    for number, row in enumerate(rows):
        if row.name == wanted:
            total += row.amount * number
            count += 1
    return total, count
"""

CONSUMED = """
def f(lines, wanted):
    amounts = []
    position = 0
    while position < len(lines):
        *_, amount = lines[position].split(",")
        try:
            amounts.append(int(amount))
        except ValueError:
            amounts.append(-1)
        else:
            amounts.append(len(wanted))
        position += 1
    return sum(amounts) + 1
"""

PAIRS = """
def f(lines, wanted):
    totals = {}
    pairs = []
    for line in lines:
        name, _, amount = line.partition(",")
        pairs.append((name, amount))
    for name, amount in pairs:
        totals[name] = totals.get(name, "") + amount
    return totals
"""

LINES = ["a,1", "", " b,2 ", "#", "a,30", "end", "c,"]


@pytest.mark.parametrize("source", [SUMMED, PAIRS], ids=["summed", "pairs"])
def test_the_same_comes_out(apply: Callable[..., Any], agree: Callable[..., None], source: str) -> None:
    after = apply(StreamLoops(), source, "f")
    agree(source, after, "f", [(LINES, "a"), ([], "a"), (LINES, "b"), (["x,y"], "x"), (["nothing"], "")])
    assert "append" not in after
    assert "yield" in after
    assert source.count("#") == after.count("#")


def test_a_counter_from_before_the_loop_stays_its_own(apply: Callable[..., Any]) -> None:
    assert apply(StreamLoops(), CONSUMED, "f") is None  # `position` would be unknown in the generator


def test_a_call_goes_through_it(apply: Callable[..., Any], agree: Callable[..., None]) -> None:
    source = CONSUMED.replace(
        "    position = 0\n    while position < len(lines):", "    for position in range(len(lines)):"
    )
    source = source.replace("        position += 1\n", "")
    after = apply(StreamLoops(), source, "f")
    agree(source, after, "f", [(LINES, "abc"), ([], "")])
    assert "return sum(iter_amounts()) + 1" in after


def test_a_file_is_read_as_it_is_needed(apply: Callable[..., Any], agree: Callable[..., None], tmp_path: Any) -> None:
    path = tmp_path / "sales.csv"
    path.write_text("name,amount\na,1\nb,2\na,3\n")
    source = """
import csv

def f(path):
    rows = []
    with open(path) as file:
        for row in csv.DictReader(file):
            rows.append(row)
    total = 0
    for row in rows:
        total += int(row["amount"])
    return total
"""
    after = apply(StreamLoops(), source, "f")
    agree(source, after, "f", [(str(path),), (str(tmp_path / "none"),)])
    assert "        with open(path) as file:" in after


STAYS = {
    "used twice": "for x in xs:\n    rows.append(x)\nfor x in rows:\n    n += x\nreturn n, len(rows)",
    "returned": "for x in xs:\n    rows.append(x)\nreturn rows",
    "left early": "for x in xs:\n    rows.append(int(x))\nfor x in rows:\n    if x:\n        break\nreturn n",
    "gone through again and again": "for x in xs:\n    rows.append(x)\nwhile n < 3:\n    for x in rows:\n        n += x\nreturn n",
    "what it is made of changes": "for x in xs:\n    rows.append(x)\nfor x in rows:\n    n += x\n    xs.append(x)\nreturn n",
    "printed in between": "for x in xs:\n    rows.append(int(x))\nfor x in rows:\n    print(x)",
    "prints itself": "for x in xs:\n    print(x)\n    rows.append(int(x))\nfor x in rows:\n    n += x\nreturn n",
    "counts besides": "for x in xs:\n    n += 1\n    rows.append(x)\nfor x in rows:\n    n += x\nreturn n",
    "leaves a name": "for x in xs:\n    last = x\n    rows.append(x)\nfor x in rows:\n    n += x\nreturn n, last",
    "leaves the function": "for x in xs:\n    if x is None:\n        return None\n    rows.append(x)\nreturn sum(rows)",
    "fails into a handler": "try:\n    rows = []\n    for x in xs:\n        rows.append(int(x))\n    for x in rows:\n        n += x\nexcept ValueError:\n    pass\nreturn n",
    "changes an argument": "for x in xs:\n    rows.append(int(x))\nfor x in rows:\n    ys.append(x)",
    "filled in two loops": "for x in xs:\n    rows.append(x)\nfor x in ys:\n    rows.append(x)\nreturn sum(rows)",
    "only searched to a hit": "for x in xs:\n    rows.append(int(x))\nreturn any(rows)",
}


@pytest.mark.parametrize("body", STAYS.values(), ids=STAYS)
def test_lists_that_matter_stay(apply: Callable[..., Any], body: str) -> None:
    start = "" if body.startswith("try") else "rows = []\n"
    lines = "".join(f"    {line}\n" for line in f"n = 0\n{start}{body}".split("\n"))
    after = apply(StreamLoops(), f"def f(xs, ys):\n{lines}", "f")
    assert after is None, after
