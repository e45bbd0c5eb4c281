"""CrossHair looks for a difference in the sandbox, and what it finds is made again with plain values."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from loops import MeasuredOriginal, OneAnswer

from afterburner.agent.deadline import Deadline
from afterburner.agent.inputs import crosshair_interpreter
from afterburner.agent.judge import behaviour
from afterburner.agent.judge.verification.exploring import Exploration, explore
from afterburner.agent.judge.verification.made_inputs import Suggested
from afterburner.agent.judge.verification.outcome import EXPLORED, Agreement, Counterexample
from afterburner.agent.judge.verification.search import DifferenceSearch
from afterburner.agent.options import RunSettings
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.judge.measuring.workbench import Workbench
    from afterburner.sandbox.sandbox import Sandbox

    from ...evidence.conftest import MakeBench  # noqa: TID252 - the same workbenches

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("crosshair") is None, reason="crosshair is not installed: make setup"),
]

RATE = """\
from dataclasses import dataclass

LIMITS = [(12_570, 0), (50_270, 20), (125_140, 40)]


@dataclass
class Rate:
    percent: int


def f(income{hint}):
    for limit, percent in LIMITS:
        if income <= limit:
            return Rate(percent)
    return Rate(45)


if __name__ == "__main__":
    print(f(100), f(30_000), f(200_000))
"""
ORIGINAL = RATE.format(hint=": int")
HELPED = ORIGINAL.replace("for limit, percent in LIMITS:", "for limit, percent in tuple(LIMITS):")
WRONG = ORIGINAL.replace("income <= limit", "income < limit")


def differing(bench: Workbench, source: str) -> Counterexample | Agreement:
    found = explore(bench, source, Deadline.after(600), cpu_s=60.0)  # a busy machine needs more than an idle one
    assert found.snippet, found.left_out
    search = DifferenceSearch(bench, bench.target.source, seed=0)
    return search.against_suggested(
        source, Suggested(found.snippet, EXPLORED, by_hints=False), Deadline.after(60), rounds=1
    )


def test_a_limit_that_is_off_by_one_is_found_and_shown_by_plain_values(make_bench: MakeBench) -> None:
    found = differing(make_bench(ORIGINAL, "f"), WRONG)
    assert isinstance(found, Counterexample)
    assert found.kind == EXPLORED
    assert found.place == "on a call that CrossHair found"
    assert found.calls[0] in {"f(12570)", "f(50270)", "f(125140)"}


def test_what_does_the_same_has_no_difference(make_bench: MakeBench) -> None:
    found = explore(make_bench(ORIGINAL, "f"), HELPED, Deadline.after(60))
    assert (found.snippet, found.left_out) == ("", "")


def test_what_it_cannot_search_is_said(make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = RATE.format(hint="")
    bench = make_bench(bare, "f")
    assert explore(bench, bare, Deadline.after(60)).left_out == "`income` has no type hint"
    method = replace(bench, target=replace(bench.target, function="Rate.f"))
    assert explore(method, bare, Deadline.after(60)).left_out == "it does not handle methods"
    hinted = make_bench(ORIGINAL, "f")
    older = replace(hinted, environment=replace(hinted.environment, version=(3, 9)))
    assert explore(older, ORIGINAL, Deadline.after(60)).left_out.endswith("and the code runs under 3.9")
    broken = ORIGINAL.replace("def f(", "raise ValueError('no')\n\n\ndef f(")
    assert explore(hinted, broken, Deadline.after(60)).left_out.startswith("ValueError: no")
    assert explore(hinted, ORIGINAL, Deadline.after(1)).left_out == "no time was left"
    monkeypatch.setattr(crosshair_interpreter, "_PACKAGES", ("no-such-package",))
    for each, text in ((hinted, ORIGINAL), (bench, bare)):  # a hint would not help yet
        assert explore(each, text, Deadline.after(60)).left_out == crosshair_interpreter.NOT_INSTALLED


SUM = """\
def f(a: int, b: int) -> int:
    return sum([a for _ in range(2)]) + b


if __name__ == "__main__":
    print([f(a, b) for a in (-7, 0, 3, 20) for b in (5, -2, 0, 9)])
"""


@pytest.mark.nightly
@pytest.mark.usefixtures("brief_search")
def test_a_winner_falls_on_what_it_finds_and_a_right_one_is_told_that_it_found_nothing(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "sums.py"
    path.write_text(SUM)
    original = MeasuredOriginal.of(RunSettings(str(path), "f"), sandbox)
    monkeypatch.setattr(behaviour, "explore", lambda *_: Exploration("f(41157, 2)"))
    wrong = "def f(a: int, b: int) -> int:\n    return 2 * a + b + (3 * a - 7 * b == 123_457)\n"
    confirmation = original.judge(OneAnswer(wrong))["confirmation"]
    assert confirmation is not None
    assert confirmation.decision is Decision.WRONG, confirmation
    assert confirmation.reason == "it differs from the original on a call that CrossHair found"
    monkeypatch.setattr(behaviour, "explore", lambda *_: Exploration())
    confirmation = original.judge(OneAnswer("def f(a: int, b: int) -> int:\n    return 2 * a + b\n"))["confirmation"]
    assert confirmation is not None
    assert confirmation.decision is Decision.IMPROVED
    assert any(note.endswith("; CrossHair found none") for note in confirmation.notes)
