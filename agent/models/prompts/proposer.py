"""The one interface behind which every model stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from afterburner.agent.models.prompts.feedback import EVERYTHING, Telling
from afterburner.agent.usage import NOTHING_USED, Usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.inputs.line_profile import LineProfile
    from afterburner.agent.types import AnswerRecord, JudgedCandidate, Objective, Rewrite, Target
    from afterburner.sandbox import Measurement

MODEL_EXAMPLES = (
    "rules, replay:answers.jsonl, openai/gpt-4o, anthropic/claude-sonnet-4-5, ollama/qwen2.5-coder:7b, "
    "vllm:models/mine, rules,openai/gpt-4o"
)


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """What a proposer is told: the incumbent C*, its measurement M*, the objective, what was tried before."""

    target: Target  # `source` is the file with the incumbent in place
    objective: Objective
    measurement: Measurement | None  # None: there is no code yet
    passed: bool
    iteration: int  # from 1; to the member of a chain: how often it proposed so far, and one
    count: int  # how many answers are wanted; rules may give more
    history: tuple[JudgedCandidate, ...] = ()
    seed: int = 0
    describe: Callable[[Target], str] | None = None  # says what the project knows of a target; None: its own file only
    counterexample: str | None = None  # where an earlier rewrite did something else than the original, in one line
    temperature: float | None = None  # of this round; None: the model's own
    profile: LineProfile | None = None  # of the incumbent
    tell: Telling = EVERYTHING  # what of all this a language model is told
    is_last: bool = False  # no iteration follows
    usage: Usage = NOTHING_USED  # what the run had used of language models when the iteration began
    until: Deadline | None = None  # the end of the run, by which long answers have to be read; None: there is none
    in_run: int | None = None  # the run's iteration, where `iteration` counts the turns of a chain's member

    @property
    def run_iteration(self) -> int:
        """The iteration of the run, whoever is asked in it."""
        return self.iteration if self.in_run is None else self.in_run


@dataclass(frozen=True, slots=True)
class Proposal:
    """One answer. `rewrite` is None when the answer could not be used; `error` then says why."""

    proposer: str
    rewrite: Rewrite | None
    reasoning: str = ""
    error: str = ""
    answer_form: str = ""  # how the answer was read (see `answer_format.py`): "strict", "no tags"; empty: it is none
    answer: AnswerRecord | None = None  # None: no model wrote it
    unanswered: bool = False  # the request failed, while others of the iteration were answered


def asks_model(proposer: Proposer) -> bool:
    """Whether a language model reads the request, so that what costs time to find out is found out for it.

    A proposer says so with an attribute `asks_model`; one without it needs nothing of the kind.
    """
    return bool(getattr(proposer, "asks_model", False))


class Proposer(Protocol):
    """Writes candidates. The registry's lazy map names the classes that do, and what each is opened with."""

    name: str

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give candidates for this iteration; an empty list means that there is nothing (more) to propose.

        Raises:
            ProposerError: the model, its key or the recording is unusable.
        """
