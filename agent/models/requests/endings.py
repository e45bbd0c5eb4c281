"""How asking ends without an answer."""

from __future__ import annotations

from afterburner.agent.errors import ProposerError


class CapReachedError(ProposerError):
    """A cap of the run allows no further request; the message names it. `after` is the failure before it, if any."""

    def __init__(self, message: str, after: str = "") -> None:
        super().__init__(f"{after} {message}".strip())
        self.after = after


class ModelFailedError(ProposerError):
    """A model cannot be used, and asking it again does not help.

    `turns_all_away`: nor does asking it anything else: its server does not know the model, or refuses the key.
    """

    def __init__(self, message: str, *, turns_all_away: bool = False) -> None:
        super().__init__(message)
        self.turns_all_away = turns_all_away
