"""Runs the doctests of the target's module that reach the function, under the recorder."""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import io
import re
import sys
from typing import TYPE_CHECKING, Iterable, Iterator, List

from ....sandbox.driver.executed_modules import imported
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write


def run_doctests(request: Request, recorder: Recorder, write: Write) -> None:
    """Run the docstrings whose examples name the function, then those that name what calls it in the module."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    recorder.origin = request["origin"]
    # The finder passes over functions that are not those of the module that `sys.modules` names.
    with recorder.removed(module), _standing(request["module"], module):
        tests = doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__)
    direct = _that_name(recorder.names, tests)
    reaching = _that_name(_callers(request["source"], recorder.names), tests)
    tests = direct + [test for test in reaching if test not in direct]
    if not tests:
        write(
            {"kind": "failed", "stage": "no_tests", "reason": "no docstring of the file has an example that reaches it"}
        )
        return
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        test.globs = dict(vars(module))
        guarded(write, "run", functools.partial(runner.run, test, out=io.StringIO().write, clear_globs=False))
    if runner.failures:
        reason = "%d of %d doctest examples fail" % (runner.failures, runner.tries)
        write({"kind": "skipped", "origin": request["origin"], "reason": reason})


@contextlib.contextmanager
def _standing(name: str, module: ModuleType) -> Iterator[None]:
    """Inside, `sys.modules` names the module itself, even if it has put another object in its place."""
    held = sys.modules[name]
    sys.modules[name] = module
    try:
        yield
    finally:
        sys.modules[name] = held


def _that_name(names: Iterable[str], tests: List[doctest.DocTest]) -> List[doctest.DocTest]:
    mentioned = re.compile(r"\b(?:%s)\b" % "|".join(map(re.escape, sorted(names))))
    return [test for test in tests if any(mentioned.search(example.source) for example in test.examples)]


def _callers(source: str, names: Iterable[str]) -> List[str]:
    """`names`, and the module's functions and classes that use one of them, directly or through others."""
    uses = {}
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            below = list(ast.walk(node))
            used = {each.id for each in below if isinstance(each, ast.Name)}
            uses[node.name] = used | {each.attr for each in below if isinstance(each, ast.Attribute)}
    found = set(names)
    count = 0
    while count < len(found):
        count = len(found)
        found.update([name for name, used in uses.items() if used & found])
    return sorted(found)
