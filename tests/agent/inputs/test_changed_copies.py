"""Calls that are given objects of which no copy is the same: replays tell nothing, unless they do the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import NoInputsError

from .conftest import of_origin, reasons
from .test_captured_calls import outcome

if TYPE_CHECKING:
    from .conftest import Project

QUEUE = """
class Queue:
    def __init__(self, items):
        self.items = list(items)
        self.known = {}

    def __setstate__(self, state):
        self.__dict__.update(state)
        %s

    def drain(self, least):
        taken = [item for item in self.items if item >= least]
        self.items = [item for item in self.items if item < least]
        return taken

    def forget(self, least):
        self.items = [item for item in self.items if item < least]
        return True

    def largest(self):
        if "largest" not in self.known:
            self.known["largest"] = max(self.items)
        return self.known["largest"]

if __name__ == "__main__":
    queue = Queue(range(10))
    queue.largest()
    queue.%s
    Queue([3, 1, 2]).%s
"""
REASON = "its copy does something else: the class of an object"


def test_a_call_is_left_out_whose_copy_does_something_else(project: Project) -> None:
    for call in ("drain(2)", "forget(2)"):
        project.write("queue_.py", QUEUE % ("self.drain(0)", call, call))
        with pytest.raises(NoInputsError, match=REASON):
            project.workload("queue_.py", "Queue." + call.partition("(")[0])


def test_a_call_counts_whose_copy_does_the_same(project: Project) -> None:
    """Most classes with a `__setstate__` leave out a cache or a lock, and nothing comes of it."""
    project.write("queue_.py", QUEUE % ("self.known = {}", "largest()", "largest()"))
    workload = project.workload("queue_.py", "Queue.largest")
    assert sorted(outcome(call)[1] for call in of_origin(workload, "captured")) == [3, 9]
    assert REASON in reasons(workload), "the second call of one queue finds its answer in the cache, and its copy none"


def test_an_object_that_is_copied_by_its_own_code_and_stays_the_same(project: Project) -> None:
    project.write("queue_.py", QUEUE % ("self.items = list(self.items)", "drain(5)", "drain(2)"))
    workload = project.workload("queue_.py", "Queue.drain")
    assert sorted(outcome(call)[1] for call in of_origin(workload, "captured")) == [
        ["list", 3, 2],
        ["list", 5, 6, 7, 8, 9],
    ]


def test_what_a_class_leaves_out_when_it_is_copied_counts_as_well(project: Project) -> None:
    project.write(
        "box.py",
        "class Box:\n    def __init__(self, items):\n        self.items = items\n\n"
        "    def __getstate__(self):\n        return {'items': []}\n\n"
        "def largest(box):\n    return max(box.items, default=None)\n\n"
        "if __name__ == '__main__':\n    largest(Box([3, 1]))\n",
    )
    with pytest.raises(NoInputsError, match=REASON):
        project.workload("box.py", "largest")


def test_an_object_that_changes_only_when_it_is_rebuilt_later(project: Project) -> None:
    """As one whose parts run out: its copy is the same for a moment."""
    project.write(
        "cache.py",
        "import time\n\nclass Cache:\n    def __init__(self, items):\n"
        "        self.items = {item: time.time() + 0.05 for item in items}\n\n"
        "    def __setstate__(self, state):\n        self.__dict__.update(state)\n        self.expire(time.time())\n\n"
        "    def expire(self, now):\n        gone = [item for item, end in self.items.items() if end < now]\n"
        "        for item in gone:\n            del self.items[item]\n        return gone\n\n"
        "if __name__ == '__main__':\n    Cache('ab').expire(time.time() + 60)\n",
    )
    with pytest.raises(NoInputsError, match=REASON):
        project.workload("cache.py", "Cache.expire")
