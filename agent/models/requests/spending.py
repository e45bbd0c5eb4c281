"""The caps of a run on money, tokens, requests and seconds, which hold however many requests are under way."""

from __future__ import annotations

import math
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.options import Caps
from afterburner.agent.usage import Usage, dollars, larger
from afterburner.sandbox import CancelToken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.models.requests.answer_store import AnswerStore
    from afterburner.agent.models.requests.prices import Price

MOST_OUTPUT_TOKENS = 16_384  # of one answer where a cap has to be kept, and what is reckoned with where nothing is said
LEAST_OUTPUT_TOKENS = 2_000  # thoughts and all around the code; an answer that may be no longer is seldom whole
LEAST_SECONDS = 1.0
_BYTES_PER_TOKEN = 3  # of code, about
TIME_IS_UP = "the time for the search (--max-seconds) is up"
_LOOK_AGAIN_S = 0.5


def least_tokens_for(original: str) -> int:
    """How long an answer has to be allowed to be, so that it can hold the code that is to be rewritten."""
    return LEAST_OUTPUT_TOKENS + len(original.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN


@dataclass(slots=True)
class _Account:
    """What is used and kept back, by all runs that share the caps."""

    usage: Usage
    under_way: list[Reservation] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)


class Budget:
    """Reserve before a request, then settle, refuse or lose it: `reserved` sees to that. Any thread may do so.

    Each step is written to the ledger before it counts, so that a run that was killed knows afterwards what it has
    asked for: what was under way then is taken as lost.
    """

    def __init__(
        self,
        caps: Caps | None = None,
        until: Deadline | None = None,
        ledger: AnswerStore | None = None,
        run_id: str = "",
        *,
        account: _Account | None = None,
        cancel: CancelToken | None = None,
    ) -> None:
        """Begin with what the ledger knows of this run."""
        self.caps = caps or Caps()
        self._until = until
        self._ledger = ledger
        self._run_id = run_id
        self._cancel = cancel or CancelToken()
        self._cap = ""  # that this run has met
        self._account = account or _Account(ledger.usage(run_id) if ledger is not None else Usage())

    def for_run(self, until: Deadline | None, cancel: CancelToken) -> Budget:
        """The same caps and the same account, for a run that has a time of its own and is cancelled by itself."""
        return Budget(self.caps, until, self._ledger, self._run_id, account=self._account, cancel=cancel)

    def usage(self) -> Usage:
        """What was used so far; what is still under way is not in it."""
        with self._account.changed:
            return replace(self._account.usage, cap=self._cap)

    def at_least(self, stored: Usage) -> None:
        """Go on from a stored state: the ledger may be another machine's."""
        with self._account.changed:
            self._account.usage = larger(self._account.usage, replace(stored, cap=""))
            self._cap = self._cap or stored.cap

    def count_cached(self) -> None:
        """Tell of a request that the cache answered."""
        with self._account.changed:
            self._account.usage = replace(self._account.usage, cached=self._account.usage.cached + 1)

    def share(  # noqa: PLR0917 - what a request depends on
        self, stored: Usage, count: int, prompt_tokens: int, price: Price | None, longest: int | None, least: int
    ) -> tuple[int, int | None]:
        """How many of `count` answers fit, and how many tokens each may have; None if nothing has to be limited.

        Fewer answers come before answers of less than `least` tokens: what is cut off costs money and is of no use. It
        follows from what was stored at the beginning of the iteration and from nothing else: a resumed run has to
        ask for exactly the same to find the answers that it has paid for.

        Raises:
            CapReachedError: what is left is not enough for a single answer.
        """
        if self.caps.tokens is None and self.caps.cost_usd is None:
            return count, None
        most = min(longest or MOST_OUTPUT_TOKENS, MOST_OUTPUT_TOKENS)
        least = min(least, most)
        for answers in range(count, 0, -1):
            limit = most
            if self.caps.tokens is not None:
                limit = min(limit, (self.caps.tokens - stored.most_tokens) // answers - prompt_tokens)
            if self.caps.cost_usd is not None and price is not None:
                share = (self.caps.cost_usd - stored.most_cost_usd) / answers - prompt_tokens * price.input_usd
                limit = min(limit, int(share / price.output_usd))
            if limit >= least:
                return answers, limit
        raise self._reached(self._short_of(stored, Reservation(prompt_tokens, least, None)))

    @contextmanager
    def reserved(self, most: Reservation, wanted_s: float = math.inf) -> Iterator[tuple[Reservation, float]]:
        """Keep back the most that a request can use, and say how long it may take, now that nothing is waited for.

        Whatever happens inside: what is neither settled nor refused there is lost, so that nobody waits for it.

        Raises:
            CapReachedError: a cap, or the time, allows no such request.
        """
        reservation = self.reserve(most, wanted_s)
        try:
            left_s = self.left_s(wanted_s)  # the ledger may have been waited for
        except CapReachedError:
            self._withdraw(reservation)
            raise
        try:
            yield reservation, left_s
        finally:
            if reservation in self._account.under_way:
                self.lose(reservation)

    def reserve(self, most: Reservation, wanted_s: float = math.inf) -> Reservation:
        """Keep back the most that a request can use; wait where that depends on those that are under way.

        Raises:
            CapReachedError: a cap, or the time, allows no such request.
            CancelledError: the run was cancelled.
        """
        with self._account.changed:
            self.left_s(wanted_s)
            while not self._fits(most):
                if not self._account.under_way or self._no_more_requests():
                    raise self._reached(self._short_of(self._account.usage, most))
                self._account.changed.wait(_LOOK_AGAIN_S)
                self._cancel.raise_if_cancelled()
                self.left_s(wanted_s)
            row = self._ledger.sent(self._run_id, most) if self._ledger is not None else None
            reservation = replace(most, row=row)
            self._account.usage = replace(self._account.usage, requests=self._account.usage.requests + 1)
            self._account.under_way.append(reservation)
            return reservation

    def settle(self, reservation: Reservation, prompt_tokens: int, completion_tokens: int, cost: float | None) -> None:
        """The answer is there, and says what it used."""
        if self._ledger is not None:
            self._ledger.answered(reservation, prompt_tokens, completion_tokens, cost)
        with self._account.changed:
            self._account.usage = replace(
                self._account.usage,
                prompt_tokens=self._account.usage.prompt_tokens + prompt_tokens,
                completion_tokens=self._account.usage.completion_tokens + completion_tokens,
                cost_usd=self._account.usage.cost_usd + (cost or 0.0),
                unpriced=self._account.usage.unpriced + (cost is None),
            )
            self._release(reservation)

    def refuse(self, reservation: Reservation) -> None:
        """The request was turned away, or never arrived: it cost nothing, and counts as a request."""
        if self._ledger is not None:
            self._ledger.refused(reservation)
        with self._account.changed:
            self._release(reservation)

    def _withdraw(self, reservation: Reservation) -> None:
        """The request was never begun: it does not count."""
        try:
            if self._ledger is not None:
                self._ledger.withdrawn(reservation)
        finally:
            with self._account.changed:
                self._account.usage = replace(self._account.usage, requests=self._account.usage.requests - 1)
                self._release(reservation)

    def lose(self, reservation: Reservation) -> None:
        """It was sent and nothing came back that says what it used: as much as it can have. So the ledger has it."""
        with self._account.changed:
            cost = reservation.cost_usd
            self._account.usage = replace(
                self._account.usage,
                lost=self._account.usage.lost + 1,
                lost_tokens=self._account.usage.lost_tokens + reservation.tokens,
                lost_cost_usd=self._account.usage.lost_cost_usd + (cost or 0.0),
                unpriced=self._account.usage.unpriced + (cost is None),
            )
            self._release(reservation)

    def settle_unsaid(self, reservation: Reservation) -> None:
        """The answer is there, and does not say what it used: as much as it can have."""
        if self._ledger is not None:
            self._ledger.unsaid(reservation)
        with self._account.changed:
            cost = reservation.cost_usd
            self._account.usage = replace(
                self._account.usage,
                unsaid=self._account.usage.unsaid + 1,
                unsaid_tokens=self._account.usage.unsaid_tokens + reservation.tokens,
                unsaid_cost_usd=self._account.usage.unsaid_cost_usd + (cost or 0.0),
                unpriced=self._account.usage.unpriced + (cost is None),
            )
            self._release(reservation)

    def left_s(self, wanted_s: float) -> float:
        """How long a request that begins now may take.

        Raises:
            CapReachedError: the time is up.
        """
        left_s = self._until.left_s() if self._until is not None else wanted_s
        if left_s < LEAST_SECONDS and left_s < wanted_s:
            raise self._reached(TIME_IS_UP)
        return min(left_s, wanted_s)

    def _release(self, reservation: Reservation) -> None:
        with suppress(ValueError):
            self._account.under_way.remove(reservation)
        self._account.changed.notify_all()

    def _fits(self, most: Reservation) -> bool:
        if self._no_more_requests():
            return False
        caps, usage = self.caps, self._account.usage
        tokens = usage.most_tokens + sum(each.tokens for each in self._account.under_way) + most.tokens
        cost = (
            usage.most_cost_usd + sum(each.cost_usd or 0.0 for each in self._account.under_way) + (most.cost_usd or 0.0)
        )
        return (caps.tokens is None or tokens <= caps.tokens) and (caps.cost_usd is None or cost <= caps.cost_usd)

    def _no_more_requests(self) -> bool:
        return self.caps.requests is not None and self._account.usage.requests >= self.caps.requests

    def _short_of(self, usage: Usage, most: Reservation) -> str:
        caps = self.caps
        if caps.requests is not None and usage.requests >= caps.requests:
            return f"the cap of {caps.requests} requests (--max-requests) is reached"
        if caps.tokens is not None and usage.most_tokens + most.tokens > caps.tokens:
            left = max(caps.tokens - usage.most_tokens, 0)
            return (
                f"of the cap of {caps.tokens:,} tokens (--max-tokens) {left:,} are left, too few for a request, which "
                f"may need {most.tokens:,}"
            )
        limit = caps.cost_usd or 0.0
        left_usd = dollars(max(limit - usage.most_cost_usd, 0.0))
        return f"of the cap of {dollars(limit)} (--max-cost) {left_usd} is left, too little for a request"

    def _reached(self, reason: str) -> CapReachedError:
        """Keep the first reason: the run tells it at its end."""
        self._cap = self._cap or reason
        return CapReachedError(f"No further request was made: {reason}.")
