"""Runs a snippet of calls that a language model wrote for a function that nothing calls, and writes those to judge on.

Nothing of the snippet counts but the arguments. Each call starts from the module's state as importing it leaves it.
"""

from __future__ import annotations

import base64
import contextlib
from typing import TYPE_CHECKING, List

from ....sandbox.driver.call_blobs import NotCopyable, dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .assumptions import Assumed
from .call_parts import root_of
from .call_trial import Trier, limit_memory
from .contract import Contract
from .suggested_calls import MOST_CALLS, run_snippet, tell_left_out
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Record, Request, Write

STATEMENT_S = 3.0  # a statement may make several calls
RULED_OUT = "calls that the type hints or --assume rule out"  # `ci` has other words for it
MAX_CALL_BYTES = 256 * 1024  # every call is copied and encoded again and again


def write_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the calls of `snippet` on which the original returns.

    `most_s` is what the original may take for one call, `budget_s` the time for the snippet.
    """
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    fresh = recorder.copy((), {})
    found: List[Record] = []
    recorder.record_all(found.append, MOST_CALLS)
    raised = guarded(write, "run", lambda: run_snippet(request, module, recorder.names, write, STATEMENT_S))
    if raised:
        tell_left_out(request, write, len(raised), "statements that raise; the first: " + raised[0])
    with recorder.removed(module):
        guarded(write, "run", lambda: _keep(request, module, fresh, found, write))


def _keep(request: Request, module: ModuleType, fresh: bytes, found: List[Record], write: Write) -> None:
    target = resolve(module, request["qualname"])
    contract = Contract(target.function, request["source"], [])
    trier = Trier(module, target.function, request, write)
    assumed = Assumed(module, target.function, request["assume"])
    beyond = failing = 0
    for record in found:
        if record["kind"] != "call":
            write(record)
            continue
        # Reading and copying a call runs code of its classes.
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            call, state = load_call(base64.b64decode(record["blob"])), load_call(fresh)
            if contract.contradicts(root_of(call.args, call.kwargs)) or not assumed.hold(call.args, call.kwargs):
                beyond += 1
                continue
            blob = dump_call(call.args, call.kwargs, state.globals, state.absent)
            cost = trier.cost(blob, request["most_s"]) if len(blob) <= MAX_CALL_BYTES else None
            if cost is None or cost[1] != "returned":
                failing += 1
            else:
                trier.keep(blob, *cost)
    tell_left_out(request, write, beyond, RULED_OUT)
    tell_left_out(request, write, failing, "calls on which the original raises, or that are too large or too slow")
