"""Finds out before any work whether a model can be asked: its name, its key, its price under a cap, its server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.model_session import ModelSession

if TYPE_CHECKING:
    from afterburner.agent import Caps


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


def caution_about(model: str, caps: Caps) -> str:
    """What speaks against a model without being an error: its server lists only others. Empty: nothing does."""
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
