"""The one interface behind which every model stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from afterburner.agent.types import CandidateRecord, Objective, Rewrite, Target
    from afterburner.sandbox import Measurement

MODEL_EXAMPLES = "rules, replay:answers.jsonl, openai/gpt-4o, anthropic/claude-sonnet-4-5, ollama/qwen2.5-coder:7b"


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """What a proposer is told: the incumbent C*, its measurement M*, the objective, what was tried before."""

    target: Target  # `source` is the file with the incumbent in place
    objective: Objective
    measurement: Measurement
    passed: bool
    iteration: int  # from 1
    count: int  # how many answers are wanted; rules may give more
    history: tuple[CandidateRecord, ...] = ()
    seed: int = 0
    counterexample: str | None = None  # where an earlier rewrite did something else than the original, in one line


@dataclass(frozen=True, slots=True)
class Proposal:
    """One answer. `rewrite` is None when the answer could not be used; `error` then says why."""

    proposer: str
    rewrite: Rewrite | None
    reasoning: str = ""
    error: str = ""


class Proposer(Protocol):
    """Writes candidates."""

    name: str

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give candidates for this iteration; an empty list means that there is nothing (more) to propose.

        Raises:
            ProposerError: the model, its key or the recording is unusable.
        """
