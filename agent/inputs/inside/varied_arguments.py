"""Tells which arguments came in another value than in the calls that inputs are made from."""

from __future__ import annotations

import contextlib
import copyreg
import enum
import logging
import re
from pathlib import PurePath
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Sequence, Set

from ....sandbox.driver.call_blobs import NotCopyable, dump_call
from ....sandbox.driver.value_encoder import Encoder, TooLarge, drain_iterator
from .container_kinds import HEAP_TYPE
from .iterator_arguments import root_with_lists
from .small_pieces import MAX_CALL_BYTES

if TYPE_CHECKING:
    from ....sandbox.driver.call_blobs import Call
    from .assumptions import Assumed
    from .call_parts import Root
    from .small_pieces import Base


class VariedArguments:
    """Compares arguments by what they hold: that another object was made says nothing."""

    def __init__(self, assumed: Assumed, bases: Sequence[Base], real: Sequence[Call] = ()) -> None:
        self.by_name: Dict[str, bool] = {}  # of those that can be varied: whether there was another one
        self.never_given: List[str] = []  # `*args` and `**kwargs` that are empty in all of the real calls
        self._assumed = assumed
        self._known: Dict[str, Set[bytes]] = {}
        for base in bases:
            for root in (root_with_lists(base.call), base.root):
                self._know(root)
        for call in real:
            self._know(root_with_lists(call), is_real_alone=True)
        if real:
            self._compare_open(real)

    def look(self, root: Root) -> None:
        """Note which arguments of an input are others."""
        for name, value in self._assumed.arguments(*root).items():
            if self.by_name.get(name) is False:
                self.by_name[name] = _print_of(value) not in self._known[name]

    def _compare_open(self, real: Sequence[Call]) -> None:
        """What real calls give `*args` or `**kwargs` varies these if they give several things."""
        calls = [self._assumed.arguments(call.args, call.kwargs) for call in real]
        for name in self._assumed.open_parameters:
            given = [call[name] for call in calls if name in call]
            if not any(given):
                self.never_given.append(name)
            elif name in self.by_name:
                self.by_name[name] = len(set(_prints_of(given))) > 1

    def _know(self, root: Root, *, is_real_alone: bool = False) -> None:
        """Note what real calls hold; those that no input is made from say nothing of what can be varied."""
        for name, value in self._assumed.arguments(*root).items():
            known = self._known.setdefault(name, set())
            if not is_real_alone and can_be_varied(value):
                self.by_name.setdefault(name, False)
            with contextlib.suppress(NotCopyable, TooLarge, RecursionError, MemoryError):
                # No input is as large as that, so none can be the same.
                if len(dump_call((value,), {}, {})) <= MAX_CALL_BYTES:
                    known.add(_print_of(value))


def can_be_varied(value: Any) -> bool:
    """Whether there are other values like it: not of None, of what is called or named, nor of what holds nothing.

    Of choices there may be no others than the calls have.
    """
    if value is None or callable(value) or isinstance(value, (bool, enum.Enum, *_NAMED)):
        return False
    return not (type(value).__flags__ & HEAP_TYPE and _holds_nothing(value))


def _holds_nothing(value: Any) -> bool:
    """Whether nothing tells an object from others of its class: no attributes, no slots, no items."""
    try:
        made_by, given, *state = value.__reduce_ex__(2)
    except Exception:  # noqa: BLE001 - whatever it raises, it is not known to hold nothing
        return False
    is_made_of_nothing = made_by is vars(copyreg)["__newobj__"] and len(given) == 1  # of its class alone
    return is_made_of_nothing and all(each is None or (type(each) is dict and not each) for each in state)


def _prints_of(values: Sequence[Any]) -> Iterator[bytes]:
    for value in values:
        with contextlib.suppress(NotCopyable, TooLarge, RecursionError, MemoryError):
            yield _print_of(value)


def _print_of(value: Any) -> bytes:
    """The same for equal values of the same types, whichever objects they are; iterators stay as they are."""
    encoder = Encoder(drain=lambda iterator: drain_iterator(iterator, 0))
    encoded = encoder.encode(value)
    return dump_call((value,), {}, {}) if encoder.opaque else encoded


_NAMED = (ModuleType, PurePath, re.Pattern, logging.Logger)
