"""What models are told of refused candidates: words of ours, whatever a rewrite chose to put into the reason.

A rewrite names files, threads and functions, and can name them after what it has read of the project.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.judge.gate_rules import RULES
from afterburner.agent.judge.gates import LEFT_BEHIND
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import JudgedCandidate

# What stands in a reason, and what a model is told; the first that fits counts.
ANSWERS = {
    "model's limit of tokens": "the answer was cut off at the limit of tokens",
    "The answer has no ": "the answer lacks a tag of the output format",
    "tag more than once": "the answer has a tag of the output format more than once",
    "in the wrong order": "the tags of the output format are in the wrong order",
    "text outside of": "the answer has text outside of the output format",
    "The answer is empty": "the answer is empty",
    "no code block": "the answer has no code block",
    "holds no code": "the answer's code block is empty",
    "is longer than": "the answer is too long",
    "GiB to be read": "it takes too long to read the answer",
    "nested too deeply": "the code is nested too deeply",
    "is not Python": "the code is not Python",
    "cannot be parsed": "the code cannot be parsed",
    "does not define": "the code does not define the function",
    "exactly one function": "the code is not one function with imports and helpers",
    "changes the parameters": "it changes the function's parameters",
    "drops the decorator": "it drops a decorator of the function",
    "which is not part of": "it also changes code outside of the function",
    "would replace what": "a helper has a name that is taken in the module",
    "would hide the builtin": "it gives a builtin's name to something else",
    "already means something else": "an import has a name that is taken in the module",
    "import *": "it imports all names of a module",
    "from __future__": "it imports from __future__",
    "which is not installed": "it imports what is not installed",
    "to allow it say --allow-imports": "it imports a library that it may not",
    "which holds tests": "it imports tests",
    "which lies beside the code": "it imports what may not be there where the code is used",
    "stand-in of a secret value": "it changes the stand-in of a hidden value",
    "that was hidden from it": "it leaves out a string that was hidden from it",
    "the same code as": "it is the same code as an earlier attempt",
}
TEXTS = (
    "names places of the machine",
    "names parts of what measures it",
    "replaces or stores something in another module",
    "passes a whole module on, so that its use cannot be read",
    "computes the name of what it uses",
)
_KNOWN = {
    **{words: words for words in LEFT_BEHIND},
    **{f"it {words}": f"it {words}" for words in (*(rule.reason for rule in RULES), *TEXTS)},
    **ANSWERS,
}


def for_models(record: JudgedCandidate) -> JudgedCandidate:
    """The record of a refused candidate with what models are told of it; any other as it is."""
    if record.decision is not Decision.REFUSED or record.told_to_models:
        return record
    told = next((told for words, told in _KNOWN.items() if words in record.reason), None)
    return replace(record, told_to_models=told)


def last_counterexample(records: Sequence[JudgedCandidate]) -> str | None:
    """What models are told of the last input on which a candidate was wrong; None if there was none."""
    return next(
        (each.told_to_models for each in reversed(records) if each.counterexample and each.told_to_models), None
    )
