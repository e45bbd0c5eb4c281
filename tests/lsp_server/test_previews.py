"""One preview at a time, and each function waits for it once."""

from __future__ import annotations

import asyncio

import pytest

from afterburner.lsp_server.previews import Previews

pytestmark = pytest.mark.asyncio


async def test_a_preview_waits_for_the_open_one_and_tells_which_it_is() -> None:
    previews, opened = Previews(), list[str]()
    may_close = asyncio.Event()

    async def open_one(function: str) -> None:
        async with previews.turn("file:///shop.py", function):
            opened.append(previews.shown)
            await may_close.wait()

    waiting = [asyncio.ensure_future(open_one(each)) for each in ("total", "common")]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert opened == ["total"]
    assert previews.shown == "total"
    assert ("file:///shop.py", "common") in previews
    assert ("file:///other.py", "common") not in previews
    may_close.set()
    await asyncio.gather(*waiting)
    assert opened == ["total", "common"]
    assert not previews.shown
    assert ("file:///shop.py", "common") not in previews


async def test_one_that_is_given_up_lets_the_next_one_open() -> None:
    previews = Previews()
    async with previews.turn("a", "total"):
        waiting = asyncio.ensure_future(_open(previews, "common"))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert ("a", "common") not in previews
    async with asyncio.timeout(60), previews.turn("a", "common"):
        assert previews.shown == "common"


async def _open(previews: Previews, function: str) -> None:
    async with previews.turn("a", function):
        raise AssertionError("it is not its turn")
