"""Calls of other sizes are made once in a run, whoever asks for them."""

from __future__ import annotations

import threading

import pytest

from afterburner.agent.errors import WorkloadError
from afterburner.agent.judge.measuring.known_sizes import KnownSizes


def test_each_thing_is_made_once_and_who_asks_meanwhile_waits() -> None:
    known, made, begun, go_on = KnownSizes(), [], threading.Event(), threading.Event()

    def make() -> str:
        begun.set()
        assert go_on.wait(60)
        made.append("thing")
        return "thing"

    found: list[str] = []
    askers = [threading.Thread(target=lambda: found.append(known.get("key", make))) for _ in range(2)]
    for asker in askers:
        asker.start()
    assert begun.wait(60)
    assert known.get("another key", lambda: "another") == "another", "it does not wait for the first"
    go_on.set()
    for asker in askers:
        asker.join()
    assert found == ["thing", "thing"]
    assert made == ["thing"]


def test_what_could_not_be_made_is_tried_again() -> None:
    known = KnownSizes()

    def fail() -> str:
        raise WorkloadError("not now")

    with pytest.raises(WorkloadError, match="not now"):
        known.get("key", fail)
    assert known.get("key", lambda: "cut off", lambda _: False) == "cut off"
    assert known.get("key", lambda: "thing") == "thing"
    assert known.get("key", lambda: "another") == "thing"
