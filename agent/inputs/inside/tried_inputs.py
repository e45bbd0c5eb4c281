"""Tries inputs that were thought of on the original, and keeps those that tell something."""

from __future__ import annotations

import collections
import contextlib
import math
import re
from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call
from .call_trial import NO_OUTCOME
from .edge_values import in_turns
from .harness_types import HURRIED
from .held_functions import WITHIN
from .iterator_arguments import with_iterators_again
from .mixed_elements import MIXED
from .related_values import LONG_CHAIN
from .small_pieces import MAX_CALL_BYTES, Base, size_of_state
from .stopwatch import Stopwatch

if TYPE_CHECKING:
    from .branch_meter import Guide
    from .call_parts import Root
    from .call_trial import Trier
    from .contract import Contract
    from .harness_types import Request, Write
    from .varied_arguments import VariedArguments

RAISING_SHARE = 0.3
CHAIN_S = 4.0  # that the original may take for an input that is long by nature
MOST_LEADING = 24  # of one job
MAX_TOO_LONG = 2  # of one kind; then the kind is given up for this time
WITHIN_SHARE = 0.8  # of the time and of the inputs of a job, for those within the contract
LEAST_PROBING = 16  # inputs beyond it, as far as there are any,
PROBING_SHARE = 0.4  # and no more than this share of those within


class Input(NamedTuple):
    """What was thought of: the word for its kind, the arguments, and where the module's state is from.

    Where that call was given an iterator, a sequence among the arguments becomes one when it is tried.
    If not `is_data`, it goes into an object whose class may not expect it.
    """

    kind: str
    root: Root
    call: Call
    is_data: bool = True
    is_ruled_out: bool = False  # by type hints


