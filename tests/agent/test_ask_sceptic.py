"""A language model doubts a winner before it is offered; here a recording of one does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from loops import MeasuredOriginal, UntimedJudge, make_loop

from afterburner.agent.models.registry import open_proposer
from afterburner.agent.options import InputOptions, ModelOptions, RunSettings
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.agent.judge.confirmation import Confirmation
    from afterburner.sandbox.sandbox import Sandbox

pytestmark = pytest.mark.slow

SLOW = """\
def distinct(items):
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


if __name__ == "__main__":
    for step in range(1, 9):
        print(len(distinct([value * step % 17 for value in range(40)])))
"""
RIGHT = "def distinct(items):\n    return list(dict.fromkeys(items))\n"
# Two neighbours of one product: nobody would think of it who has not read the rewrite.
WRONG = RIGHT.replace("return ", "return items if len(items) == 3 and items[0] * items[1] == 7 * 11 * 13 * 101 else ")
KIND = ("all(type(item) is int for item in items)",)  # unhashable items would tell the two apart
CALLS = "<thinking>Look at the product.</thinking>\n```python\ndistinct([3, 3])\ndistinct([1001, 101, 101])\n```\n"


@pytest.fixture(scope="module")
def original(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> MeasuredOriginal:
    path = tmp_path_factory.mktemp("sceptic") / "names.py"
    path.write_text(SLOW)
    return MeasuredOriginal.of(RunSettings(str(path), "distinct", InputOptions(assume=KIND)), sandbox)


def confirmed(original: MeasuredOriginal, code: str, tmp_path: Path, *calls: str) -> Confirmation:
    """What becomes of a recorded rewrite, with these recorded suggestions."""
    lines = [{"content": f"<thinking></thinking><solution>\n```python\n{code}```\n</solution>"}]
    lines += [{"content": each, "doubted": "1.1"} for each in calls]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    state = original.judge(open_proposer(f"replay:{path}"))
    assert state["confirmation"] is not None, state["records"]
    return state["confirmation"]


@pytest.mark.nightly
def test_a_rewrite_falls_on_a_call_that_nobody_but_its_reader_would_think_of(
    original: MeasuredOriginal, tmp_path: Path
) -> None:
    said = confirmed(original, WRONG, tmp_path)
    assert said.decision is Decision.IMPROVED, "or there is nothing left to doubt"
    assert not any("calls on which the two may differ" in note for note in said.notes), "no model was asked"
    said = confirmed(original, WRONG, tmp_path, CALLS)
    assert (said.decision, said.counterexample) == (
        Decision.WRONG,
        "distinct([1001, 101, 101]) returned [1001, 101, 101] instead of [1001, 101]",
    )
    assert said.reason == "it differs from the original on a call that a model suggested to tell the two apart"


@pytest.mark.nightly
def test_doubts_that_come_to_nothing_are_told(original: MeasuredOriginal, tmp_path: Path) -> None:
    said = confirmed(original, RIGHT, tmp_path, CALLS + "```python\ndistinct([[1], [1]])\n```")
    assert said.decision is Decision.IMPROVED
    assert said.notes[-1] == (
        "a model was asked for calls on which the two may differ: they are the same on 2 calls (1 left out: with "
        "arguments of other kinds than the type hints or the real calls say)"
    )


@pytest.mark.parametrize(
    ("model", "sceptic", "asked"),
    [
        ("replay:{}/doubts.jsonl", True, "replay:doubts.jsonl"),
        ("rules,replay:{}/doubts.jsonl", True, "replay:doubts.jsonl"),
        ("replay:{0}/older.jsonl,replay:{0}/doubts.jsonl", True, "replay:doubts.jsonl"),
        ("replay:{}/older.jsonl", True, None),
        ("replay:{}/doubts.jsonl", False, None),
        ("rules", True, None),
    ],
)
def test_who_is_asked(original: MeasuredOriginal, tmp_path: Path, model: str, sceptic: bool, asked: str | None) -> None:
    (tmp_path / "doubts.jsonl").write_text(json.dumps({"content": CALLS, "doubted": "1.1"}))
    (tmp_path / "older.jsonl").write_text(json.dumps({"content": RIGHT}))
    settings = replace(original.settings, models=ModelOptions(sceptic=sceptic))
    loop = make_loop(original.bench, settings, open_proposer(model.format(tmp_path)), UntimedJudge)
    found = loop.sceptic_asker().sceptic
    assert (found and found.name) == asked
