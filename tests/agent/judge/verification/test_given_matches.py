"""Rewrites of what `re.sub` calls with each match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.outcome import Agreement, Counterexample

if TYPE_CHECKING:
    from .conftest import Compare

SECONDS = """\
import re

UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(match):
    number, unit = match.group("number", "unit")
    total = 0
    for digit in number:
        total = total * 10 + int(digit)
    return str(total * UNITS[unit]) if unit else match.group()


def in_seconds(text):
    return re.sub("(?P<number>[0-9]+)(?P<unit>[smh])?", seconds, text)
"""
CALLS = "in_seconds('wait 3m, then 15s or 7')\nin_seconds('2h')"
LOOP = """\
    total = 0
    for digit in number:
        total = total * 10 + int(digit)
"""


def test_what_differs_for_other_matches_is_found(compare: Compare) -> None:
    same = SECONDS.replace(LOOP, "    total = int(number)\n")
    agreed = compare(SECONDS, same, CALLS, function="seconds", rounds=2)
    assert isinstance(agreed, Agreement)
    assert agreed.inputs > 20, agreed
    wrong = same.replace("else match.group()", "else str(total)")
    found = compare(SECONDS, wrong, CALLS, function="seconds", rounds=8)
    assert isinstance(found, Counterexample), "a number that begins with 0 stays as it is"
    assert "re.compile('(?P<number>[0-9]+)(?P<unit>[smh])?')." in found.line