class Attempts:
    """Tries inputs on the original and writes those of use, until there are enough or the time is over.

    Those within the contract come first. Those beyond it are put off, so that they do not become the most.
    """

    def __init__(self, trier: Trier, guide: Guide, request: Request) -> None:
        self.leading: List[Base] = []  # those that took a way through the code that none before took
        self._trier, self._guide, self._request = trier, guide, request
        self._watch = Stopwatch()
        self._is_hurried = False  # whether there would be more, had there been more time
        self._raising = 0
        self._spent_on_chains_s = 0.0
        self._leading_numbers: List[int] = []  # of what was written
        self._telling_numbers: List[int] = []  # likewise: parts of real calls, see `telling_pieces`
        self._probing_numbers: List[int] = []  # likewise: beyond the contract
        self._ruled_out_numbers: List[int] = []  # of these: beyond the type hints
        self._put_off: List[Input] = []
        self._too_long: Dict[str, int] = collections.Counter()
        self._sizes_of_state: Dict[int, int] = {}  # bytes, by the real call's id
        self._not_copied = 0  # real calls

    def affordable(self, bases: Sequence[Base]) -> List[Base]:
        """Those that leave time to try all that is wanted; the quickest, if none does."""
        share_s = min(self._request["budget_s"] / self._request["wanted"], self._request["most_s"])
        costs_s = {}
        for number, (root, call) in enumerate(bases):
            with contextlib.suppress(NotCopyable):
                blob = blob_of(root, call)
                cost = self._trier.cost(blob, self._request["most_s"])
                costs_s[number] = cost[0] if cost else math.inf
        self._not_copied = len(bases) - len(costs_s)
        quick = [bases[number] for number in costs_s if costs_s[number] <= share_s]
        return quick or [bases[min(costs_s, key=lambda number: costs_s[number], default=0)]]

    def learn(self, bases: Sequence[Base]) -> Sequence[Base]:
        """Remember the ways through the code that these take. Returns them."""
        for root, call in bases:
            with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                self._guide.leads_on(blob_of(root, call))
        return bases

    def make_all(self, inputs: Iterator[Input], contract: Contract, varied: VariedArguments) -> None:
        """Try those within the contract in turn, and put off the others."""
        for each in inputs:
            if self._is_over(WITHIN_SHARE):
                return
            args, kwargs = root = with_iterators_again(each.root, each.call)
            if not self._trier.is_assumed(each.call._replace(args=tuple(args), kwargs=kwargs)):
                continue
            if not contract.admits(root):
                self._put_off.append(each._replace(is_ruled_out=contract.is_ruled_out(root)))
            elif self._try(each) and not each.kind.startswith(WITHIN):
                varied.look(each.root)  # an object with one other function is hardly another object

    def start_from(self, kind: str, pieces: Iterator[Base], contract: Contract, varied: VariedArguments) -> None:
        """Try these parts of real calls, have others made like them, and tell of them; it takes no time from others."""
        watch = Stopwatch()
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            for piece in pieces:
                if contract.admits(piece.root) and self._try(Input(kind, *piece)):
                    varied.look(piece.root)
                    self._telling_numbers.append(self._trier.written)
                    if not any(known.root is piece.root for known in self.leading):
                        self.leading.append(piece)
        self._watch.leave_out(watch)

    def returns(self, each: Input) -> bool:
        """Whether the original returns from a call in time."""
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            cost = self._trier.cost(blob_of(each.root, each.call), self._request["most_s"])
            return cost is not None and cost[1] == "returned"
        return False

    def make_given(self, inputs: Iterator[Input]) -> None:
        """Try these, whatever the time."""
        for each in inputs:
            self._try(each)

    def make_put_off(self, varied: VariedArguments) -> None:
        """Try what was put off, one of each kind in turn."""
        most = max(LEAST_PROBING, PROBING_SHARE * self._trier.written)
        by_kind: Dict[str, List[Input]] = {}
        for each in self._put_off:
            by_kind.setdefault(each.kind, []).append(each)
        for each in in_turns(by_kind.values()):
            if self._is_over(1.0) or len(self._probing_numbers) >= most:
                return
            if self._try(each, is_probing=True):
                varied.look(each.root)

    def _is_over(self, share: float) -> bool:
        """Whether this share of the time or of what is wanted is used up."""
        spent_s = self._watch.spent_s()
        wanted, budget_s = float(self._request["wanted"]), float(self._request["budget_s"])
        if self._trier.written >= share * wanted:
            return True
        is_late = spent_s > share * budget_s
        self._is_hurried = self._is_hurried or is_late
        return is_late

    def _try(self, each: Input, *, is_probing: bool = False) -> bool:
        """Make a call on the original. Tells whether it was written."""
        if self._too_long[each.kind] >= MAX_TOO_LONG or self._has_no_time_for_chain(each):
            return False
        # A part of an input may be what no copy can be made of, and copying runs code of its class.
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            return self._make(each, is_probing=is_probing)
        return False

    def _make(self, each: Input, *, is_probing: bool) -> bool:
        blob = blob_of(each.root, each.call)
        if len(blob) > MAX_CALL_BYTES + self._size_of_state(each.call):
            return False
        cost = self._cost_of_chain(blob) if each.kind == LONG_CHAIN else self._trier.cost(blob, self._request["most_s"])
        if cost is None:
            self._too_long[each.kind] += 1
            return False
        if cost[1] == "raised":
            is_outcome = self._trier.error is not None and not issubclass(self._trier.error, NO_OUTCOME)
            if not (each.is_data and is_outcome and self._raising < RAISING_SHARE * self._request["wanted"]):
                return False
        is_probing = is_probing or self.is_refused_pattern
        if not self._trier.keep(blob, *cost, origin=each.kind):
            return False
        self._raising += cost[1] == "raised"
        if is_probing:
            self._probing_numbers.append(self._trier.written)
            if each.is_ruled_out:
                self._ruled_out_numbers.append(self._trier.written)
        elif each.kind != MIXED and len(self.leading) < MOST_LEADING and self._guide.leads_on(blob, cost[0]):
            self.leading.append(Base(each.root, each.call))
            self._leading_numbers.append(self._trier.written)
        return True

    @property
    def is_refused_pattern(self) -> bool:
        """Whether the last call gave a text that is no valid regular expression to a function that wants one."""
        return self._trier.error is not None and issubclass(self._trier.error, re.error)

    def _cost_of_chain(self, blob: bytes) -> Optional[Tuple[float, str]]:
        """What takes long by nature takes nothing from the time for the others."""
        watch = Stopwatch()
        cost = self._trier.cost(blob, CHAIN_S)
        self._spent_on_chains_s += watch.spent_s()
        self._watch.leave_out(watch)
        return cost

    def _has_no_time_for_chain(self, each: Input) -> bool:
        return each.kind == LONG_CHAIN and self._spent_on_chains_s >= self._request.get("chains_s", 0.0)

    def _size_of_state(self, call: Call) -> int:
        if id(call) not in self._sizes_of_state:
            self._sizes_of_state[id(call)] = size_of_state(call)
        return self._sizes_of_state[id(call)]

    def tell(self, write: Write, varied: VariedArguments) -> None:
        """Say which arguments came in several values, and how many inputs took too long."""
        for name, is_varied in varied.by_name.items():
            write({"kind": "parameter", "name": name, "varied": is_varied})
        spent_s = round(self._spent_on_chains_s, 3)
        ranks = {
            "probing": self._probing_numbers,
            "ruled_out": self._ruled_out_numbers,
            "telling": self._telling_numbers,
        }
        told = {"never_given": varied.never_given, "chains_s": spent_s}
        write({"kind": "told", "body": {"leading": self._leading_numbers, **ranks, **told}})
        if self._is_hurried:
            write(HURRIED)
        if self._not_copied:
            reason = "no copy can be made of %d of the real calls that they start from" % self._not_copied
            write({"kind": "skipped", "origin": "made inputs", "reason": reason})
        for kind, number in self._too_long.items():
            reason = "%d left out: the original takes longer than %.2g s" % (number, self._request["most_s"])
            write({"kind": "skipped", "origin": kind, "reason": reason})


def blob_of(root: Root, call: Call) -> bytes:
    """The blob of a call that was made from another; its lists become iterators where that was given some.

    Raises:
        NotCopyable: a part of it cannot be pickled.
    """
    args, kwargs = with_iterators_again(root, call)
    return dump_call(args, kwargs, call.globals, call.absent)
