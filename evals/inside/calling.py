"""Calls a solution with arguments from stdin, and prints what it returns as one line (`values.py`)."""

from __future__ import annotations

import math
import os
import random
import string
import sys
from types import ModuleType
from typing import Any

from .values import Expression, ListNode, TreeNode, decode, encode


def answer(code: str, preamble: str, entry: str) -> None:
    """Call `entry` (`name` or `Solution.name`) once, and print what it returns.

    What the solution prints itself is left out.
    """
    given = sys.stdin.buffer.read()
    result = kept_stdout()
    names = namespace(preamble)
    arguments = arguments_of(given)  # before the solution, which may change what an expression is made of
    run(code, names)
    print_line(result, encode(called(names, entry)(*arguments)))


def arguments_of(text: str | bytes) -> Any:
    """Arguments from their text, which may be an expression: some are short, and make a hundred megabytes."""
    told = decode(text)
    if not isinstance(told, Expression):
        return told
    random.seed(told.seed)
    names = {"math": math, "random": random, "string": string}
    return eval(compile(told.text, "input", "eval", dont_inherit=True), names)  # noqa: S307 - in the sandbox


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
    names = namespace(preamble)
    run(code, names)
    return names


def namespace(preamble: str) -> dict[str, Any]:
    """The names of a module in which the preamble has run."""
    module = ModuleType("solution")
    sys.modules["solution"] = module  # as if imported: dataclasses look there
    module.__dict__.update(ListNode=ListNode, TreeNode=TreeNode)
    run(preamble, module.__dict__, "preamble")
    return module.__dict__


def run(text: str, names: dict[str, Any], called: str = "solution") -> None:
    """Run a text in a namespace; tracebacks tell its name."""
    exec(compile(text, called, "exec", dont_inherit=True), names)  # noqa: S102 - in the sandbox


def called(names: dict[str, Any], entry: str) -> Any:
    """What an entry point names: a function, or a method of a new instance."""
    holder, _, method = entry.rpartition(".")
    return getattr(names[holder](), method) if holder else names[method]
