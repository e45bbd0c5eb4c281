"""What a run has used of language models and keeps back, added up for all that it is part of."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.options import Caps
from afterburner.agent.usage import NOTHING_USED, Usage, plus

if TYPE_CHECKING:
    from afterburner.agent.models.requests.reservation import Reservation


@dataclass(slots=True)
class Account:
    """Of a run, of a run over many targets, or of a session: what is used and under way, and the most that may be.

    `changed` is one for a session and all its parts: whoever reads several figures holds it.
    """

    run_id: str = ""
    parent: Account | None = None
    caps: Caps = field(default_factory=Caps)
    usage: Usage = NOTHING_USED
    under_way: list[Reservation] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)
    _parts: dict[str, Account] = field(default_factory=dict)

    def part(self, run_id: str) -> Account:
        """The account of a run that counts here, too; the one that is there already if the run is resumed."""
        with self.changed:
            return self._parts.setdefault(run_id, Account(run_id, self, changed=self.changed))

    @property
    def part_of(self) -> str:
        """The id of what it is part of."""
        return self.parent.run_id if self.parent is not None else ""

    @property
    def chain(self) -> tuple[Account, ...]:
        """This one, and all that it is part of."""
        return (self, *(self.parent.chain if self.parent is not None else ()))

    @property
    def takes_no_request(self) -> bool:
        """Whether all requests are made that there may be."""
        return self.caps.requests is not None and self.usage.requests >= self.caps.requests

    def fits(self, most: Reservation) -> bool:
        """Whether a request fits beside those that are under way."""
        if self.takes_no_request:
            return False
        caps, usage = self.caps, self.usage
        tokens = usage.most_tokens + sum(each.tokens for each in self.under_way) + most.tokens
        cost = usage.most_cost_usd + sum(each.cost_usd or 0.0 for each in self.under_way) + (most.cost_usd or 0.0)
        return (caps.tokens is None or tokens <= caps.tokens) and (caps.cost_usd is None or cost <= caps.cost_usd)

    def add(self, used: Usage) -> None:
        """Count what was used, here and in all that it is part of."""
        with self.changed:
            for account in self.chain:
                account.usage = plus(account.usage, used)

    def keep_back(self, reservation: Reservation) -> None:
        """Count a request that is now under way."""
        with self.changed:
            self.add(Usage(requests=1))
            for account in self.chain:
                account.under_way.append(reservation)

    def release(self, reservation: Reservation, used: Usage) -> None:
        """Keep nothing back for a request any more, and count what it has used."""
        with self.changed:
            self.add(used)
            for account in self.chain:
                with suppress(ValueError):
                    account.under_way.remove(reservation)
            self.changed.notify_all()
