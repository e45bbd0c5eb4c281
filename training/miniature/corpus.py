"""What the base model is pretrained on: prompts as the loop sends them, and answers of any efficiency.

An answer solves its prompt's problem in ways drawn uniformly, so the base model learns to write programs, but not which
of them are good. A share of the answers is wrong or not in the strict format, as a pretrained model's would be: the
cold start and the reward have to correct this.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent import Problem
from afterburner.agent.job.problem import PAPER_LIMITS
from afterburner.agent.types import Objective
from afterburner.evals.problems import Figures
from afterburner.sandbox import TestCase
from afterburner.training.data.prompts import answer_with, prompt_for
from afterburner.training.miniature.families import MadeProblem
from afterburner.training.miniature.stages import STAGES, WAYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.training.data.prompts import Messages

_LANGUAGE = "python"
_UNSEEN = (TestCase(),)  # a prompt shows no case
_SECONDS = (0.04, 0.4)  # wall time of a program in the sandbox, its start included
_KIB = (13_500.0, 45_000.0)  # its peak memory
_FILLED = (0.5, 0.95)  # the integral, as a share of time x peak


@dataclass(frozen=True, slots=True)
class CorpusSettings:
    """Shares of what pretraining sees.

    Attributes:
        without_original: prompts without an original, as for the first code of a loop.
        failing_original: prompts with a wrong original, whose figures are the limits.
        wrong: answers in which one stage is replaced by another that was not asked for.
        loose: answers without the thinking part that the strict format requires.
    """

    without_original: float = 0.2
    failing_original: float = 0.1
    wrong: float = 0.1
    loose: float = 0.1


def conversations(
    problems: Sequence[MadeProblem], seed: int = 0, settings: CorpusSettings | None = None
) -> Iterator[Messages]:
    """Prompts with answers, without an end: the same ones for the same problems and seed."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    shares = settings or CorpusSettings()
    while True:
        yield _conversation(chance.choice(problems), chance, shares)


def _conversation(problem: MadeProblem, chance: random.Random, shares: CorpusSettings) -> Messages:
    objective = chance.choice(list(Objective))
    told = Problem(problem.name, problem.description, _UNSEEN)
    kind = chance.random()
    if kind < shares.without_original:
        prompt = prompt_for(told, objective, "", None)
    elif kind < shares.without_original + shares.failing_original:
        prompt = prompt_for(told, objective, _wrong(problem, chance), _limits(), passed=False)
    else:
        prompt = prompt_for(told, objective, _right(problem, chance), _figures(chance))
    code = _wrong(problem, chance) if chance.random() < shares.wrong else _right(problem, chance)
    answer = answer_with(code, objective, _LANGUAGE, is_rewrite=kind >= shares.without_original)
    if chance.random() < shares.loose:
        answer = answer.partition("</thinking>\n")[2]
    return [*prompt, {"role": "assistant", "content": answer}]


def _right(problem: MadeProblem, chance: random.Random) -> str:
    return problem.solution(tuple(chance.choice(WAYS) for _ in problem.stages))


def _wrong(problem: MadeProblem, chance: random.Random) -> str:
    """A program with the code of a stage that nobody asked for, in the place of another one."""
    place = chance.randrange(len(problem.stages))
    stranger = chance.choice([each for each in STAGES if each not in problem.stages])
    stages = (*problem.stages[:place], stranger, *problem.stages[place + 1 :])
    return _right(MadeProblem(stages), chance)


def _figures(chance: random.Random) -> Figures:
    """Figures like those of the sandbox; they say nothing of the code beside them."""
    seconds, peak_kib = chance.uniform(*_SECONDS), chance.uniform(*_KIB)
    return Figures(seconds, seconds, peak_kib, seconds * peak_kib * chance.uniform(*_FILLED))


def _limits() -> Figures:
    """The figures that the loop reports for a failing program."""
    seconds, kib = PAPER_LIMITS.wall_time_s, float(PAPER_LIMITS.memory_kib)
    return Figures(seconds, seconds, kib, seconds * kib)
