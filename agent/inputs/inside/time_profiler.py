"""Profiles a workload and tells how much time each function of the target's file takes."""

from __future__ import annotations

import ast
import cProfile
import os
from typing import TYPE_CHECKING, Any, Callable, Collection, Dict, Iterable, List, Optional, Set, Tuple

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
    for name, (cost_s, calls) in function_costs(profiler.getstats(), request).items():
        write({"kind": "profile", "function": name, "cost_s": float(cost_s), "calls": calls})


def function_costs(entries: Collection[Any], request: Request) -> Dict[str, Tuple[float, int]]:
    """Map `name` or `Class.name` to (seconds, calls): its own time and that of its callees outside the file.

    Nested functions, lambdas and comprehensions count as the function that they stand in. What runs only while the file
    is imported costs nothing: no workload has it run again.
    """
    spans = function_spans(request["source"])
    real = os.path.realpath(request["path"])
    names = {}
    for entry in entries:
        names[entry.code] = _name_of(entry.code, real, spans)
    outside_shares = {entry.code: outside_share(entry, names) for entry in entries}
    importing = set() if _runs_module_code(request) else _while_importing(entries, real)
    of_import = {names[code] for code in importing if _is_function(code, names[code])}
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
        is_function = _is_function(entry.code, name)
        cost_s = 0.0 if name in of_import else max(cost_s, 0.0)
        costs[name] = (before_s + cost_s, calls + (entry.callcount if is_function else 0))
    return costs


def _is_function(code: Any, name: Optional[str]) -> bool:
    """Whether it is the code of a target itself, not of what is defined inside."""
    return bool(name) and getattr(code, "co_name", "") == str(name).rpartition(".")[2]


def _runs_module_code(request: Request) -> bool:
    """Whether the workload is what the file itself does as a program, not what others do with it."""
    return bool(request["job"] == "main" and main_blocks(request["source"], request["path"]))


def _while_importing(entries: Iterable[Any], real: str) -> Set[Any]:
    """What nothing but the top level of the file at `real` calls, directly or through other code."""
    calls: Dict[Any, int] = {}
    callers: Dict[Any, Dict[Any, int]] = {}
    for entry in entries:
        calls[entry.code] = entry.callcount
        for callee in entry.calls or ():
            callers.setdefault(callee.code, {})[entry.code] = callee.callcount
    found = {code for code in calls if _is_top_level(code, real)}
    while True:
        new = {
            code
            for code, known in callers.items()
            if code not in found
            and sum(count for caller, count in known.items() if caller in found or caller is code) >= calls[code]
        }
        if not new:
            return found
        found |= new


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
