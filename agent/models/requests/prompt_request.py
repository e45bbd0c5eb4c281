"""Messages that a model is sent as they are, and whose answers are kept as they come: training collects them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.models.requests.model_answers import ModelAnswer


@dataclass(frozen=True, slots=True)
class PromptRequest:
    """One prompt, and how many answers to it are wanted.

    Attributes:
        name: of what the prompt is about.
        number: of the prompt among all that are sent, from 1.
        messages: the prompt.
        count: of answers that are wanted in all.
        known: of these, how many are there already.
        seed: the answers differ with it.
    """

    name: str
    number: int
    messages: tuple[Mapping[str, str], ...]
    count: int
    known: int = 0
    seed: int = 0


@runtime_checkable
class Answerer(Protocol):
    """A proposer that answers any prompt."""

    name: str

    def answer(self, request: PromptRequest) -> list[ModelAnswer]:
        """Give up to `count - known` further answers; one that could not be had has its `error` set.

        Fewer come where a cap is reached or a recording has no more.

        Raises:
            ProposerError: the model, its key or the recording is unusable.
        """
