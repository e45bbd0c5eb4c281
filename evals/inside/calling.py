"""Calls a solution with arguments from stdin, and prints what it returns as one line (`values.py`)."""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any

from .values import ListNode, TreeNode, decode, encode


def answer(code: str, preamble: str, entry: str) -> None:
    """Call `entry` (`name` or `Solution.name`) once, and print what it returns.

    What the solution prints itself is left out.
    """
    arguments = decode(sys.stdin.buffer.read())
    result = kept_stdout()
    names = loaded(code, preamble)
    print_line(result, encode(called(names, entry)(*arguments)))


def kept_stdout() -> int:
    """Give a descriptor of the real stdout; what is printed from now on goes nowhere."""
    kept = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return kept


def print_line(descriptor: int, line: str) -> None:
    """Write a line to the real stdout."""
    with os.fdopen(descriptor, "wb") as out:
        out.write(line.encode("ascii") + b"\n")


def loaded(code: str, preamble: str) -> dict[str, Any]:
    """The names of a module in which first the preamble and then the solution has run."""
    module = ModuleType("solution")
    sys.modules["solution"] = module  # as if imported: dataclasses look there
    module.__dict__.update(ListNode=ListNode, TreeNode=TreeNode)
    for name, text in (("preamble", preamble), ("solution", code)):
        exec(compile(text, name, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - in the sandbox
    return module.__dict__


def called(names: dict[str, Any], entry: str) -> Any:
    """What an entry point names: a function, or a method of a new instance."""
    holder, _, method = entry.rpartition(".")
    return getattr(names[holder](), method) if holder else names[method]
