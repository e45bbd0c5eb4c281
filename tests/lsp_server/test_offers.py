"""What an offer says of itself before anybody applies it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from afterburner.agent.judge.input_gains import Outweighed
from afterburner.agent.types import Gain, GainRange, Objective, WorkloadCall
from afterburner.lsp_server.conditions import summary_of
from afterburner.lsp_server.offers import Offer

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult


REAL = WorkloadCall(b"", "captured from __main__", "f(1)", 0.1)


@dataclass(frozen=True)
class Result:
    """What an offer looks at of the result of a run."""

    objective: Objective = Objective.TIME
    summary: str = "CPU time improved 13.5x"
    gain: Gain = field(default_factory=lambda: Gain(13.5, 11.8, 13.9, 0.99, 8))
    by_size: GainRange | None = None
    caveat: str = ""
    invented_inputs: str = ""
    on_real_calls: str = ""
    assume: tuple[str, ...] = ()


def result_of(**found: object) -> RunResult:
    return cast("RunResult", Result(**found))  # type: ignore[arg-type]


def offer_of(**found: object) -> Offer:
    return Offer("file:///shop.py", result_of(**found), "f", "", "", "", "")


def test_an_offer_says_what_is_stated_of_its_inputs() -> None:
    assert offer_of().short == "13.5x faster (11.8x to 13.9x), proven"
    assert offer_of(assume=("width > 0",)).short == "13.5x faster (11.8x to 13.9x), proven given `width > 0`"
    assert summary_of(result_of()) == "CPU time improved 13.5x"
    assert summary_of(result_of(assume=("a > 0", "b > 0"))) == "CPU time improved 13.5x, given `a > 0` and `b > 0`"


def test_an_offer_says_that_the_real_calls_do_not_show_the_gain() -> None:
    told = Outweighed((REAL,) * 40, 1.01, "").told
    assert offer_of(on_real_calls=told).short == (
        "13.5x faster (11.8x to 13.9x), proven; on the 40 real calls alone it gains 1.01x"
    )
