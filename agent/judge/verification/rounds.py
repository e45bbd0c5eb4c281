"""Rounds of inputs, and which of them one process may make together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from afterburner.agent.types import WorkloadCall

MOST_TOGETHER = 600  # calls; the start of a process takes as long as some hundred small ones
MOST_TOGETHER_S = 2.0  # of the original's CPU time


@dataclass(frozen=True, slots=True)
class Round:
    """Calls that one process can make, and whether what is expected of them holds their effects: see `CallCase`.

    `number` is the place among the rounds that are kept for every rewrite; None: it is none of these.
    """

    calls: Sequence[WorkloadCall]
    known_names: tuple[str, ...] | None
    is_real: bool = False
    number: int | None = None

    def within(self, *, hints_alone: bool = False) -> Round:
        """Those of the calls that keep to the contract, or at least to the type hints."""
        left_out = "is_ruled_out" if hints_alone else "is_probing"
        return replace(self, calls=[call for call in self.calls if not getattr(call, left_out)], number=None)


def joined(rounds: Sequence[Round]) -> Round:
    """All calls of these rounds, one round after the other."""
    return replace(rounds[0], calls=[call for each in rounds for call in each.calls], number=None)


def together(rounds: Iterable[Round], made: Callable[[], int]) -> Iterator[list[Round]]:
    """Groups of rounds that one process may make: of those that are kept and made already, as many as are not too much.

    Args:
        rounds: in their order; each is asked for only when nothing waits that could be made without it.
        made: how many of those that are kept there are by now.
    """
    group: list[Round] = []
    for each in rounds:
        if group and not _fits(joined([*group, each]), group[0], each):
            yield group
            group = []
        group.append(each)
        if each.number is None or each.number + 1 >= made():
            yield group
            group = []
    if group:
        yield group


def _fits(whole: Round, first: Round, last: Round) -> bool:
    if last.number is None or first.known_names != last.known_names:
        return False
    return len(whole.calls) <= MOST_TOGETHER and sum(call.cpu_time_s for call in whole.calls) <= MOST_TOGETHER_S
