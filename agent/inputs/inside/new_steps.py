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
FREE_S = 0.5  # all calls are followed until that took so long,
SHARE = 0.1  # and afterwards while it takes no more than this share of the run

Step = Tuple[int, int, int]  # the code, the line before, the line


class NewSteps:
    """Knows the steps from line to line that calls of one function have taken."""

    def __init__(self) -> None:
        """No call was seen yet."""
        self.known: Set[Step] = set()
        self._codes: Set[int] = set()  # identities: the function's and those of what is defined in it
        self._started_s = time.monotonic()
        self._looked_s = 0.0

    def begin(self, function: Callable[..., Any]) -> Optional[FollowedCall]:
        """Follow a call that this thread is about to make; None if somebody else does, or if it takes too much time."""
        is_allowed = self._looked_s < FREE_S + SHARE * (time.monotonic() - self._started_s)
        plain = unwrap(function)
        if not is_allowed or plain is None or sys.gettrace() is not None:
            return None
        if not self._codes:
            self._codes.update(map(id, _codes_in(plain.__code__)))
        followed = FollowedCall(self._codes)
        sys.settrace(followed.on_call)
        return followed

    def end(self, followed: Optional[FollowedCall]) -> Tuple[bool, float]:
        """Stop following it: whether it took a step that is new, and about how much following it took, in seconds."""
        if followed is None:
            return False, 0.0
        if sys.gettrace() == followed.on_call:
            sys.settrace(None)
        took_s = followed.events * EVENT_S
        self._looked_s += took_s
        is_new = not followed.steps <= self.known
        self.known |= followed.steps
        return is_new, took_s


class FollowedCall:
    """One call, followed in the thread that makes it. What a generator does after the call is not seen."""

    def __init__(self, codes: Set[int]) -> None:
        """`codes` are the identities of the code that counts."""
        self.steps: Set[Step] = set()
        self.events = 0
        self._codes = codes

    def on_call(self, frame: FrameType, _event: str, _argument: Any) -> Optional[Callable[..., Any]]:
        """What Python calls for each new frame."""
        self.events += 1
        if self.events > MOST_EVENTS:
            sys.settrace(None)
            return None
        code = id(frame.f_code)
        if code not in self._codes:
            return None
        before = 0

        def on_line(frame: FrameType, event: str, _argument: Any) -> Optional[Callable[..., Any]]:
            nonlocal before
            if event == "line":
                self.events += 1
                self.steps.add((code, before, frame.f_lineno))
                before = frame.f_lineno
            return on_line if self.events <= MOST_EVENTS else None

        return on_line


def _codes_in(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if type(constant) is CodeType:
            yield from _codes_in(constant)
