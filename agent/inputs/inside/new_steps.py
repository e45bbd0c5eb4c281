"""Tells whether a call goes where none before it went in the function: such a call is worth being recorded."""

from __future__ import annotations

import sys
import time
from types import CodeType
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Set, Tuple

from ....sandbox.driver.user_module import unwrap

if TYPE_CHECKING:
    from types import FrameType

MOST_EVENTS = 5_000  # lines and calls of one call that are looked at: what comes later is left alone
EVENT_S = 3e-7  # about what looking at one takes
FREE_S = 0.5  # all calls are looked at until they took this long,
SHARE = 0.1  # and afterwards while they take no more than this share of the run


class NewSteps:
    """Follows calls of one function from line to line, in the thread that makes them."""

    def __init__(self) -> None:
        """No call was seen yet."""
        self._known: Set[Tuple[int, int, int]] = set()  # the code, the line before, the line
        self._codes: Set[int] = set()  # identities: the function's and those of what is defined in it
        self._started_s = time.monotonic()
        self._looked_s = 0.0
        self._begun_s: Optional[float] = None
        self._before = self._events = 0

    def begin(self, function: Callable[..., Any]) -> None:
        """Follow the call that is about to be made, unless somebody else does or it takes too much time by now."""
        is_allowed = self._looked_s < FREE_S + SHARE * (time.monotonic() - self._started_s)
        plain = unwrap(function)
        if not is_allowed or plain is None or sys.gettrace() is not None:
            return
        if not self._codes:
            self._codes.update(map(id, _codes_in(plain.__code__)))
        self._before, self._events, self._begun_s = len(self._known), 0, time.monotonic()
        sys.settrace(self._on_call)

    def end(self) -> Tuple[bool, float]:
        """Stop following it: whether it took a step that is new, and about how much following it took, in seconds."""
        if self._begun_s is None:
            return False, 0.0
        if sys.gettrace() == self._on_call:
            sys.settrace(None)
        self._looked_s += time.monotonic() - self._begun_s
        self._begun_s = None
        return len(self._known) > self._before, self._events * EVENT_S

    def _on_call(self, frame: FrameType, _event: str, _argument: Any) -> Optional[Callable[..., Any]]:
        self._events += 1
        if self._events > MOST_EVENTS:
            sys.settrace(None)
            return None
        code = id(frame.f_code)
        if code not in self._codes:
            return None
        before = 0

        def on_line(frame: FrameType, event: str, _argument: Any) -> Optional[Callable[..., Any]]:
            nonlocal before
            if event == "line":
                self._events += 1
                self._known.add((code, before, frame.f_lineno))
                before = frame.f_lineno
            return on_line if self._events <= MOST_EVENTS else None

        return on_line


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _codes_in(constant)
