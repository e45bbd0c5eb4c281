"""Reports as the measuring job writes them, on a text that the test gives."""

from __future__ import annotations

import hashlib
from typing import Any

from afterburner.agent.code.locate import functions_in
from afterburner.agent.code.source_text import split_lines
from afterburner.ci_action.report.document import (
    CiDocument,
    CounterexamplePart,
    Decision,
    EditPart,
    FiguresPart,
    FunctionPart,
    GainPart,
    Mode,
    RewritePart,
)

HEAD, BASE = "a" * 40, "b" * 40
SLOW = """\
def common(left, right):
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


def total(prices):
    return sum(prices)
"""
REWRITTEN = ["    known = set(right)\n", "    return [name for name in left if name in known]\n"]


def blob_of(text: str) -> str:
    """The id that git gives to a file."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def rewrite_of_common(text: str, receipt: str | None = "receipts/01-common.json") -> RewritePart:
    """The body of `common` in place of its five lines."""
    _, first, last = next(each for each in functions_in(text) if each[0] == "common")
    lines = split_lines(text)
    edit = EditPart(first=first + 1, last=last, text="".join(REWRITTEN))
    removed = "".join(f"-{line}" for line in lines[first:last])
    added = "".join(f"+{line}" for line in REWRITTEN)
    patch = f"--- a/shop.py\n+++ b/shop.py\n@@ -{first},6 +{first},3 @@\n {lines[first - 1]}{removed}{added}"
    return RewritePart(patch=patch, edits=[edit], block=edit, merged=True, is_executable=False, receipt=receipt)


def function(text: str = SLOW, name: str = "common", **changes: Any) -> FunctionPart:
    """A function of the file `shop.py` with a proven rewrite, unless the changes say otherwise."""
    _, first, last = next(each for each in functions_in(text) if each[0] == name)
    source = "".join(split_lines(text)[first - 1 : last])
    fields: dict[str, Any] = {
        "file": "shop.py",
        "function": name,
        "line": first,
        "last_line": last,
        "blob": blob_of(text),
        "source_sha256": hashlib.sha256(source.encode()).hexdigest(),
        "decision": Decision.IMPROVED,
        "reason": "CPU time improved 31.8x",
        "share": 0.9,
        "gain": GainPart(ratio=31.8, low=30.7, high=33.4, confidence=0.98),
        "losses": [],
        "figures": FiguresPart(before_cpu_s=0.3, after_cpu_s=0.01, before_peak_kib=14848.0, after_peak_kib=14950.0),
        "evidence": ["judged on 7 inputs (pytest: tests/test_names.py); 2 of them were held out"],
        "counterexample": None,
        "rewrite": rewrite_of_common(text) if name == "common" else None,
        "elapsed_s": 40.0,
    }
    return FunctionPart(**{**fields, **changes})


def slower(name: str = "total", **changes: Any) -> FunctionPart:
    """A function that has become twice as slow."""
    gain = GainPart(ratio=0.5, low=0.48, high=0.52, confidence=0.98)
    return function(name=name, **{"decision": Decision.SLOWER, "gain": gain, "rewrite": None, **changes})


def different(name: str = "total", **changes: Any) -> FunctionPart:
    """A function that behaves differently."""
    found = CounterexamplePart(calls=["total([])"], before="returned 0", after="returned None")
    fields = {"decision": Decision.DIFFERENT, "gain": None, "figures": None, "rewrite": None, "counterexample": found}
    return function(name=name, **{**fields, "reason": "total([]) returned None instead of 0", **changes})


def interrupted(name: str = "total", **changes: Any) -> FunctionPart:
    """A function that an interrupted run did not look at."""
    fields: dict[str, Any] = {
        "decision": Decision.INTERRUPTED,
        "gain": None,
        "figures": None,
        "rewrite": None,
        "evidence": [],
    }
    return function(name=name, **{**fields, "reason": "the run was interrupted", **changes})


def document(*functions: FunctionPart, **changes: Any) -> CiDocument:
    """A report on these functions; without any, one with a proven rewrite of `common`."""
    fields: dict[str, Any] = {
        "version": "0.1.0",
        "mode": Mode.OPTIMIZE,
        "base": BASE,
        "head": HEAD,
        "objective": "time",
        "model": "rules",
        "machine": "a CPU, 2 CPUs, Linux 6.1 x86_64, Python 3.12, bubblewrap 0.8.0 (cgroup v2)",
        "min_effect": 0.05,
        "functions": list(functions) or [function()],
        "left_out": [],
        "notes": [],
        "patch": "",
        "tests": "the project's tests still pass with all rewrites in place",
        "cost_usd": None,
        "elapsed_s": 47.0,
    }
    return CiDocument(**{**fields, **changes})


def nothing(**changes: Any) -> CiDocument:
    """A report that found nothing."""
    found = function(
        decision=Decision.NO_IMPROVEMENT, gain=None, figures=None, rewrite=None, reason="nothing is offered"
    )
    return document(found, tests="", **changes)
