"""Profiles a workload and tells how much time each function of the target's file takes."""

from __future__ import annotations

import ast
import cProfile
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Optional, Tuple

from .alarm import PROFILED_SHARE, limited_time

if TYPE_CHECKING:
    from .call_recorder import NoRecorder
    from .harness_types import Request, Write


def profile_time(job: Callable[..., None], request: Request, recorder: NoRecorder, write: Write) -> None:
    """Run `job` under cProfile and write one record for each function of the file that ran."""
    profiler = cProfile.Profile()
    with limited_time(PROFILED_SHARE * request["wall_time_s"]):
        profiler.runcall(job, request, recorder, write)
    profiler.disable()
    for name, (cost_s, calls) in function_costs(profiler.getstats(), request).items():
        write({"kind": "profile", "function": name, "cost_s": float(cost_s), "calls": calls})


def function_costs(entries: Iterable[Any], request: Request) -> Dict[str, Tuple[float, int]]:
    """Map `name` or `Class.name` to (seconds, calls): its own time and that of its callees outside the file.

    Nested functions, lambdas and comprehensions count as the function that they stand in.
    """
    spans = function_spans(request["source"])
    real = os.path.realpath(request["path"])
    names = {}
    for entry in entries:
        names[entry.code] = _name_of(entry.code, real, spans)
    outside_shares = {entry.code: outside_share(entry, names) for entry in entries}
    costs: Dict[str, Tuple[float, int]] = {}
    for entry in entries:
        name = names[entry.code]
        if not name:
            continue
        cost_s = entry.inlinetime
        for callee in entry.calls or ():
            if names.get(callee.code) is None:
                cost_s += callee.totaltime * outside_shares.get(callee.code, 1.0)
        before_s, calls = costs.get(name, (0.0, 0))
        is_function = getattr(entry.code, "co_name", "") == name.rpartition(".")[2]
        costs[name] = (before_s + max(cost_s, 0.0), calls + (entry.callcount if is_function else 0))
    return costs


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
