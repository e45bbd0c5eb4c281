"""Tells which arguments came in another value than in the calls that inputs are made from."""

from __future__ import annotations

import contextlib
import enum
import logging
import re
from pathlib import PurePath
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, Sequence, Set

from ....sandbox.driver.call_blobs import NotCopyable, dump_call
from ....sandbox.driver.value_encoder import Encoder, TooLarge, drain_iterator
from .container_kinds import HEAP_TYPE
from .iterator_arguments import root_with_lists
from .small_pieces import MAX_CALL_BYTES

if TYPE_CHECKING:
    from .assumptions import Assumed
    from .call_parts import Root
    from .small_pieces import Base


class VariedArguments:
    """Compares arguments by what they hold: that another object was made says nothing."""

    def __init__(self, assumed: Assumed, bases: Sequence[Base]) -> None:
        self.by_name: Dict[str, bool] = {}  # of those that can be varied: whether there was another one
        self._assumed = assumed
        self._known: Dict[str, Set[bytes]] = {}
        for base in bases:
            for root in (root_with_lists(base.call), base.root):
                self._know(root)

    def look(self, root: Root) -> None:
        """Note which arguments of an input are others."""
        for name, value in self._assumed.arguments(*root).items():
            if self.by_name.get(name) is False:
                self.by_name[name] = _print_of(value) not in self._known[name]

    def _know(self, root: Root) -> None:
        for name, value in self._assumed.arguments(*root).items():
            known = self._known.setdefault(name, set())
            if can_be_varied(value):
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
    return not (type(value).__flags__ & HEAP_TYPE and vars(type(value)).get("__dict__") and not vars(value))


def _print_of(value: Any) -> bytes:
    """The same for equal values of the same types, whichever objects they are; iterators stay as they are."""
    encoder = Encoder(drain=lambda iterator: drain_iterator(iterator, 0))
    encoded = encoder.encode(value)
    return dump_call((value,), {}, {}) if encoder.opaque else encoded


_NAMED = (ModuleType, PurePath, re.Pattern, logging.Logger)
