"""What `--counterexample FILE` writes: inputs on which rewrites differ, as a file of tests for pytest."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.judge.verification.helper_source import NAME, helper_source
from afterburner.sandbox import UsageError
from afterburner.sandbox.terminal.destinations import STDOUT, write_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Target

FIRST_LINE = '"""Inputs on which a rewrite behaves differently, written by afterburner-agent.'
_HEADER = f"""\
{FIRST_LINE}

Each test passes with the original and fails with the rewrite that it is named after.
\"\"\"

"""


def check_tests_place(place: str | None) -> None:
    """Find out now whether something would be lost.

    Raises:
        UsageError: a file is there that is none of these.
    """
    if place is None or place == STDOUT or not Path(place).exists():
        return
    with Path(place).open(encoding="utf-8", errors="replace") as file:
        beginning = file.read(len(FIRST_LINE))
    if beginning not in {"", FIRST_LINE}:
        raise UsageError(f"--counterexample {place}: this file is there already; name another one, or delete it.")


def write_tests(place: str, target: Target, tests: Sequence[tuple[str, str]]) -> str:
    """Write the tests; what to tell the user instead where there are none.

    Args:
        place: the file, or `-` for stdout.
        target: the original.
        tests: a label each, such as `candidate_1_2`, and the function as `written_tests` makes it.
    """
    written = [(label, test) for label, test in tests if test]
    if not written:
        return "No counterexample was written: none was found."
    write_result("--counterexample", place, tests_file(place, target, written).encode("ascii"))
    return ""


def tests_file(place: str, target: Target, tests: Sequence[tuple[str, str]]) -> str:
    """The text of the file. It finds the original from where it lies, or from anywhere where that is stdout."""
    function = re.sub(r"\W", "_", target.function or "", flags=re.ASCII)
    functions = [
        test.replace(f"def {NAME}(", f"def test_{function}_{re.sub(r'[^a-z0-9]', '_', label)}(", 1)
        for label, test in tests
    ]
    if place == STDOUT:
        root = ascii(target.import_root)
    else:
        folder = os.path.relpath(target.import_root, Path(place).resolve().parent)
        root = f"str(Path(__file__).resolve().parent / {folder!a})"
    imports, _, helpers = helper_source().partition("\n\n\n")
    lines = sorted([*imports.splitlines(), "import sys", "from pathlib import Path"], key=_import_order)
    imports = "\n".join(lines)
    if any(test.startswith("@pytest") for test in functions):
        imports += "\n\nimport pytest"
    path = f"sys.path.insert(0, {root})  # where {_shown(target.module)} is imported from"
    return f"{_HEADER}{imports}\n\n{path}\n\n\n{helpers.rstrip()}\n\n\n" + "\n\n".join(functions)


def _import_order(line: str) -> tuple[bool, str]:
    return line.startswith("from "), line


def _shown(module: str) -> str:
    return ascii(module)[1:-1]
