"""What language models have cost since the server was started: its cap holds for all calls together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from afterburner.agent import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.agent.events import OnEvent, ProgressEvent

CAP = "max_cost"


class Account:
    """Adds up what calls have cost at most. One call uses it at a time."""

    def __init__(self) -> None:
        """Nothing is spent yet."""
        self._spent_usd = 0.0

    @contextmanager
    def of_call(self, given: Mapping[str, Any], on_event: OnEvent) -> Iterator[tuple[Mapping[str, Any], OnEvent]]:
        """The settings of one call, with what is left under the cap, and what counts its costs as they come.

        Raises:
            UsageError: nothing is left.
        """
        cap_usd = given.get(CAP)
        left_usd = cap_usd - self._spent_usd if cap_usd is not None else None
        if left_usd is not None and left_usd <= 0:
            raise UsageError(
                f"The models have cost {cap_usd:g} US dollars, which is the most that --max-cost of the server allows. "
                "Ask the user."
            )
        cost_usd = 0.0

        def counted(event: ProgressEvent) -> None:
            nonlocal cost_usd
            cost_usd = max(cost_usd, event.usage.most_cost_usd)
            on_event(event)

        try:
            yield given if left_usd is None else {**given, CAP: left_usd}, counted
        finally:
            self._spent_usd += cost_usd
