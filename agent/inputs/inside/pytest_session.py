# ruff: noqa: PTH110 - os.path is loaded anyway; the harness starts once for each question
"""What all runs of pytest here have in common: which of the project's options hold, and when they end."""

from __future__ import annotations

import importlib.util
import os
import re
import tempfile
from typing import Any, Container, FrozenSet, Iterator, List

from .alarm import TIME_OVER, has_rung

# Coverage distorts a profile, and writes into the project, which is read-only. A project may require plugins that are
# left out, and have settings for them, which are no errors then.
_FIXED = ("-p", "no:cov", "-o", "required_plugins=", "-W", "ignore::pytest.PytestConfigWarning")
# The marks of plugins that are left out: tests still use them, and a strict project takes an unknown mark for an error.
_THEIR_MARKS = ("timeout", "benchmark", "random_order", "xdist_group", "no_cover", "hypothesis")
# Of the options that the project adds to each run (`addopts`), these hold, and those of its own conftest.py. Others
# report, spread or reorder the tests, write files, or belong to a plugin that is left out.
_HOW_FLAGS = frozenset(
    ("--doctest-modules", "--doctest-ignore-import-errors", "--doctest-continue-on-failure", "--pyargs")
)
_HOW_VALUES = frozenset(("--doctest-glob", "--import-mode", "--confcutdir", "--asyncio-mode", "--ds"))
_WHICH_VALUES = frozenset(("-m", "-k", "--deselect", "--ignore", "--ignore-glob"))
# Behind these comes no value of theirs.
_FLAGS = re.compile(
    r"-[hlqsvx]|-[^-].+|--(?:strict|strict-\w+|verbose|quiet|exitfirst|showlocals|disable-warnings|no-\w+(?:-\w+)*|"
    r"lf|ff|nf|sw|last-failed|failed-first|new-first|stepwise|cov-append|cov-branch|cov-reset|"
    r"benchmark-(?:skip|only|disable|enable|disable-gc|autosave|save-data|verbose|quiet))"
)
_SKIP_BENCHMARKS = "--benchmark-skip"
_BENCHMARKS_WANTED = frozenset(("--benchmark-only", "--benchmark-enable"))  # by a user's command
_COVERAGE_FLAGS = frozenset(("--cov-reset", "--no-cov-on-fail", "--no-cov", "--cov-append", "--cov-branch"))
_COVERAGE = re.compile(r"--(?:no-)?cov(?:-\w+)*(?:=.*)?")


def fixed_options() -> List[str]:
    """What holds for each run. What pytest caches goes elsewhere: the project is read-only."""
    return [*_FIXED, "-o", "cache_dir=%s/pytest" % tempfile.gettempdir()]


def session_plugins(pytest: Any, *, choice: bool, paths: bool) -> List[Any]:
    """The plugins that make a run follow the rules; see `SessionRules`, which is the first."""
    pytest.hookimpl(hookwrapper=True)(SessionRules.pytest_load_initial_conftests)
    rules = SessionRules(choice=choice, paths=paths)
    return [rules] if importlib.util.find_spec("pytest_cov") is None else [rules, _coverage_fixtures(pytest)]


def _coverage_fixtures(pytest: Any) -> Any:
    """The fixtures of pytest-cov, which is left out, as they are where nothing is covered."""
    fixtures = {name: pytest.fixture(name=name)(lambda _self: None) for name in ("cov", "no_cover")}
    return type("CoverageFixtures", (), fixtures)()


