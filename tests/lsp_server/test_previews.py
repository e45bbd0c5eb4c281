"""One preview at a time, and each rewrite waits for it once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from afterburner.lsp_server.offers import Offer
from afterburner.lsp_server.previews import Previews

if TYPE_CHECKING:
    from afterburner.agent.loop.results import RunResult

pytestmark = pytest.mark.asyncio
NO_RESULT = cast("RunResult", None)


def offer(function: str, rewrite: str = "def f(): ...") -> Offer:
    return Offer("file:///shop.py", NO_RESULT, function, "before", "after", "original", rewrite)


async def test_a_preview_waits_for_the_open_one_and_tells_which_it_is() -> None:
    previews, opened = Previews(), list[Offer | None]()
    may_close = asyncio.Event()
    total, common = offer("total"), offer("common")

    async def open_one(each: Offer) -> None:
        async with previews.turn(each):
            opened.append(previews.shown)
            await may_close.wait()

    waiting = [asyncio.ensure_future(open_one(each)) for each in (total, common)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert opened == [total]
    assert previews.shows(offer("total"))
    assert not previews.waits(total)
    assert previews.waits(common)
    assert not previews.waits(offer("common", "def f(): return 2")), "another rewrite of it"
    may_close.set()
    await asyncio.gather(*waiting)
    assert opened == [total, common]
    assert previews.shown is None
    assert not previews.waits(common)


async def test_one_that_is_given_up_lets_the_next_one_open() -> None:
    previews, common = Previews(), offer("common")
    async with previews.turn(offer("total")):
        waiting = asyncio.ensure_future(_open(previews, common))
        await asyncio.sleep(0)
        assert previews.waits(common)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert not previews.waits(common)
    async with asyncio.timeout(60), previews.turn(common):
        assert previews.shows(common)


async def _open(previews: Previews, given: Offer) -> None:
    async with previews.turn(given):
        raise AssertionError("it is not its turn")
