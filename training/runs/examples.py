"""The examples that one run gives."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_source
from afterburner.agent.code.same_work import key_of
from afterburner.agent.judge.gates import refusal
from afterburner.agent.types import Decision
from afterburner.training.data.prompts import answer_with, is_answer
from afterburner.training.runs.answers import answer_code
from afterburner.training.runs.prompts import holds_secret, prompt_of
from afterburner.training.runs.settings import RunRecipe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.types import JudgedCandidate, Target
    from afterburner.training.data.examples import Example
    from afterburner.training.data.prompts import Messages
    from afterburner.training.runs.reading import ProvenRun
    from afterburner.training.runs.settings import RunDataSettings

WRONG, CHEATS, SLOWER = "wrong", "cheats", "slower"


class NoExampleError(Exception):
    """A run gives no example; the message says why."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """A candidate as an answer. `reason`: why it is rejected; empty: it is the offer."""

    messages: Messages
    key: str
    reason: str = ""


def examples_of(run: ProvenRun, settings: RunDataSettings) -> Iterator[Example]:
    """The examples of one run, in the form that TRL takes.

    Raises:
        NoExampleError: there is none.
    """
    result, prompt = run.result, prompt_of(run)
    offer = _offer(run)
    about = {
        "problem_id": run.name,
        "objective": result.objective.value,
        "difficulty": "",
        "language": result.target.language,
        "original": function_source(result.target),
        "prompt": prompt,
        "run_id": result.run_id,
        "gap": result.gain.ratio if result.gain is not None else None,
    }
    asked = [each["content"] for each in prompt]
    if holds_secret([*asked, offer.messages[0]["content"]]):
        raise NoExampleError("a secret value is hidden in its prompt")
    if settings.recipe is RunRecipe.SFT:
        yield {**about, "completion": offer.messages}
        return
    rejected = [each for each in _rejected(run, offer) if not holds_secret([each.messages[0]["content"]])]
    if not rejected:
        raise NoExampleError("it has no candidate that was refused, and none that is measurably slower")
    chance = random.Random(f"{settings.seed} {result.run_id}")  # noqa: S311 - no secret
    wanted = len(rejected) if settings.examples is None else min(settings.examples, len(rejected))
    for place in sorted(chance.sample(range(len(rejected)), wanted)):
        found = rejected[place]
        yield {**about, "chosen": offer.messages, "rejected": found.messages, "rejected_because": found.reason}


def _offer(run: ProvenRun) -> _Answer:
    result = run.result
    author = next((each for each in result.candidates if each.source == result.best_source), None)
    found = _answer(run, result.best_source, author)
    if found is None:
        raise NoExampleError("no answer makes its offer of the original")
    return found


def _rejected(run: ProvenRun, offer: _Answer) -> Iterator[_Answer]:
    """Candidates that are wrong, cheat, or are slower than the code that they were to improve on; each work once."""
    target = run.result.target
    seen = {offer.key, key_of(target.source, target.language)}
    for candidate in run.result.candidates:
        reason = _reason(candidate, target)
        found = _answer(run, candidate.source, candidate, reason) if reason else None
        if found is not None and found.key not in seen:
            seen.add(found.key)
            yield found


def _reason(candidate: JudgedCandidate, target: Target) -> str:
    """Why a candidate is rejected; empty: there is no reason to."""
    if not candidate.source:
        return ""
    if candidate.decision is Decision.WRONG:
        return WRONG
    if candidate.decision is Decision.REFUSED:
        return CHEATS if refusal(target.source, candidate.source, target.language) else ""
    is_slower = candidate.decision is Decision.NOT_BETTER and candidate.gain is not None and candidate.gain.high < 1
    return SLOWER if is_slower else ""


def _answer(run: ProvenRun, source: str, author: JudgedCandidate | None, reason: str = "") -> _Answer | None:
    """A candidate's file as an answer in the strict format; None: it cannot be one."""
    result, language = run.result, run.result.target.language
    code = answer_code(result.target, source)
    if not is_answer(code, language):
        return None
    # Later thoughts are about other code than the prompt's.
    thinking = author.reasoning.strip() if author is not None and author.iteration == 1 else ""
    told = thinking if is_answer(code, language, thinking=thinking) else ""
    text = answer_with(code, result.objective, language, thinking=told)
    return _Answer([{"role": "assistant", "content": text}], key_of(source, language), reason)
