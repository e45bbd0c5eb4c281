"""Tries inputs that were thought of on the original, and keeps those that tell something."""

from __future__ import annotations

import collections
import contextlib
import logging
import math
import re
import time
from pathlib import PurePath
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call
from .container_kinds import HEAP_TYPE
from .related_values import LONG_CHAIN
from .small_pieces import MAX_CALL_BYTES, Base, size_of_state

if TYPE_CHECKING:
    from .assumptions import Assumed
    from .branch_meter import Guide
    from .call_parts import Root
    from .call_trial import Trier
    from .harness_types import Request, Write

RAISING_SHARE = 0.3
CHAIN_S = 4.0  # that the original may take for an input that is long by nature
MOST_LEADING = 24  # of one job
MAX_TOO_LONG = 2  # of one kind; then the kind is given up for this time
# What says that an input is none for this function, or hangs on how much room there is: nothing to judge by.
NO_OUTCOME = (
    TypeError,
    AttributeError,
    NameError,
    AssertionError,
    NotImplementedError,
    MemoryError,
    RecursionError,
    ImportError,
)


class Input(NamedTuple):
    """What was thought of: the word for its kind, the arguments, and where the module's state is from.

    If not `is_data`, it goes into an object whose class may not expect it.
    """

    kind: str
    root: Root
    call: Call
    is_data: bool = True


class Attempts:
    """Tries inputs on the original and writes those of use, until there are enough or the time is over."""

    def __init__(self, trier: Trier, guide: Guide, request: Request, assumed: Assumed) -> None:
        self.leading: List[Base] = []  # those that took a way through the code that none before took
        self._trier, self._guide, self._request, self._assumed = trier, guide, request, assumed
        self._deadline_s = time.monotonic() + request["budget_s"]
        self._raising = 0
        self._leading_numbers: List[int] = []  # of what was written
        self._parameters: Dict[str, bool] = {}  # whether there was an input with another argument
        self._too_long: Dict[str, int] = collections.Counter()
        self._sizes_of_state: Dict[int, int] = {}  # bytes, by the real call's id

    def affordable(self, bases: Sequence[Base]) -> List[Base]:
        """Those that leave time to try all that is wanted; the quickest, if none does."""
        share_s = min(self._request["budget_s"] / self._request["wanted"], self._request["most_s"])
        costs_s = {}
        for number, (root, call) in enumerate(bases):
            with contextlib.suppress(NotCopyable):
                blob = dump_call(root[0], root[1], call.globals, call.absent)
                cost = self._trier.cost(blob, self._request["most_s"])
                costs_s[number] = cost[0] if cost else math.inf
        quick = [bases[number] for number in costs_s if costs_s[number] <= share_s]
        return quick or [bases[min(costs_s, key=lambda number: costs_s[number], default=0)]]

    def learn(self, bases: Sequence[Base]) -> Sequence[Base]:
        """Remember the ways through the code that these take. Returns them."""
        for root, call in bases:
            with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                self._guide.leads_on(dump_call(root[0], root[1], call.globals, call.absent))
        return bases

    def make_all(self, inputs: Iterator[Input]) -> None:
        """Try them in turn."""
        for each in inputs:
            if self._trier.written >= self._request["wanted"] or time.monotonic() > self._deadline_s:
                return
            if self._too_long[each.kind] < MAX_TOO_LONG:
                # A part of an input may be what no copy can be made of, and copying runs code of its class.
                with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                    self._make(each)

    def _make(self, each: Input) -> None:
        args, kwargs = each.root
        if not self._assumed.hold(args, kwargs):
            return
        blob = dump_call(args, kwargs, each.call.globals, each.call.absent)
        if len(blob) > MAX_CALL_BYTES + self._size_of_state(each.call):
            return
        cost = self._cost_of_chain(blob) if each.kind == LONG_CHAIN else self._trier.cost(blob, self._request["most_s"])
        if cost is None:
            self._too_long[each.kind] += 1
            return
        if cost[1] == "raised":
            is_outcome = self._trier.error is not None and not issubclass(self._trier.error, NO_OUTCOME)
            if not (each.is_data and is_outcome and self._raising < RAISING_SHARE * self._request["wanted"]):
                return
        if self._trier.keep(blob, *cost, origin=each.kind):
            self._raising += cost[1] == "raised"
            self._remember(each)
            if len(self.leading) < MOST_LEADING and self._guide.leads_on(blob, cost[0]):
                self.leading.append(Base(each.root, each.call))
                self._leading_numbers.append(self._trier.written)

    def _cost_of_chain(self, blob: bytes) -> Optional[Tuple[float, str]]:
        """What takes long by nature takes nothing from the time for the others."""
        started_s = time.monotonic()
        cost = self._trier.cost(blob, CHAIN_S)
        self._deadline_s += time.monotonic() - started_s
        return cost

    def _size_of_state(self, call: Call) -> int:
        if id(call) not in self._sizes_of_state:
            self._sizes_of_state[id(call)] = size_of_state(call)
        return self._sizes_of_state[id(call)]

    def _remember(self, each: Input) -> None:
        given = self._assumed.arguments(*each.root)
        for name, real in self._assumed.arguments(each.call.args, each.call.kwargs).items():
            if can_be_varied(real):
                self._parameters[name] = self._parameters.get(name, False) or given.get(name) is not real

    def tell(self, write: Write) -> None:
        """Say which arguments came in several values, and how many inputs took too long."""
        for name, varied in self._parameters.items():
            write({"kind": "parameter", "name": name, "varied": varied})
        write({"kind": "told", "body": {"leading": self._leading_numbers}})
        for kind, number in self._too_long.items():
            reason = "%d left out: the original takes longer than %.2g s" % (number, self._request["most_s"])
            write({"kind": "skipped", "origin": kind, "reason": reason})


def can_be_varied(value: Any) -> bool:
    """Whether there are other values like it: not of None, of what is called or named, nor of what holds nothing."""
    if value is None or callable(value) or isinstance(value, (bool, ModuleType, PurePath, re.Pattern, logging.Logger)):
        return False
    return not (type(value).__flags__ & HEAP_TYPE and vars(type(value)).get("__dict__") and not vars(value))
