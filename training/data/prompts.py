"""The prompts of training: the agent's own, byte for byte, so that a model is served what it was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.code.languages import spoken_name
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.answer_format import parse_answer
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.prompts.messages import messages_for
from afterburner.agent.models.prompts.prompt import block
from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.types import Objective
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from afterburner.agent import Problem
    from afterburner.evals.problems import Figures

Messages = list[dict[str, str]]


def prompt_for(
    problem: Problem,
    objective: Objective,
    original: str,
    figures: Figures | None,
    *,
    tell: str = "paper",
    passed: bool | None = None,
) -> Messages:
    """The messages that the loop sends for an original.

    Args:
        problem: what is to be solved.
        objective: the efficiency instruction.
        original: C*; empty: the model writes the first code.
        figures: what the original measures; None: it is none, or fails.
        tell: as `--tell`.
        passed: whether the original is right; None: if it has figures. A failing one measures the limits in the loop.
    """
    measurement = None
    if figures is not None:
        measurement = Measurement(
            wall_time_s=figures.wall_time_s,
            cpu_time_s=figures.cpu_time_s,
            peak_memory_kib=round(figures.peak_memory_kib),
            memory_integral_kib_s=figures.memory_integral_kib_s,
        )
    return messages_for(
        ProposalRequest(
            problem.target(original),
            objective,
            measurement,
            passed=figures is not None if passed is None else passed,
            iteration=1,
            count=1,
            describe=problem.describe,
            tell=parse_telling(tell),
        )
    )


_AIM = {"time": "takes less time", "memory": "needs less memory", "integral": "needs less memory and less time"}


def answer_with(code: str, objective: Objective, language: str, *, is_rewrite: bool = True, thinking: str = "") -> str:
    """An answer in the strict format that holds a solution.

    Without a record of its author's thoughts, the thinking part says in a sentence what the answer is for.

    Args:
        code: the solution.
        objective: of the prompt.
        language: of the solution.
        is_rewrite: whether the prompt has an original.
        thinking: the author's thoughts; empty: there is no record of them.
    """
    does = "rewrite the solution" if is_rewrite else "write a solution"
    return (
        f"<thinking>\n{thinking or f'I {does} so that it {_AIM[objective.value]}.'}\n</thinking>\n"
        f"<solution>\n{block(spoken_name(language), code)}\n</solution>"
    )


def is_answer(code: str, language: str, *, thinking: str = "") -> bool:
    """Whether a code can stand in an answer: what is read back from it is the code; a tag within it would not be."""
    try:
        return (
            bool(code.strip())
            and parse_answer(answer_with(code, Objective.TIME, language, thinking=thinking)).code
            == f"{code.rstrip()}\n"
        )
    except ProposerError:
        return False
