"""Runs a snippet of calls that a language model suggests, and writes those that are inputs of the function.

Nothing of the snippet counts but the arguments. Each call is made later in a process of its own, in the module's state
of a real call: what the snippet does to the module is gone by then.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import functools
import time
import types
from typing import TYPE_CHECKING, List, Sequence

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .alarm import interrupted_after
from .assumptions import Assumed
from .call_parts import root_of
from .call_trial import NO_OUTCOME, Trier, limit_memory
from .contract import Contract
from .small_pieces import MAX_CALL_BYTES
from .user_code import guarded, run_blocks

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Record, Request, Write

MOST_LINES = 300
MOST_CALLS = 64
STATEMENT_S = 1.0
# What makes objects that their class forbids, or changes the module under the calls.
_FORBIDDEN = frozenset(("setattr", "delattr", "vars", "globals", "locals", "exec", "eval", "__import__", "sys"))


def suggest_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the calls of `snippet` that keep to the contract and to `assume`.

    `blobs` are real calls; `most_s` is what the original may take for one call, `budget_s` the time for the snippet.
    """
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    found: List[Record] = []
    recorder.record_all(found.append, MOST_CALLS)
    guarded(write, "run", lambda: run_snippet(request, module, recorder.names, write, STATEMENT_S))
    with recorder.removed(module):
        guarded(write, "run", lambda: _keep(request, module, found, write))


def run_snippet(
    request: Request, module: ModuleType, own_names: Sequence[str], write: Write, statement_s: float
) -> List[str]:
    """Run the snippet statement by statement: one that raises, or takes too long, does not end the others.

    Gives what was raised, in words. A call that raises is a call like any other: it was recorded.
    """
    script = types.ModuleType("__main__")
    vars(script).update({name: value for name, value in vars(module).items() if not name.startswith("__")})
    vars(script)[module.__name__.rpartition(".")[2]] = module
    deadline_s = time.monotonic() + request["budget_s"]
    left_out = 0
    raised: List[Record] = []
    for statement in _statements(request["snippet"]):
        if time.monotonic() > deadline_s:
            break
        if _is_plain(statement, own_names):
            guarded(raised.append, "run", functools.partial(_run_statement, script, statement, statement_s))
        else:
            left_out += 1
    tell_left_out(request, write, left_out, "statements that set attributes, use private names or define something")
    return [record["reason"] for record in raised]


def _run_statement(script: ModuleType, statement: ast.stmt, limit_s: float) -> None:
    with interrupted_after(limit_s):
        run_blocks(script, [statement], "<suggested>")


def _statements(snippet: str) -> List[ast.stmt]:
    """As many of its statements as can be read: the end of an answer may be missing."""
    lines = snippet.split("\n")[:MOST_LINES]
    while lines:
        try:
            return ast.parse("\n".join(lines)).body
        except SyntaxError:
            lines.pop()
    return []


def _keep(request: Request, module: ModuleType, found: List[Record], write: Write) -> None:
    """Write the calls that are inputs: within the contract, quick, and not what the original takes for a mistake."""
    target = resolve(module, request["qualname"])
    real = [load_call(base64.b64decode(blob)) for blob in request["blobs"]]
    roots = [root_of(call.args, call.kwargs) for call in real]
    contract = Contract(target.function, request["source"], roots, by_hints=request["by_hints"])
    assumed = Assumed(module, target.function, request["assume"])
    trier = Trier(module, target.function, request, write)
    beyond = 0
    for record in found:
        if record["kind"] != "call":
            write(record)
            continue
        # Reading and copying a call runs code of its classes.
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            call = load_call(base64.b64decode(record["blob"]))
            if not contract.admits(root_of(call.args, call.kwargs)):
                beyond += 1
            elif assumed.hold(call.args, call.kwargs):
                _try(call, real[0], trier, request["most_s"])
    tell_left_out(
        request,
        write,
        beyond,
        "with arguments of other kinds than the type hints or the real calls say",
    )


def _try(call: Call, state: Call, trier: Trier, most_s: float) -> None:
    blob = dump_call(call.args, call.kwargs, state.globals, state.absent)
    cost = trier.cost(blob, most_s) if len(blob) <= MAX_CALL_BYTES else None
    if cost is not None and not (trier.error is not None and issubclass(trier.error, NO_OUTCOME)):
        trier.keep(blob, *cost)


def _is_plain(statement: ast.stmt, own_names: Sequence[str]) -> bool:
    """Whether a statement does nothing but make values and call with them; the function's own name may be private."""
    for node in ast.walk(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global)):
            return False
        if isinstance(node, ast.Attribute) and (
            not isinstance(node.ctx, ast.Load) or _is_private(node.attr, own_names)
        ):
            return False
        if isinstance(node, ast.Name) and node.id in _FORBIDDEN:
            return False
    return True


def _is_private(name: str, own_names: Sequence[str]) -> bool:
    return name.startswith("_") and name not in own_names


def tell_left_out(request: Request, write: Write, number: int, what: str) -> None:
    """Say that so many calls or statements are left out, if there are any."""
    if number:
        write({"kind": "skipped", "origin": request["origin"], "reason": "%d left out: %s" % (number, what)})
