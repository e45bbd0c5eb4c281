"""What a request may use at most, kept back while it is under way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """The most that one request can use: kept back while it is under way. `cost_usd` is None without a price.

    Two that are alike are still two.
    """

    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    row: int | None = None  # in the ledger

    @property
    def tokens(self) -> int:
        """Prompt and answers together."""
        return self.prompt_tokens + self.completion_tokens
