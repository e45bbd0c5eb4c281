"""Recorded calls that are written only at the end of their results: these take items of what the call was given."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Dict, Optional, Protocol

from .taken_items import follow

if TYPE_CHECKING:
    from .changed_copies import ChangedCopy
    from .given_iterators import GivenIterators

Use = Dict[str, Any]  # how many items of a result were taken, and whether there were no more


class CopiedCall:
    """A call that was copied and is to be written, unless it turns out not to be worth it."""

    def __init__(self, number: int, blob: bytes, description: str, given: GivenIterators) -> None:
        self.number, self.blob, self.description, self.given = number, blob, description, given
        self.ended, self.cpu_time_s = "raised", 0.0
        self.is_new = False  # whether it went where no call before it did, or has arguments of a new form
        self.changed: Optional[ChangedCopy] = None  # if its copy may be something else
        self.use: Optional[Use] = None  # of its result, while the call waits
        self.is_written = False


class Host(Protocol):
    """Writes calls, and tells how their results are used."""

    def keep(self, call: CopiedCall, *, is_lazy: bool) -> None: ...  # noqa: D102 - see `Recorder`

    def tell_taken(self, number: int, use: Use) -> None: ...  # noqa: D102 - likewise


class WaitingCalls:
    """Those whose results are in use."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._calls: Dict[int, CopiedCall] = {}

    def __len__(self) -> int:
        """How many they are."""
        return len(self._calls)

    @property
    def copied_bytes(self) -> int:
        """How much their copies take."""
        return sum(len(call.blob) + call.given.copied_bytes for call in self._calls.values())

    def follow(self, call: CopiedCall, generator: Any, local: Any) -> Any:
        """What does the same as the result of the call, which it writes at the end. `local` is as for `follow`."""
        self._calls[call.number] = call
        call.given.release()
        return follow(generator, functools.partial(self._note_use, call), local, functools.partial(self._end, call))

    def finish(self) -> None:
        """Write all of them: the program is over."""
        for call in list(self._calls.values()):
            self._end(call, is_lazy=call.use is None)
            if call.use is not None:
                self._note_use(call, call.use)

    def _end(self, call: CopiedCall, *, is_lazy: bool = False) -> None:
        if self._calls.pop(call.number, None) is not None:
            self._host.keep(call, is_lazy=is_lazy)

    def _note_use(self, call: CopiedCall, use: Use) -> None:
        """Tell how the result is used, if the call was written: the host has to be told of the call first."""
        call.use = use
        if call.is_written:
            self._host.tell_taken(call.number, use)
