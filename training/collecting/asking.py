"""Asks a model for the answers that a collection lacks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from afterburner.agent.models.batching import answer_each
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.prompt_request import Answerer, PromptRequest
from afterburner.training.collecting.folder import StoredAnswer
from afterburner.training.collecting.settings import SEEDS_APART
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.models.requests.model_answers import ModelAnswer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.training.collecting.folder import Collection
    from afterburner.training.collecting.settings import CollectSettings
    from afterburner.training.data.reading import DataSet


def open_answerer(
    settings: CollectSettings, *, timeout_s: float = 600.0, model_session: ModelSession | None = None
) -> Answerer:
    """Open the model that is asked.

    Raises:
        TrainingError: it answers no prompts.
        ProposerError: there is no such model, or it cannot be asked.
    """
    proposer = open_proposer(
        settings.model, timeout_s=timeout_s, temperature=settings.temperature, model_session=model_session
    )
    if not isinstance(proposer, Answerer):
        raise TrainingError(
            f"{settings.model} cannot answer a prompt. Give one language model, such as hosted_vllm/NAME, "
            "openai/NAME, vllm:PATH or replay:FILE."
        )
    return proposer


def ask(
    collection: Collection,
    data: DataSet,
    settings: CollectSettings,
    answerer: Answerer,
    model_session: ModelSession,
    *,
    jobs: int,
    on_progress: Callable[[int, int], object],
) -> None:
    """Ask for what is not stored yet, and store each answer as soon as it is there.

    Args:
        collection: where they are stored.
        data: the prompts.
        settings: how many answers.
        answerer: who is asked.
        model_session: with the caps; it knows the secret values that are hidden from the model.
        jobs: prompts under way at a time.
        on_progress: is told how many answers there are, and how many there are to be.

    Raises:
        ProposerError: the model failed; what was answered until then is stored.
        TrainingError: the folder cannot be written.
    """
    known = Counter(each.row for each in collection.answers())
    total, done = settings.samples * len(data.rows), known.total()
    on_progress(done, total)

    def keep(request: PromptRequest, answers: list[ModelAnswer]) -> None:
        nonlocal done
        good = [each for each in answers if not each.error]
        own = "\n".join(each["content"] for each in request.messages)
        collection.keep(
            StoredAnswer(
                request.number - 1,
                request.known + place,
                model_session.scrub.restore(each.whole, own),
                each.model,
                each.finish_reason,
            )
            for place, each in enumerate(good)
        )
        done += len(good)
        on_progress(done, total)

    missing = [
        PromptRequest(
            row["problem_id"],
            number,
            tuple(row["prompt"]),
            settings.samples,
            known[number - 1],
            settings.seed + SEEDS_APART * number,
        )
        for number, row in enumerate(data.rows, start=1)
        if known[number - 1] < settings.samples
    ]
    answer_each(answerer, missing, keep, most=jobs)
