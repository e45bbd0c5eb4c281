"""What models are told of refused candidates: nothing that a rewrite could choose."""

from __future__ import annotations

from pathlib import Path

import pytest

from afterburner.agent.judge.gate_rules import RULES
from afterburner.agent.judge.gates import judge_complaints, refusal
from afterburner.agent.loop.telling import ANSWERS, TEXTS, for_models, last_counterexample
from afterburner.agent.models.prompts.trail import trail
from afterburner.agent.types import Decision, JudgedCandidate
from afterburner.sandbox import Verdict

AGENT = Path(__file__).parents[2] / "agent"
ORIGINAL = "def f(x):\n    return x\n"


def refused(reason: str) -> JudgedCandidate:
    return JudgedCandidate("1.1", 1, "m", None, Decision.REFUSED, reason, source="x")


def told(reason: str) -> str:
    return trail([for_models(refused(reason))], ORIGINAL, examples=True)


@pytest.mark.parametrize(
    ("complaint", "words"),
    [
        ("files: /tmp/hunter2", "it leaves files behind"),
        ("threads: hunter2", "it leaves threads running"),
        ("patched: json.hunter2", "it replaces functions of other modules"),
    ],
)
def test_of_what_a_rewrite_leaves_behind_only_the_kind_is_told(complaint: str, words: str) -> None:
    reason = judge_complaints([], [complaint])
    assert reason is not None
    assert "hunter2" in reason
    assert told(reason) == f"1.1 refused: {words}"


@pytest.mark.parametrize(
    ("rewrite", "words"),
    [
        ("import sys\ndef f(x):\n    return sys._getframe(x)\n", "it looks at its own caller"),
        ("def f(x):\n    return open('/hunter2')\n", "it opens or looks at files"),
        ("import json\ndef f(x):\n    json.hunter2 = x\n", "it replaces or stores something in another module"),
        ("def f(x):\n    return '/proc/hunter2'\n", "it names places of the machine"),
    ],
)
def test_of_what_a_rewrite_must_not_use_only_the_rule_is_told(rewrite: str, words: str) -> None:
    reason = refusal(ORIGINAL, rewrite)
    assert reason is not None
    assert told(reason) == f"1.1 refused: {words}"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("The answer has no <solution>.", "the answer lacks a tag of the output format"),
        ("The answer does not define f; it defines hunter2.", "the code does not define the function"),
        ("The rewrite changes the parameters of f from (x) to (hunter2).", "it changes the function's parameters"),
        ("the same code as 1.2", "it is the same code as an earlier attempt"),
    ],
)
def test_of_an_answer_that_cannot_be_used_the_kind_is_told(reason: str, words: str) -> None:
    assert told(reason) == f"1.1 refused: {words}"


def test_nothing_is_told_of_a_reason_that_nobody_knows() -> None:
    assert told("alone: call 1 returned 'hunter2' instead of 3") == "1.1 refused"
    assert trail([refused("it leaves files behind (hunter2)")], ORIGINAL, examples=True) == "1.1 refused"


def test_every_phrase_is_one_of_a_reason() -> None:
    """Where the words of a reason change, what models are told has to."""
    files = [path for room in ("code", "models", "loop", "judge") for path in sorted((AGENT / room).rglob("*.py"))]
    texts = "".join(path.read_text("utf-8") for path in files if path.name != "telling.py")
    texts = "".join(texts.split('"\n            "'))
    assert [phrase for phrase in (*ANSWERS, *TEXTS, *(rule.reason for rule in RULES)) if phrase not in texts] == []


def test_the_last_counterexample_is_that_of_a_wrong_candidate() -> None:
    wrong = JudgedCandidate(
        "1.1", 1, "m", Verdict.WRONG_ANSWER, Decision.WRONG, "x", counterexample="f(1)", told_to_models="f(1): other"
    )
    records = [wrong, for_models(refused("the same code as 1.1"))]
    assert last_counterexample(records) == "f(1): other"
    assert last_counterexample(records[1:]) is None