class SessionRules:
    """A plugin of pytest.

    It keeps of the project's options those that say which tests there are and how they are loaded. It ends the session
    once the alarm has rung, which pytest takes for the failure of a test.

    Args:
        choice: whether the project says which tests run.
        paths: whether it says so by paths, too.
    """

    def __init__(self, *, choice: bool, paths: bool) -> None:
        self._choice, self._paths = choice, paths
        self._session: Any = None
        self.begun = False  # all plugins are loaded, and accept the options

    def pytest_load_initial_conftests(self, early_config: Any, args: List[str], parser: Any) -> Iterator[None]:
        """Leave out the other options before they are parsed. `args` begins with those of the project.

        A wrapper: the project's conftest.py is loaded in the middle, and may define options.
        """
        self.begun = True
        added = list(early_config.getini("addopts"))
        before = _not_understood(parser, added)
        yield
        after = _not_understood(parser, added)
        if added and args[: len(added)] == added:
            own = frozenset(before) - frozenset(after)
            args[: len(added)] = kept_options(added, choice=self._choice, paths=self._paths, own=own)
        args[:0] = _benchmark_options(early_config.known_args_namespace, added, args)

    def pytest_configure(self, config: Any) -> None:
        """Make the marks of the plugins known that are left out."""
        for mark in _THEIR_MARKS:
            config.addinivalue_line("markers", mark)

    def pytest_sessionstart(self, session: Any) -> None:
        """Remember what can be stopped."""
        self._session = session

    def pytest_collectreport(self) -> None:
        """Look for the alarm after each file."""
        self._look()

    def pytest_runtest_logreport(self) -> None:
        """Look for the alarm after each test."""
        self._look()

    def _look(self) -> None:
        if has_rung():
            self._session.shouldstop = TIME_OVER


def _not_understood(parser: Any, added: List[str]) -> List[str]:
    """Which of the words no plugin takes for an option of its own, or for the value of one."""
    if not added:
        return []
    namespace, unknown = parser.parse_known_and_unknown_args(added)
    return [*unknown, *map(str, namespace.file_or_dir)]


def _benchmark_options(known: Any, added: List[str], args: List[str]) -> List[str]:
    """Have benchmarks skipped if the project says so, else run once and not measured: they would take long."""
    if not hasattr(known, "benchmark_disable"):
        return []  # pytest-benchmark is not there
    options = [_SKIP_BENCHMARKS] if _SKIP_BENCHMARKS in added else []
    if hasattr(known, "benchmark_storage"):
        options.append("--benchmark-storage=file://%s/benchmarks" % tempfile.gettempdir())
    return options if _BENCHMARKS_WANTED.intersection(args) else [*options, "--benchmark-disable"]


def kept_options(added: List[str], *, choice: bool, paths: bool, own: Container[str] = ()) -> List[str]:
    """Of the options `added` by a project those that hold here; see `SessionRules`.

    A word behind an unknown option may be its value, and is left out with it. `own` are words that only the project's
    conftest.py makes known.
    """
    values = _HOW_VALUES | _WHICH_VALUES if choice else _HOW_VALUES
    kept: List[str] = []
    option = ""  # that waits for its value
    for word in added:
        if option in values:
            kept += [option, word]
            option = ""
        elif word in own:
            kept.append(word)
            option = ""
        elif word.startswith("-"):
            if word in _HOW_FLAGS or _holds_value_of(word, values):
                kept.append(word)
            option = "" if "=" in word or word in _HOW_FLAGS or _FLAGS.fullmatch(word) else word
        else:
            if paths and not option and is_path(word):
                kept.append(word)
            option = ""
    return kept


def _holds_value_of(word: str, options: FrozenSet[str]) -> bool:
    """Whether it is one of the options together with its value: `--ignore=old`, or `-mslow`."""
    if word.startswith("--"):
        return "=" in word and word.partition("=")[0] in options
    return word[:2] in options and len(word) > 2


def without_coverage(arguments: List[str]) -> List[str]:
    """The arguments of a command without those of pytest-cov, which is left out."""
    kept: List[str] = []
    takes_value = False
    for word in arguments:
        if _COVERAGE.fullmatch(word):
            takes_value = "=" not in word and word not in _COVERAGE_FLAGS
            continue
        if not takes_value or word.startswith("-"):
            kept.append(word)
        takes_value = False
    return kept


def is_path(word: str) -> bool:
    """Whether it names a file or folder, maybe with a test of it."""
    return os.path.exists(word.partition("::")[0])
