"""The trail of earlier attempts as a model reads it: the idea of each, what became of it, and why.

Not their code: shown whole earlier solutions, models copy them (the paper's rebuttal, on the history-aware loop).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.models.prompts.prompt import one_line
from afterburner.agent.types import Decision
from afterburner.agent.wording import count, format_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import JudgedCandidate

MAX_ATTEMPTS = 12
MAX_IDEA_CHARS = 240
MAX_REASON_CHARS = 160
_CURRENT = "it is the original solution above"
_DIFFERS = "it behaves differently from the original"
_ON_CONDITION = "it is the same only on calls like the real ones"
_TIMED = frozenset({Decision.IMPROVED, Decision.PROMISING, Decision.NOT_BETTER, Decision.TOO_NOISY})


def trail(records: Sequence[JudgedCandidate], current: str, *, examples: bool) -> str:
    """Write the last attempts, the newest last; empty if there were none.

    Args:
        records: of all earlier iterations.
        current: the text of the whole file that the model is to improve on.
        examples: whether the reason of a wrong attempt may show an input on which it was wrong.

    Reasons are told in words of ours alone: a rewrite may have chosen what else is in them, such as names of files, and
    could choose what it has read of the project.
    """
    if not records:
        return ""
    left_out = len(records) - MAX_ATTEMPTS
    head = [f"({count(left_out, 'older attempt')} left out)"] if left_out > 0 else []
    return "\n".join([*head, *(_entry(each, current, examples=examples) for each in records[-MAX_ATTEMPTS:])])


def _entry(record: JudgedCandidate, current: str, *, examples: bool) -> str:
    gain = f" {format_ratio(record.gain.ratio)}" if record.gain else ""
    is_current = bool(record.source) and record.source == current
    reason = _CURRENT if is_current else one_line(_reason(record, examples=examples), MAX_REASON_CHARS)
    line = f"{record.id} {record.decision.value.replace('_', ' ')}{gain}{': ' if reason else ''}{reason}"
    idea = one_line(record.reasoning or _rule_of(record.proposer), MAX_IDEA_CHARS)
    return f"{line}\n    idea: {idea}" if idea else line


def _reason(record: JudgedCandidate, *, examples: bool) -> str:
    """Why it became of an attempt what its decision says; empty: the decision says it all."""
    if record.decision in _TIMED and record.gain is not None:
        return f"{format_ratio(record.gain.low)} to {format_ratio(record.gain.high)}"
    if record.told_to_models and (examples or record.counterexample is None):
        return record.told_to_models
    return {Decision.WRONG: _DIFFERS, Decision.CONDITIONAL: _ON_CONDITION}.get(record.decision, "")


def _rule_of(proposer: str) -> str:
    """What a rule is called says what it does."""
    kind, _, name = proposer.partition(": ")
    return name if kind == "rules" else ""
