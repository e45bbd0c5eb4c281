"""Runs the doctests of the target's module that mention the function, under the recorder."""

from __future__ import annotations

import doctest
import functools
import importlib
import io
import re
from typing import TYPE_CHECKING

from .user_code import guarded

if TYPE_CHECKING:
    from .call_recorder import Recorder
    from .harness_types import Request, Write


def run_doctests(request: Request, recorder: Recorder, write: Write) -> None:
    """Run every docstring of the module whose examples name the function, and the function's own."""
    module = guarded(write, "import", lambda: importlib.import_module(request["module"]))
    if module is None:
        return
    recorder.origin = request["origin"]
    with recorder.removed(module):  # the finder passes over functions that are not the module's own
        tests = doctest.DocTestFinder(exclude_empty=True).find(module, module.__name__)
    mentioned = re.compile(r"\b(%s)\b" % "|".join(map(re.escape, recorder.names)))
    tests = [test for test in tests if any(mentioned.search(example.source) for example in test.examples)]
    if not tests:
        write(
            {"kind": "failed", "stage": "no_tests", "reason": "no docstring of the file has an example that calls it"}
        )
        return
    runner = doctest.DocTestRunner(verbose=False)
    for test in tests:
        test.globs = dict(vars(module))
        guarded(write, "run", functools.partial(runner.run, test, out=io.StringIO().write, clear_globs=False))
    if runner.failures:
        reason = "%d of %d doctest examples fail" % (runner.failures, runner.tries)
        write({"kind": "skipped", "origin": request["origin"], "reason": reason})
