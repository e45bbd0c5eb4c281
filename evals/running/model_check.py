"""Finds out before any work whether a model can be asked: its name, its key, its price under a cap, its server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import members, open_proposer
from afterburner.agent.models.replay_proposer import ReplayProposer
from afterburner.agent.models.requests.model_session import ModelSession
from afterburner.evals.running.subjects import count_subjects

if TYPE_CHECKING:
    from afterburner.agent import Caps
    from afterburner.evals.running.settings import EvaluationSettings

_REPLAY = "replay:"


def check_model(model: str, caps: Caps, *, awaits_server: bool = False) -> None:
    """Open the proposer that a run will ask, without a request.

    Args:
        model: as `--model`.
        caps: of the run.
        awaits_server: whether nothing that listens at the server's address is an error; a resumed run may do without
            the server, as far as its answers are stored.

    Raises:
        UnknownModelError: no model goes by that name.
        ProposerError: it cannot be asked, there is a cap of money and no price, or its server is not there.
    """
    proposer = open_proposer(model, retries=0, model_session=ModelSession(caps=caps))
    await_server = getattr(proposer, "await_server", None)
    if awaits_server and await_server is not None:
        await_server()


def check_recordings(settings: EvaluationSettings) -> None:
    """Refuse recordings that would give several problems the same answers.

    Raises:
        UsageError: a recording does not tell problems apart, and there may be more than one.
        ProposerError: a recording cannot be read.
    """
    paths = [name.removeprefix(_REPLAY) for name in members(settings.model) if name.startswith(_REPLAY)]
    shared = [path for path in paths if Path(path).is_file() and ReplayProposer(path).answers_any_problem]
    if shared and 1 not in {count_subjects(settings), count_subjects(replace(settings, only=(), limit=None))}:
        raise UsageError(
            f"--model {_REPLAY}{shared[0]}: this recording does not tell problems apart, so each would be given "
            "the same answers. Evaluate one problem, with --only ID or --limit 1, or let each line name its own: "
            '{"asked": "a model", "file": "NAME OF THE PROBLEM", "function": null, "iteration": 1, "content": "…"}.'
        )


def caution_about(model: str, caps: Caps) -> str:
    """What speaks against a model without being an error; empty: nothing.

    That is that its server lists only others, or has nothing at its address but models at that with `/v1`.
    """
    try:
        proposer = open_proposer(model, retries=0, model_session=ModelSession(caps=caps))
    except ProposerError:
        return ""
    unlisted = getattr(proposer, "unlisted", None)
    return str(unlisted()) if unlisted is not None else ""


def is_server_gone(model: str, caps: Caps) -> bool:
    """Whether asking the model any further is in vain, because nothing listens where it was."""
    try:
        check_model(model, caps, awaits_server=True)
    except ProposerError:
        return True
    return False
