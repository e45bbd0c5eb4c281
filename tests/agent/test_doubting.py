"""A winner is doubted by a language model before it is offered; a recording of one plays its part here."""

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
CALLS = "<thinking>Look at the product.</thinking>\n```python\ndistinct([3, 3])\ndistinct([1001, 101, 101])\n```\n"


@pytest.fixture(scope="module")
def original(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> MeasuredOriginal:
    path = tmp_path_factory.mktemp("doubting") / "names.py"
    path.write_text(SLOW)
    return MeasuredOriginal.of(RunSettings(str(path), "distinct", InputOptions()), sandbox)


def confirmed(original: MeasuredOriginal, code: str, tmp_path: Path, *calls: str) -> Confirmation:
    """What becomes of a recorded rewrite, with these recorded suggestions."""
    lines = [{"content": f"<thinking></thinking><solution>\n```python\n{code}```\n</solution>"}]
    lines += [{"content": each, "doubted": "1.1"} for each in calls]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    state = original.judge(open_proposer(f"replay:{path}"))
    assert state["confirmation"] is not None, state["records"]
    return state["confirmation"]


def test_a_rewrite_falls_on_a_call_that_nobody_but_its_reader_would_think_of(
    original: MeasuredOriginal, tmp_path: Path
) -> None:
    said = confirmed(original, WRONG, tmp_path)
    assert said.decision is Decision.IMPROVED, "or there is nothing left to doubt"
    assert "the model gave no calls on which the two may differ: replay:answers.jsonl holds none" in said.notes
    said = confirmed(original, WRONG, tmp_path, CALLS)
    assert (said.decision, said.counterexample) == (
        Decision.WRONG,
        "distinct([1001, 101, 101]) returned [1001, 101, 101] instead of [1001, 101]",
    )
    assert said.reason == "it differs from the original on a call that a model suggested to tell the two apart"


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
        ("replay:{}", True, "replay:none.jsonl"),
        ("rules,replay:{}", True, "replay:none.jsonl"),
        ("replay:{}", False, None),
        ("rules", True, None),
    ],
)
def test_who_is_asked(original: MeasuredOriginal, tmp_path: Path, model: str, sceptic: bool, asked: str | None) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text("")
    settings = replace(original.settings, models=ModelOptions(sceptic=sceptic))
    loop = make_loop(original.bench, settings, open_proposer(model.format(path)), UntimedJudge)
    found = loop.doubting().sceptic
    assert (found and found.name) == asked
