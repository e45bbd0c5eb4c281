"""Profiles a workload and tells how much time each function of the target's file takes."""

from __future__ import annotations

import ast
import cProfile
import os
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, List, Mapping, Optional, Set, Tuple

from .alarm import PROFILED_SHARE, limited_time
from .user_code import main_blocks

if TYPE_CHECKING:
    from .call_recorder import NoRecorder
    from .harness_types import Request, Write


def profile_time(job: Callable[..., None], request: Request, recorder: NoRecorder, write: Write) -> None:
    """Run `job` under cProfile and write one record for each function of the file that ran."""
    profiler = cProfile.Profile()
    with limited_time(PROFILED_SHARE * request["wall_time_s"]):
        profiler.runcall(job, request, recorder, write)
    profiler.disable()
    for name, cost in function_costs(profiler.getstats(), request).items():
        importing = not cost.worked
        cost_s = cost.importing_s if importing else cost.working_s
        write({"kind": "profile", "function": name, "cost_s": cost_s, "calls": cost.calls, "importing": importing})


class Cost:
    """Seconds of a function in itself and in its callees outside the file, while it is imported and apart from that."""

    def __init__(self) -> None:
        self.importing_s = self.working_s = 0.0
        self.calls = 0
        self.worked = False  # whether any of it ran apart from the import


def function_costs(entries: Collection[Any], request: Request) -> Dict[str, Cost]:
    """The cost of each `name` or `Class.name`.

    Nested functions, lambdas and comprehensions count as the function that they stand in. What a file does when it is
    imported is no workload, since nothing has it done again; of a program that is run it is.
    """
    spans = function_spans(request["source"])
    real = os.path.realpath(request["path"])
    names = {}
    for entry in entries:
        names[entry.code] = _name_of(entry.code, real, spans)
    outside_shares = {entry.code: outside_share(entry, names) for entry in entries}
    at_work = {entry.code for entry in entries} if _is_program(request) else _at_work(entries, real, names)
    costs: Dict[str, Cost] = {}
    for entry in entries:
        name = names[entry.code]
        if not name:
            continue
        cost_s = entry.inlinetime
        for callee in entry.calls or ():
            if names.get(callee.code) is None:
                cost_s += callee.totaltime * outside_shares.get(callee.code, 1.0)
        cost = costs.setdefault(name, Cost())
        cost.calls += entry.callcount if _is_function(entry.code, name) else 0
        if entry.code in at_work:
            cost.working_s += max(cost_s, 0.0)
            cost.worked = True
        else:
            cost.importing_s += max(cost_s, 0.0)
    return costs


def _is_function(code: Any, name: Optional[str]) -> bool:
    """Whether it is the code of a target itself, not of what is defined inside."""
    return bool(name) and getattr(code, "co_name", "") == str(name).rpartition(".")[2]


def _is_program(request: Request) -> bool:
    """Whether the workload is what the file does by itself: with an input, or in its `__main__` block."""
    has_block = request["job"] == "main" and main_blocks(request["source"], request["path"])
    return bool(has_block or "stdin" in request)


def _at_work(entries: Collection[Any], real: str, names: Mapping[Any, Optional[str]]) -> Set[Any]:
    """The code that others than the top level of the file at `real` call, directly or through other code."""
    callees = {entry.code: [callee.code for callee in entry.calls or ()] for entry in entries}
    called = {code for each in callees.values() for code in each}
    found: Set[Any] = set()
    directly: Set[Any] = set()  # by code that is written in Python
    waiting = [code for code in callees if code not in called]
    while waiting:
        code = waiting.pop()
        if code in found or _is_top_level(code, real):
            continue
        found.add(code)
        waiting += callees.get(code, ())
        directly.update(callees.get(code, ()) if not isinstance(code, str) else ())
    # A comprehension that `sum` goes through is called by `sum`, whoever calls that: it is at work if its function is.
    functions = {names[code] for code in found if _is_function(code, names.get(code))}
    return {code for code in found if code in directly or not names.get(code) or names[code] in functions}


def _is_top_level(code: Any, real: str) -> bool:
    return not isinstance(code, str) and code.co_name == "<module>" and os.path.realpath(code.co_filename) == real


def function_spans(source: str) -> List[Tuple[str, int, int]]:
    """(name, first line, last line) of every function and method that can be a target, decorators included."""
    spans: List[Tuple[str, int, int]] = []

    def visit(body: List[Any], prefix: str) -> None:
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
                spans.append((prefix + node.name, first, node.end_lineno or first))
            elif isinstance(node, ast.ClassDef):
                visit(node.body, prefix + node.name + ".")
            elif isinstance(node, (ast.If, ast.Try)):
                visit(node.body + node.orelse, prefix)

    visit(ast.parse(source).body, "")
    return spans


def _name_of(code: Any, real: str, spans: List[Tuple[str, int, int]]) -> Optional[str]:
    """The target it belongs to; empty for other code of the file; None for code that is not in the file."""
    if isinstance(code, str) or os.path.realpath(code.co_filename) != real:
        return None
    return next((name for name, first, last in spans if first <= code.co_firstlineno <= last), "")


def outside_share(entry: Any, names: Dict[Any, Any]) -> float:
    """The share of a library function's time that it did not spend in calls back into the file."""
    if not entry.totaltime:
        return 1.0
    inside_s = sum(callee.totaltime for callee in entry.calls or () if names.get(callee.code) is not None)
    return min(max(1.0 - float(inside_s / entry.totaltime), 0.0), 1.0)
