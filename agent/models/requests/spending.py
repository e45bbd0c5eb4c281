"""The caps of a run on money, tokens, requests and seconds, which hold however many requests are under way."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.models.requests.account import Account
from afterburner.agent.models.requests.endings import CapReachedError
from afterburner.agent.models.requests.reservation import Reservation
from afterburner.agent.options import Caps
from afterburner.agent.usage import NOTHING_USED, Usage, dollars, larger, plus, since
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
SHARE_IS_UP = f"its share of {TIME_IS_UP}"  # of one of several functions
_LOOK_AGAIN_S = 0.5


def least_tokens_for(original: str) -> int:
    """How long an answer has to be allowed to be, so that it can hold the code that is to be rewritten."""
    return LEAST_OUTPUT_TOKENS + len(original.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN


class Budget:
    """Reserve before a request, then settle, refuse or lose it: `reserved` sees to that. Any thread may do so.

    Each step is written to the ledger before it counts, so that a run that was killed knows afterwards what it has
    asked for: what was under way then is taken as lost. What a run uses counts for its `parent`, too: the session, or
    a run over many targets. The caps of both hold.
    """

    def __init__(
        self,
        caps: Caps | None = None,
        until: Deadline | None = None,
        ledger: AnswerStore | None = None,
        run_id: str = "",
        *,
        parent: Budget | None = None,
        used_before: Usage | None = None,
        cancel: CancelToken | None = None,
        only_whole: bool = False,
    ) -> None:
        """Begin with what the ledger knows of this run.

        `used_before` is what others had used of the same caps when the run began; None: it begins now. With
        `only_whole` no answer is asked to be shorter than the model's longest, so that a cap never cuts one off.
        """
        self._until = until
        self._ledger = ledger
        self._cancel = cancel or CancelToken()
        self._only_whole = only_whole
        self._cap = ""  # that this run has met
        self.account: Account = parent.account.part(run_id) if parent is not None else Account(run_id)
        self.account.caps = caps or Caps()
        with self.account.changed:
            if ledger is not None:
                self.account.usage = larger(self.account.usage, ledger.usage(run_id))
            now = parent.account.usage if parent is not None else NOTHING_USED
        self.used_before = now if used_before is None else used_before

    @property
    def caps_money(self) -> bool:
        """Whether there is a cap of money, of the run or of what it is part of."""
        return any(account.caps.cost_usd is not None for account in self.account.chain)

    def usage(self) -> Usage:
        """What was used so far; what is still under way is not in it."""
        with self.account.changed:
            return replace(self.account.usage, cap=self._cap)

    def prolong(self, until: Deadline) -> None:
        """From now on requests may be made until then: the time for the search is not all of a run's."""
        self._until = until

    def at_least(self, stored: Usage) -> None:
        """Go on from a stored state: the ledger may be another machine's."""
        with self.account.changed:
            known = self.account.usage
            self.account.add(since(larger(known, replace(stored, cap="")), known))
            self._cap = self._cap or stored.cap

    def count_cached(self) -> None:
        """Tell of a request that the cache answered."""
        self.account.add(Usage(cached=1))

    def share(  # noqa: PLR0917 - what a request depends on
        self, stored: Usage, count: int, prompt_tokens: int, price: Price | None, longest: int | None, least: int
    ) -> tuple[int, int | None]:
        """How many of `count` answers fit, and how many tokens each may have; None if nothing has to be limited.

        Fewer answers come before answers of less than `least` tokens: what is cut off costs money and is of no use. It
        follows from what was stored at the beginning of the run and of the iteration, and from nothing else: a resumed
        run has to ask for exactly the same to find the answers that it has paid for. Only where it is resumed under
        further caps, these count as they stand.

        Raises:
            CapReachedError: what is left is not enough for a single answer.
        """
        own, *others = self.account.chain
        bounds = [(own.caps, plus(stored, self.used_before))]
        bounds += [(each.caps, each.usage) for each in others if each.caps != own.caps]
        bounds = [(caps, used) for caps, used in bounds if caps.tokens is not None or caps.cost_usd is not None]
        if not bounds:
            return count, None
        longest = longest or MOST_OUTPUT_TOKENS
        most = longest if self._only_whole else min(longest, MOST_OUTPUT_TOKENS)
        least = most if self._only_whole else min(least, most)
        for answers in range(count, 0, -1):
            limits = [_longest_of(answers, caps, used, prompt_tokens, price, most) for caps, used in bounds]
            if min(limits) >= least:
                return answers, min(limits)
        caps, used = bounds[limits.index(min(limits))]
        raise self._reached(_short_of(caps, used, Reservation(prompt_tokens, least, None)))

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
            self.withdraw(reservation)
            raise
        try:
            yield reservation, left_s
        finally:
            if reservation in self.account.under_way:
                self.lose(reservation)

    def reserve(self, most: Reservation, wanted_s: float = math.inf) -> Reservation:
        """Keep back the most that a request can use; wait where that depends on those that are under way.

        Raises:
            CapReachedError: a cap, or the time, allows no such request.
            CancelledError: the run was cancelled.
        """
        with self.account.changed:
            self.left_s(wanted_s)
            while (full := next((each for each in self.account.chain if not each.fits(most)), None)) is not None:
                if not full.under_way or full.takes_no_request:
                    raise self._reached(_short_of(full.caps, full.usage, most))
                self.account.changed.wait(_LOOK_AGAIN_S)
                self._cancel.raise_if_cancelled()
                self.left_s(wanted_s)
            row = None
            if self._ledger is not None:
                row = self._ledger.sent(self.account.run_id, most, self.account.part_of)
            reservation = replace(most, row=row)
            self.account.keep_back(reservation)
            return reservation

    def settle(self, reservation: Reservation, prompt_tokens: int, completion_tokens: int, cost: float | None) -> None:
        """The answer is there, and says what it used."""
        if self._ledger is not None:
            self._ledger.answered(reservation, prompt_tokens, completion_tokens, cost)
        self.account.release(
            reservation,
            Usage(
                prompt_tokens=prompt_tokens,
                completion_tokens=completion_tokens,
                cost_usd=cost or 0.0,
                unpriced=int(cost is None),
            ),
        )

    def refuse(self, reservation: Reservation) -> None:
        """The request was turned away: it cost nothing, and counts as a request."""
        if self._ledger is not None:
            self._ledger.refused(reservation)
        self.account.release(reservation, NOTHING_USED)

    def withdraw(self, reservation: Reservation) -> None:
        """The request was never begun, or never arrived: it does not count."""
        try:
            if self._ledger is not None:
                self._ledger.withdrawn(reservation)
        finally:
            self.account.release(reservation, Usage(requests=-1))

    def lose(self, reservation: Reservation) -> None:
        """It was sent and nothing came back that says what it used: as much as it can have. So the ledger has it."""
        cost = reservation.cost_usd
        used = Usage(lost=1, lost_tokens=reservation.tokens, lost_cost_usd=cost or 0.0, unpriced=int(cost is None))
        self.account.release(reservation, used)

    def settle_unsaid(self, reservation: Reservation) -> None:
        """The answer is there, and does not say what it used: as much as it can have."""
        if self._ledger is not None:
            self._ledger.unsaid(reservation)
        cost = reservation.cost_usd
        used = Usage(
            unsaid=1, unsaid_tokens=reservation.tokens, unsaid_cost_usd=cost or 0.0, unpriced=int(cost is None)
        )
        self.account.release(reservation, used)

    def left_s(self, wanted_s: float) -> float:
        """How long a request that begins now may take.

        Raises:
            CapReachedError: the time is up.
        """
        left_s = self._until.left_s() if self._until is not None else wanted_s
        if left_s < LEAST_SECONDS and left_s < wanted_s:
            raise self._reached(TIME_IS_UP)
        return min(left_s, wanted_s)

    def _reached(self, reason: str) -> CapReachedError:
        """Keep the first reason: the run tells it at its end."""
        self._cap = self._cap or reason
        return CapReachedError(f"No further request was made: {reason}.")


def _longest_of(  # noqa: PLR0917 - what a request depends on
    answers: int, caps: Caps, used: Usage, prompt_tokens: int, price: Price | None, most: int
) -> int:
    """How long each of so many answers may be, in tokens."""
    if caps.tokens is not None:
        most = min(most, (caps.tokens - used.most_tokens) // answers - prompt_tokens)
    if caps.cost_usd is not None and price is not None:
        share_usd = (caps.cost_usd - used.most_cost_usd) / answers - prompt_tokens * price.input_usd
        most = min(most, int(share_usd / price.output_usd))
    return most


def _short_of(caps: Caps, usage: Usage, most: Reservation) -> str:
    """Which cap leaves too little for a request."""
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
