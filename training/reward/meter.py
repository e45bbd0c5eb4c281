"""How busy the slots are while rewards are computed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox.cores import Slots


@dataclass(frozen=True, slots=True)
class MeteredSlots:
    """Slots that note how long each lease was held.

    Attributes:
        of: the slots.
        held_s: of each lease; any thread adds to it.
    """

    of: Slots
    held_s: list[float] = field(default_factory=list)

    @property
    def slots(self) -> tuple[int, ...]:
        """Those of `of`."""
        return self.of.slots

    @contextmanager
    def lease(
        self, give_up: Callable[[], bool] = lambda: False, on_wait: Callable[[], object] = lambda: None
    ) -> Iterator[int | None]:
        """Hold a slot, and note for how long."""
        with self.of.lease(give_up, on_wait) as cpu:
            began = monotonic()
            try:
                yield cpu
            finally:
                self.held_s.append(monotonic() - began)


@dataclass(frozen=True, slots=True)
class Effort:
    """What the rewards of one batch took.

    Attributes:
        elapsed_s: seconds from the first to the last of it.
        held_s: how long slots were leased, all leases together.
        slots: how many there are.
        runs: programs that were run, each with one test case.
    """

    elapsed_s: float = 0.0
    held_s: float = 0.0
    slots: int = 1
    runs: int = 0
