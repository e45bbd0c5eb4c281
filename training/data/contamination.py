"""Keeps problems of evaluation sets out of training sets."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.evals.problems import BenchmarkProblem, code_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.evals.problems import Loaded

_WORD = re.compile(r"\w+")
_WINDOWS = (13, 5)  # words: of texts, and of short ones; "given an array of integers, return" is shared by chance
_SHORT = 40  # words
_MOST_SHARED = 0.5  # of the windows of either text

Window = tuple[str, ...]
_Id = tuple[str, str]  # of a problem, with the dataset: many number their problems


@dataclass(slots=True)
class HeldOut:
    """The problems that are evaluated on.

    Attributes:
        count: how many there are.
        unreadable: records of evaluation sets that cannot be read, so that nothing is held apart from them.
    """

    count: int = 0
    unreadable: list[str] = field(default_factory=list)
    _ids: set[_Id] = field(default_factory=set)
    _titles: dict[str, str] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _windows: dict[Window, set[_Id]] = field(default_factory=lambda: defaultdict(set))
    _sizes: dict[tuple[_Id, int], int] = field(default_factory=dict)  # windows of a text, by their length
    _codes: dict[str, str] = field(default_factory=dict)

    def add(self, problems: Iterable[Loaded]) -> None:
        """Add the problems of an evaluation set."""
        for each in problems:
            if isinstance(each, BenchmarkProblem):
                self._add(each)
            else:
                self.unreadable.append(each.line)

    def _add(self, problem: BenchmarkProblem) -> None:
        words = _words(problem.problem.description)
        known_as = (problem.dataset, problem.id)
        self._ids.add(known_as)
        self._titles |= dict.fromkeys(_titles(_names(problem)), problem.id)
        self._texts[" ".join(words)] = problem.id
        for length in _WINDOWS:
            windows = _windows(words, length)
            self._sizes[known_as, length] = len(windows)
            for window in windows:
                self._windows[window].add(known_as)
        self._codes |= {_code(each.code): problem.id for each in problem.references if each.code.strip()}
        self.count += 1

    def reason(self, problem: BenchmarkProblem) -> str:
        """Why a problem may not be trained on; empty: it may.

        It is held out by its id in the same dataset, by its title, by its text, by half of the word windows of its text
        or of the other one's, or by a solution that is one of a held-out problem but for blanks and comments.
        """
        if (problem.dataset, problem.id) in self._ids:
            return "its id is that of a held-out problem"
        codes = (each.code for each in problem.references)
        return self.reason_of(_names(problem), problem.problem.description, codes)

    def reason_of(self, names: Iterable[str], text: str, codes: Iterable[str]) -> str:
        """Why code that is of no dataset may not be trained on; empty: it may. See `reason`.

        Args:
            names: any of which may be a title.
            text: that says what the code does.
            codes: that do it.
        """
        for title in _titles(names):
            if title in self._titles:
                return f"its title is that of the held-out problem {self._titles[title]}"
        words = _words(text)
        if other := self._texts.get(" ".join(words)):
            return f"its text is that of the held-out problem {other}"
        if shared := self._shared(words):
            return shared
        for code in codes:
            if other := self._codes.get(_code(code)):
                return f"it has a solution of the held-out problem {other}"
        return ""

    def _shared(self, words: list[str]) -> str:
        length = _WINDOWS[len(words) < _SHORT]
        windows = _windows(words, length)
        for other, count in self._counts(words, length).most_common():
            share = count / max(1, min(len(windows), self._sizes[other, length]))
            if share >= _MOST_SHARED:
                return f"it shares {share:.0%} of the shorter text with the held-out problem {other[1]}"
        longer, shorter = _WINDOWS
        for other, count in self._counts(words, shorter).items():
            # Half of a sentence is shared by chance, so a text that is too short for the longer windows counts whole.
            if not self._sizes[other, longer] and count == self._sizes[other, shorter]:
                return f"it contains the text of the held-out problem {other[1]}"
        return ""

    def _counts(self, words: list[str], length: int) -> Counter[_Id]:
        """How many windows of a text each held-out problem shares."""
        return Counter(other for window in _windows(words, length) for other in self._windows.get(window, ()))


def _names(problem: BenchmarkProblem) -> tuple[str, str]:
    return problem.id, problem.problem.name


def _titles(names: Iterable[str]) -> set[str]:
    """Names that are titles, as words; numbers are none."""
    found = (" ".join(_WORD.findall(name.casefold().replace("_", " "))) for name in names)
    return {each for each in found if re.search(r"[^\W\d]{2}", each)}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _windows(words: list[str], length: int) -> set[Window]:
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def _code(code: str) -> str:
    """The same for codes that differ in blanks and comments alone."""
    lines = (line.partition("#")[0].strip() for line in code.splitlines())
    return code_id("\n".join(" ".join(line.split()) for line in lines if line))
