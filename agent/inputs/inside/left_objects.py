"""Objects as a call of their own method left them: what a method keeps in them shows when it is called again."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Iterator, Sequence

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, dump_item
from .call_parts import fields
from .small_pieces import Base

if TYPE_CHECKING:
    from .call_trial import Trier

MOST_LEFT = 2  # calls


def bases_with_left_objects(calls: Sequence[Call], trier: Trier, most_s: float) -> Iterator[Base]:
    """The calls whose first argument is an object that they change, each with that object as it was left.

    Args:
        calls: real ones.
        trier: makes them.
        most_s: wall time that one may take.
    """
    told = 0
    for call in calls:
        if told == MOST_LEFT or not call.args or not fields(call.args[0]):
            return
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            if trier.cost(dump_call(call.args, call.kwargs, call.globals, call.absent), most_s) is None:
                continue
            left = trier.last.args[0]
            if type(left) is type(call.args[0]) and dump_item(left) != dump_item(call.args[0]):
                told += 1
                yield Base([[left, *call.args[1:]], dict(call.kwargs)], call)
