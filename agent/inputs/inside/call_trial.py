"""Tries a call on the original, under an alarm: does it end, does it return, what does it cost?"""

from __future__ import annotations

import base64
import hashlib
import resource
import time
from typing import TYPE_CHECKING, Any, Callable, Optional, Set, Tuple

from ....sandbox.driver.call_blobs import Call, dump_call, load_call
from ....sandbox.driver.module_state import restore_globals
from .alarm import interrupted_after
from .assumptions import Assumed
from .call_descriptions import describe_call
from .harness_types import HURRIED, Interrupted

if TYPE_CHECKING:
    from types import ModuleType

    from .harness_types import Request, Write


# What a made input comes to where there was no room for it: another program may have enough, so it is judged by none.
NO_ROOM = (MemoryError, RecursionError)
# The same, and what says that an input is none for this function.
NO_OUTCOME = (TypeError, AttributeError, NameError, AssertionError, NotImplementedError, ImportError, *NO_ROOM)


class Trier:
    """Makes calls of one function from blobs, and writes those that are wanted."""

    def __init__(self, module: ModuleType, function: Callable[..., Any], request: Request, write: Write) -> None:
        self._module, self._function, self._write = module, function, write
        self._qualname, self._origin = request["qualname"], request["origin"]
        self._assumed = Assumed(module, function, request.get("assume", ()))
        self._seen: Set[bytes] = set()
        self._is_hurried = False
        self.written = 0
        self.error: Optional[type] = None  # what the last call raised
        self.last = Call((), {}, {})  # with its arguments as it left them

    def cost(self, blob: bytes, limit_s: float) -> Optional[Tuple[float, str]]:
        """(CPU seconds, "returned" or "raised"), or None if it takes longer than `limit_s` of wall time.

        Lazy results are used up: a generator costs what its items cost.
        """
        call = self.last = self._prepare(blob)
        ended, self.error = "raised", None
        began_s = time.thread_time()
        try:
            with interrupted_after(limit_s):
                started_s = time.thread_time()
                try:
                    result = self._function(*call.args, **call.kwargs)
                    if hasattr(result, "__next__"):
                        for _ in result:
                            pass
                    ended = "returned"
                except Interrupted:
                    raise
                except BaseException as error:  # noqa: BLE001 - an exception is an outcome like any other
                    self.error = type(error)
                return time.thread_time() - started_s, ended
        except Interrupted:
            pass
        if time.thread_time() - began_s < limit_s / 2:  # a machine that is busy, or a call that waits
            self._say_hurried()
        return None

    def _say_hurried(self) -> None:
        """Say, once, that an input was given up for want of time."""
        if not self._is_hurried:
            self._is_hurried = True
            self._write(HURRIED)

    def keep(self, blob: bytes, cpu_time_s: float, ended: str, origin: str = "") -> bool:
        """Write the call that was tried last. Tells whether it did.

        It does not if the same was written before, if the call breaks what `assume` states, or if it had no room.
        """
        if self.know(blob) or (ended == "raised" and self.error is not None and issubclass(self.error, NO_ROOM)):
            return False
        call = load_call(blob)
        if not self.is_assumed(call):
            return False
        self.written += 1
        self._write(
            {
                "kind": "call",
                "origin": origin or self._origin,
                "description": describe_call(self._qualname, call.args, call.kwargs),
                "ended": ended,
                "number": self.written,
                "cpu_time_s": float(cpu_time_s),
                "blob": base64.b64encode(blob).decode("ascii"),
            }
        )
        return True

    def is_assumed(self, call: Call) -> bool:
        """Whether a call keeps to what `assume` states."""
        return self._assumed.hold(call.args, call.kwargs)

    def _prepare(self, blob: bytes) -> Call:
        """The call, with the module's state as it asks for and an empty `functools.cache`."""
        call = load_call(blob)
        restore_globals(self._module, call.globals, call.absent, [*call.args, *call.kwargs.values()])
        clear = getattr(self._function, "cache_clear", None)
        if callable(clear):
            clear()
        return call

    def know(self, blob: bytes) -> bool:
        """Remember these arguments; tells whether they were known before, whatever the module's state."""
        call = load_call(blob)
        digest = hashlib.sha256(dump_call(call.args, call.kwargs, {})).digest()
        known = digest in self._seen
        self._seen.add(digest)
        return known


def limit_memory(memory_kib: int) -> None:
    """Let a too large input end in a MemoryError rather than in the end of the whole job."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = memory_kib * 1024 * 3 // 4
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
