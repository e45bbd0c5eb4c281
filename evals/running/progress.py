"""What an evaluation tells while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Step(StrEnum):
    """What happens."""

    STARTING = "starting"  # the command; `detail`: what it does before the first problem
    BEGUN = "begun"  # a problem
    LOOP = "loop"  # `detail`: a line of the agent's progress
    WAITING = "waiting"  # the loop of a problem, for a free core; `detail`: the agent's line
    MEASURED = "measured"  # `detail`: how many runs of how many
    DONE = "done"  # a problem; `detail`: what was found
    FAILED = "failed"  # a problem; `detail`: why it has to be tried again
    REJECTED = "rejected"  # a record of the dataset; `detail`: why
    CAUTION = "caution"  # `detail`: what a person should know before the work goes on


@dataclass(frozen=True, slots=True)
class EvaluationEvent:
    """One thing that happens; `done` problems are stored by then."""

    step: Step
    problem: str
    detail: str = ""
    done: int = 0
    problems: int = 0  # in all; 0: not known
    requests: int = 0
    tokens: int = 0
    cost_usd: float | None = 0.0  # so far; None: the price of a model is not known
    scope: str = "in the run so far"  # what requests, tokens and cost are of


OnEvaluationEvent = Callable[[EvaluationEvent], None]


def ignore_evaluation_event(_event: EvaluationEvent) -> None:
    """For evaluations of whose progress nobody wants to hear."""
