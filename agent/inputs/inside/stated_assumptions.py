"""Tells of expressions that are stated of every call in how many real calls they hold, and why not in the others."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Dict, List

from ....sandbox.driver.call_blobs import Call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .assumptions import VOCABULARY, Assumed
from .list_iterators import unused
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

_FALSE = "it is false"


def try_stated(request: Request, recorder: Recorder, write: Write) -> None:
    """Write of each expression of `assume` in how many calls of `blobs` it holds."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    with recorder.removed(module):
        guarded(write, "run", lambda: _try(request, module, write))


def _try(request: Request, module: ModuleType, write: Write) -> None:
    function = resolve(module, request["qualname"]).function
    names = Assumed(module, function, [])
    calls: List[Call] = [load_call(base64.b64decode(blob)) for blob in request["blobs"]]
    for expression in request["assume"]:
        known = [unused(names.arguments(call.args, call.kwargs)) for call in calls]
        reasons = [_why_not(expression, {**VOCABULARY, **vars(module), **arguments}) for arguments in known]
        against = [reason for reason in reasons if reason]
        body = {"expression": expression, "held": len(reasons) - len(against), "why": (against or [""])[0]}
        write({"kind": "told", "body": body})


def _why_not(expression: str, namespace: Dict[str, Any]) -> str:
    """Why it does not hold; empty if it does."""
    try:
        return "" if eval(expression, namespace) else _FALSE  # noqa: S307 - this is the sandbox
    except Exception as error:  # noqa: BLE001 - whatever it raises, it does not hold
        return "it raises %s: %s" % (type(error).__name__, error)
