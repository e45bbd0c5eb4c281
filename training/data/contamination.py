"""Keeps problems of evaluation sets out of training sets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.evals.problems import code_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.evals.problems import BenchmarkProblem

_WORD = re.compile(r"\w+")
_WINDOW = 13  # words: shorter ones are shared by chance, such as "given an array of integers, return"
_MOST_SHARED = 0.5  # of the windows of a description


@dataclass(slots=True)
class HeldOut:
    """The problems that are evaluated on."""

    _names: set[str] = field(default_factory=set)
    _texts: dict[str, str] = field(default_factory=dict)  # normalised descriptions, and the problem's id
    _windows: dict[tuple[str, ...], str] = field(default_factory=dict)
    _codes: dict[str, str] = field(default_factory=dict)
    count: int = 0

    def add(self, problems: Iterable[BenchmarkProblem]) -> None:
        """Add the problems of an evaluation set."""
        for each in problems:
            words = _words(each.problem.description)
            self._names |= _names(each)
            self._texts[" ".join(words)] = each.id
            self._windows |= dict.fromkeys(_windows(words), each.id)
            self._codes |= {_code(reference.code): each.id for reference in each.references if reference.code.strip()}
            self.count += 1

    def reason(self, problem: BenchmarkProblem) -> str:
        """Why a problem may not be trained on; empty: it may.

        It is held out by its id or title, by its text, by half of the 13-word windows of its text, or by a solution
        that is one of a held-out problem but for blanks and comments.
        """
        if _names(problem) & self._names:
            return "its id or title is that of a held-out problem"
        words = _words(problem.problem.description)
        if other := self._texts.get(" ".join(words)):
            return f"its text is that of the held-out problem {other}"
        windows = _windows(words)
        shared = [each for each in windows if each in self._windows]
        if windows and len(shared) >= _MOST_SHARED * len(windows):
            return f"{len(shared) / len(windows):.0%} of its text is that of {self._windows[shared[0]]}, held out"
        for reference in problem.references:
            if other := self._codes.get(_code(reference.code)):
                return f"it has a solution of the held-out problem {other}"
        return ""


def _names(problem: BenchmarkProblem) -> set[str]:
    return {problem.id.casefold(), problem.problem.name.casefold()}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _windows(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + _WINDOW]) for start in range(len(words) - _WINDOW + 1)}


def _code(code: str) -> str:
    """The same for codes that differ in blanks and comments alone."""
    lines = (line.partition("#")[0].strip() for line in code.splitlines())
    return code_id("\n".join(" ".join(line.split()) for line in lines if line))
