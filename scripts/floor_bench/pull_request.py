"""The pull request: the command of the action on a small repository whose branch adds two slow functions."""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING

from repositories import WITH_COMMON, Repository

from scripts.floor_bench.floor import FloorFailedError, environment, finish

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.latency_bench.versions import Program

TAKES = "the demo pull request"
_LIMIT_S = 900.0
SEARCH = '''\
"""Searches in lists of names."""


def with_prefix(names, prefix):
    """The names that begin with the prefix, whatever its case."""
    found = []
    for name in names:
        if name.lower().startswith(prefix.strip().lower()):
            found.append(name)
    return found


def last(names):
    """The last name of all."""
    return sorted(names)[-1]
'''
SEARCH_TESTS = """\
from shop.search import with_prefix

NAMES = [f"Name-{number % 400}" for number in range(1200)]


def test_with_prefix():
    assert with_prefix(["Ada", "Bob", "adele"], "AD") == ["Ada", "adele"]
    assert len(with_prefix(NAMES, " name-1")) == 333
    assert len(with_prefix(NAMES[:700], "NAME-2")) == 222
"""
CHANGE = {**WITH_COMMON, "shop/search.py": SEARCH, "tests/test_search.py": SEARCH_TESTS}


def make_demo(folder: Path) -> None:
    """Make a repository, in a folder that is not there yet, with the branch of a pull request checked out."""
    repository = Repository.make(folder)
    repository.branch("searches")
    repository.commit(CHANGE, "Search in lists of names")


def measure(program: Program, place: Path) -> dict[str, float]:
    """Minutes from the start of `afterburner-agent ci` to its end: without installing it, and without the comment.

    Raises:
        FloorFailedError: it failed, or found nothing to propose.
    """
    folder, out = place / "shop", place / "report"
    make_demo(folder)
    command = (*program.command, "ci", "--base", "main", "--python", sys.executable, "--out", str(out))
    began_s = time.perf_counter()
    finish(command, folder, environment(program, folder, place / "home"), _LIMIT_S)
    took_s = time.perf_counter() - began_s
    report = json.loads((out / "report.json").read_text("utf-8"))
    decisions = {each["function"]: each["decision"] for each in report["functions"]}
    if "improved" not in decisions.values():
        raise FloorFailedError(f"nothing was proposed after {took_s:.0f} s: {decisions} {'; '.join(report['notes'])}")
    return {TAKES: took_s / 60}


def bare(place: Path) -> float:
    """Minutes that the tests of the pull request take by themselves.

    Raises:
        FloorFailedError: they fail.
    """
    make_demo(place / "shop")
    began_s = time.perf_counter()
    finish((sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"), place / "shop", os.environ, _LIMIT_S)
    return (time.perf_counter() - began_s) / 60
