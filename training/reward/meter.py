"""How busy the slots are while rewards are computed."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from afterburner.sandbox.cores import Cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True, slots=True)
class MeteredCores(Cores):
    """Cores that note how long each lease was held.

    Attributes:
        held_s: of each lease; any thread adds to it.
    """

    held_s: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, cores: Cores) -> MeteredCores:
        """The same cores, with nothing noted."""
        return cls(cores.slots, cores.watching)

    @contextmanager
    def lease(
        self, give_up: Callable[[], bool] = lambda: False, on_wait: Callable[[], object] = lambda: None
    ) -> Iterator[int]:
        """Hold a slot, and note for how long."""
        with Cores.lease(self, give_up, on_wait) as cpu:
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
        busy_share: of the slots' time, the share in which they were leased.
        runs: programs that were run, each with one test case.
    """

    elapsed_s: float = 0.0
    busy_share: float = 0.0
    runs: int = 0
