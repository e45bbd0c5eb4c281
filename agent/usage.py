"""What a run has used of language models. It is part of the run's stored state, so it stays small and flat."""

from __future__ import annotations

import math
from dataclasses import dataclass

_MOST_TOKENS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Requests, tokens and money so far.

    A request that was sent and brought no answer that can be read is *lost*; one with an answer that does not say what
    it used is *unsaid*. Nobody knows what the provider counts, so the most that they can have used is kept apart, and
    counts against the caps.
    """

    requests: int = 0  # that were sent, each try counted
    cached: int = 0  # requests that were answered by the cache, and cost nothing
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0  # of the answers whose model has a price
    unpriced: int = 0  # requests to models whose price is not known
    lost: int = 0
    lost_tokens: int = 0  # at most
    lost_cost_usd: float = 0.0  # at most, where the model has a price
    unsaid: int = 0
    unsaid_tokens: int = 0  # at most
    unsaid_cost_usd: float = 0.0  # at most, where the model has a price
    cap: str = ""  # which cap ended the asking; empty: none

    @property
    def tokens(self) -> int:
        """Tokens of all answers, prompts included."""
        return self.prompt_tokens + self.completion_tokens

    @property
    def known_cost_usd(self) -> float | None:
        """The cost of all answers that say what they used; None if the price of a model is not known."""
        return None if self.unpriced else self.cost_usd

    @property
    def most_tokens(self) -> int:
        """What the cap of tokens is held against."""
        return self.tokens + self.lost_tokens + self.unsaid_tokens

    @property
    def most_cost_usd(self) -> float:
        """What the cap of money is held against."""
        return self.cost_usd + self.lost_cost_usd + self.unsaid_cost_usd


NOTHING_USED = Usage()


def larger(one: Usage, other: Usage) -> Usage:
    """Field by field the larger: two accounts of one run, either of which may have missed something."""
    return Usage(
        requests=max(one.requests, other.requests),
        cached=max(one.cached, other.cached),
        prompt_tokens=max(one.prompt_tokens, other.prompt_tokens),
        completion_tokens=max(one.completion_tokens, other.completion_tokens),
        cost_usd=max(one.cost_usd, other.cost_usd),
        unpriced=max(one.unpriced, other.unpriced),
        lost=max(one.lost, other.lost),
        lost_tokens=max(one.lost_tokens, other.lost_tokens),
        lost_cost_usd=max(one.lost_cost_usd, other.lost_cost_usd),
        unsaid=max(one.unsaid, other.unsaid),
        unsaid_tokens=max(one.unsaid_tokens, other.unsaid_tokens),
        unsaid_cost_usd=max(one.unsaid_cost_usd, other.unsaid_cost_usd),
        cap=one.cap or other.cap,
    )


def plus(one: Usage, other: Usage) -> Usage:
    """The sum of two accounts; the cap is that of the first."""
    return Usage(
        requests=one.requests + other.requests,
        cached=one.cached + other.cached,
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        cost_usd=one.cost_usd + other.cost_usd,
        unpriced=one.unpriced + other.unpriced,
        lost=one.lost + other.lost,
        lost_tokens=one.lost_tokens + other.lost_tokens,
        lost_cost_usd=one.lost_cost_usd + other.lost_cost_usd,
        unsaid=one.unsaid + other.unsaid,
        unsaid_tokens=one.unsaid_tokens + other.unsaid_tokens,
        unsaid_cost_usd=one.unsaid_cost_usd + other.unsaid_cost_usd,
        cap=one.cap,
    )


def since(now: Usage, before: Usage) -> Usage:
    """What was used after `before`, which is part of `now`."""
    return Usage(
        requests=now.requests - before.requests,
        cached=max(now.cached - before.cached, 0),  # the ledger does not know of them
        prompt_tokens=now.prompt_tokens - before.prompt_tokens,
        completion_tokens=now.completion_tokens - before.completion_tokens,
        cost_usd=max(now.cost_usd - before.cost_usd, 0.0),  # floats
        unpriced=now.unpriced - before.unpriced,
        lost=now.lost - before.lost,
        lost_tokens=now.lost_tokens - before.lost_tokens,
        lost_cost_usd=max(now.lost_cost_usd - before.lost_cost_usd, 0.0),
        unsaid=now.unsaid - before.unsaid,
        unsaid_tokens=now.unsaid_tokens - before.unsaid_tokens,
        unsaid_cost_usd=max(now.unsaid_cost_usd - before.unsaid_cost_usd, 0.0),
        cap=now.cap,
    )


def known_tokens(said: object) -> int:
    """What a server says that it counted; 0 if that cannot be true: no request and no answer is empty, or so long."""
    return said if type(said) is int and 0 < said <= _MOST_TOKENS else 0


def told(usage: Usage) -> str:
    """Say it in one line: `3 requests, 4,210 tokens, $0.0031; 1 request lost, up to 900 tokens and $0.0009`."""
    parts = [counted(usage.requests, "request"), f"{usage.tokens:,} tokens", _cost(usage)]
    if usage.cached:
        parts.append(f"{counted(usage.cached, 'answer')} from the cache")
    line = ", ".join(parts)
    if usage.lost:
        line += f"; {counted(usage.lost, 'request')} without an answer, "
        line += _at_most(usage, usage.lost_tokens, usage.lost_cost_usd)
    if usage.unsaid:
        line += f"; {counted(usage.unsaid, 'answer')} did not say what was used, "
        line += _at_most(usage, usage.unsaid_tokens, usage.unsaid_cost_usd)
    return line


def _at_most(usage: Usage, tokens: int, cost_usd: float) -> str:
    most = "" if usage.unpriced else f" and {dollars(cost_usd)}"
    return f"up to {tokens:,} tokens{most} more"


def dollars(usd: float) -> str:
    """`$0.0031`, `$0.000091`, `$1.25`: two figures of a small amount, cents of a large one, no exponent."""
    if usd >= 1 or usd < 1e-9:
        return f"${usd:.2f}"
    decimals = max(2, 1 - math.floor(math.log10(usd)))
    return f"${usd:.{decimals}f}"


def _cost(usage: Usage) -> str:
    if usage.unpriced:
        known = f" (at least {dollars(usage.cost_usd)})" if usage.cost_usd else ""
        return f"cost unknown{known}"
    return dollars(usage.cost_usd)


def counted(number: int, noun: str) -> str:
    """`1 request`, `2 requests`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
