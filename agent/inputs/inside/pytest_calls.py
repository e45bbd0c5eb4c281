# ruff: noqa: PTH113, PTH118, PTH119 - os.path is loaded anyway; the harness starts once for each question
"""Runs the project's pytest tests that may reach the target, under the recorder."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Pattern, Tuple

from ....sandbox.driver.made_functions import modules_of_tests
from .alarm import has_rung
from .pytest_session import fixed_options, session_plugins
from .user_code import guarded

if TYPE_CHECKING:
    from .call_recorder import Recorder
    from .harness_types import Request, Write

MAX_FILES = 20
MAX_FILE_BYTES = 1024 * 1024
MAX_VISITED = 20_000
MAX_FAILING = 1000  # tests that are told by name
MAX_TOLD = 10  # of these also among what gives no calls
MAX_REASON = 300  # characters of why one fails
BAD_EXIT_CODES = (2, 3, 4)  # interrupted (by errors in collection, for instance), internal error, wrong usage
NO_TESTS = 5
LEFT = "pytest left"  # with an exit code
NO_PYTEST = "pytest is not installed"
TEST_FAILS = "the test fails here: "  # before why
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t][^\n(]*import[ \t]*\([^)]*|(?:from|import)[ \t].*)", re.MULTILINE)
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)
_DOCTEST = ".doctest"  # the end of a name
_OF_DOCTESTS = re.compile(r".+\.doctest|test.*\.(?:txt|rst)")  # names of files that are no Python
_MARKED = re.compile(r"^E\s+")  # as pytest begins the lines of an exception
_NO_FIXTURE = re.compile(r"^E\s+(fixture '[^']*' not found)")
_OF_SYNTAX = re.compile(r"(SyntaxError|IndentationError|TabError)\b")
_PLACE = re.compile(r'^(?:E\s+)?\s*File "([^"<>]+)", line (\d+)$')
# Plugins that reorder or stop tests, or write files. They define no fixture that a test would miss. Those that do
# (xdist, pytest-benchmark, pytest's own cache) are loaded, and do nothing else without their options. A plugin that
# is not installed is no error here.
UNWANTED_PLUGINS = ("randomly", "random_order", "timeout", "sugar", "hypothesispytest")
WRONG_USAGE = 4


def run_tests(request: Request, recorder: Recorder, write: Write) -> None:
    """Find test files by a look at their text, then run them in this process."""
    whole_suite = bool(request.get("whole_suite"))
    files = [] if whole_suite else request.get("test_files")  # where nothing is told, the text of the tests tells it
    root = request["project_root"]
    there = [name for name in files or () if os.path.isfile(os.path.join(root, name))]
    if files is None:
        files = find_test_files(root, request["module"], recorder.names, request.get("indirect", ""))
    elif len(there) < len(files):
        # They were found in another revision, which has added some, or has others under another name.
        known = find_test_files(root, request["module"], recorder.names)
        files = there + [name for name in known if name not in there]
    if not files and not whole_suite:
        write({"kind": "failed", "stage": "no_tests", "reason": "no test file of the project mentions it"})
        return
    if importlib.util.find_spec("pytest") is None:
        which = ", ".join(files[:3]) or "the tests"
        reason = "%s would be run, but %s: %s -m pip install pytest" % (which, NO_PYTEST, sys.executable)
        write({"kind": "failed", "stage": "no_pytest", "reason": reason})
        return
    import pytest  # noqa: PLC0415 - only now is it known to be there

    os.environ.pop("PYTEST_ADDOPTS", None)
    os.chdir(request["project_root"])
    sys.path.extend([request["project_root"]])
    arguments = [
        "-q",
        "--no-header",
        "--tb=line",
        "--assert=plain",  # nobody reads the details of a failure, and rewriting plugins takes seconds
        "--maxfail=50",
        "--rootdir",
        request["project_root"],
        *fixed_options(),
        "--continue-on-collection-errors",  # one broken file must not stop the others
    ]
    if whole_suite or request.get("every_failure"):
        arguments += ["--maxfail=0"]
    if any(name.endswith(_DOCTEST) for name in files):
        arguments.append("--doctest-glob=*" + _DOCTEST)
    for unwanted in UNWANTED_PLUGINS:
        arguments += ["-p", "no:" + unwanted]
    plugin = _Plugin(recorder, request["module"], request["project_root"])
    pytest.hookimpl(tryfirst=True)(_Plugin.pytest_sessionfinish)
    code = guarded(write, "run", lambda: _run_session(pytest, [*arguments, *files], plugin, whole_suite=whole_suite))
    _tell(plugin, code, write, whole_suite=whole_suite)


def _tell(plugin: _Plugin, code: Optional[int], write: Write, *, whole_suite: bool) -> None:
    """What came of the tests; `code` is None if pytest itself failed."""
    for name, reason in plugin.failed:
        write({"kind": "skipped", "origin": "pytest: " + name, "reason": reason})
    if whole_suite and plugin.skipped and not plugin.passed:
        reason = "%d skipped, the last of them for this reason: %s" % (plugin.skipped, plugin.last_skip)
        write({"kind": "skipped", "origin": "pytest", "reason": reason})
    if whole_suite and code == NO_TESTS:
        write({"kind": "failed", "stage": "no_tests", "reason": "pytest finds no tests in the project"})
    complete = code in (0, 1) and not plugin.was_stopped
    suite = {"passed": plugin.passed, "failing": plugin.failing, "reasons": plugin.reasons, "complete": complete}
    write({"kind": "suite", **suite})
    if code in BAD_EXIT_CODES and not has_rung():
        write({"kind": "failed", "stage": "run", "reason": "%s with exit code %d" % (LEFT, code)})


def _run_session(pytest: Any, arguments: List[str], plugin: _Plugin, *, whole_suite: bool) -> int:
    plugins = session_plugins(pytest, choice=whole_suite, paths=whole_suite)
    try:
        code = int(pytest.main([*arguments], plugins=[plugin, *plugins]))  # a copy: pytest adds the project's to it
        if code != WRONG_USAGE or plugins[0].begun:
            return code
        # An older pytest-benchmark opens the file of `--benchmark-json` as soon as it sees the option.
        return int(pytest.main([*arguments, "-p", "no:benchmark"], plugins=[plugin, *plugins]))
    except _SessionEnded:
        return plugin.exit_code


def find_test_files(root: str, module: str, names: List[str], indirect: str = "") -> List[str]:
    """Paths of test files, relative to `root`: first those that name module and function, then the module, then others.

    Files with doctests count, too: `*.doctest`, and `test*.txt` and `test*.rst` that hold an example.
    A file that names only the function is of use if its package hands the function on; otherwise another function is
    likely to be meant, and it is left out if there are files that name the module. With `indirect` as `too`, files come
    last that name a module of the project which imports the function's, directly or through others; as `alone`, these
    are all. Of these, files with a word of the module in their name come first: `test_vi.py` for `lang_VI`.
    """
    package, _, leaf = module.rpartition(".")
    names_function = _words(names)
    names_module, names_package = _words([leaf]), _words([package.partition(".")[0] or leaf])
    both: List[str] = []
    module_only: List[str] = []
    package_only: List[str] = []
    function_only: List[str] = []
    importers_only: List[str] = []
    importers = _importers(root, leaf) if indirect else []
    names_importer = _words(importers or [leaf])
    for path in _files(root, _is_of_tests):
        text = _text_of(path)
        if path.endswith(".py"):
            text = _COMMENT.sub("", text)  # names of modules are words of English, too
        elif ">>>" not in text:
            continue
        if names_module.search(text):
            (both if names_function.search(text) else module_only).append(path)
        elif names_function.search(text):
            (package_only if names_package.search(text) else function_only).append(path)
        elif names_importer.search(text):
            importers_only.append(path)
    direct = sorted(both) + sorted(package_only) + sorted(module_only) or sorted(function_only)
    akin = _name_words(leaf)
    importers_only.sort(key=lambda path: (not akin & _name_words(os.path.basename(path)), path))
    found = ([] if indirect == "alone" else direct) + importers_only
    return [os.path.relpath(path, root) for path in found[:MAX_FILES]]


def _words(names: List[str]) -> Pattern[str]:
    return re.compile(r"\b(%s)\b" % "|".join(map(re.escape, names)))


def _name_words(name: str) -> FrozenSet[str]:
    return frozenset(re.findall(r"[a-z0-9]+", name.lower())) - {"test", "tests", "py"}


def _importers(root: str, leaf: str) -> List[str]:
    """Names of the project's modules that import the one called `leaf`, directly or through others."""
    imports: Dict[str, List[str]] = {}
    for path in _files(root, lambda name: name.endswith(".py") and not _is_test(name)):
        folder, name = os.path.split(path)
        module = os.path.basename(folder) if name == "__init__.py" else name[: -len(".py")]
        imports.setdefault(module, []).extend(_IMPORT.findall(_text_of(path)))
    found, new = [leaf], [leaf]
    while new:
        names = _words(new)
        new = [module for module, lines in imports.items() if module not in found and names.search("\n".join(lines))]
        found += new
    return found[1:]


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - plain and quick
        return file.read(MAX_FILE_BYTES)


def _is_test(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith("_test.py") or name == "tests.py"


def _is_of_tests(name: str) -> bool:
    return _is_test(name) if name.endswith(".py") else _OF_DOCTESTS.fullmatch(name) is not None


def _files(root: str, wanted: Callable[[str], object]) -> Iterator[str]:
    """Paths of the files whose names are wanted."""
    visited = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if _may_hold_tests(os.path.join(folder, name)))
        for name in files:
            visited += 1
            if visited > MAX_VISITED:
                return
            if wanted(name):
                yield os.path.join(folder, name)


def _may_hold_tests(folder: str) -> bool:
    """Whether a folder may be of the project itself: not one with packages that are installed, whatever its name."""
    name = os.path.basename(folder)
    if name.startswith(".") or name == "node_modules" or name.endswith("-packages"):
        return False
    return not any(os.path.lexists(os.path.join(folder, mark)) for mark in ("pyvenv.cfg", "conda-meta"))


class _SessionEnded(BaseException):
    """All tests have run. No `Exception`, so that plugins that catch those let it through."""


class _Plugin:
    """Tells the recorder which test is running, and remembers what failed."""

    def __init__(self, recorder: Recorder, target: str, root: str) -> None:
        self._recorder, self._target, self._root = recorder, target, root
        self.failed: List[Tuple[str, str]] = []
        self.passed = 0
        self.failing: List[str] = []
        self.reasons: List[str] = []  # why, each
        self.skipped, self.last_skip = 0, ""
        self.exit_code = 0
        self.was_stopped = False

    def pytest_collection_finish(self) -> None:
        """Let the functions of tests go along with a call: their modules are not imported where it is repeated."""
        for name, module in list(sys.modules.items()):
            path = getattr(module, "__file__", None)
            if type(path) is str and name != self._target and (_is_test(path) or path.endswith("/conftest.py")):
                modules_of_tests.add(name)

    def pytest_runtest_setup(self, item: Any) -> None:
        """Name the test's file as the origin of what comes."""
        self._recorder.origin = "pytest: " + item.nodeid.split("::")[0]

    def pytest_collectreport(self, report: Any) -> None:
        """A file that cannot be imported is a failure, too."""
        self._remember(report)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Remember a test that fails."""
        self._remember(report)

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        """Leave before the summaries: nobody reads them, and some plugins import much for theirs."""
        self.exit_code = int(exitstatus)
        self.was_stopped = bool(session.shouldfail or session.shouldstop)  # --maxfail does not show in the exit code
        raise _SessionEnded

    def _remember(self, report: Any) -> None:
        if report.failed and has_rung():
            return
        if report.failed and len(self.failing) < MAX_FAILING:
            why = _why(str(report.longrepr).strip().splitlines(), self._root)
            self.failing.append(report.nodeid)
            self.reasons.append(why[:MAX_REASON])
            if len(self.failed) < MAX_TOLD:
                self.failed.append((report.nodeid, TEST_FAILS + why))
        if report.skipped:
            self.skipped += 1
            self.last_skip = str(report.longrepr[-1]) if isinstance(report.longrepr, tuple) else "expected to fail"
        self.passed += report.passed and getattr(report, "when", "") == "call"


def _why(lines: List[str], root: str) -> str:
    """The last line of what pytest says of a failure; of a syntax error also where it is, from the project's root.

    Of a fixture that is not there, which its last lines do not name, the first one that says so.
    """
    missing = next((found for found in map(_NO_FIXTURE.match, lines) if found is not None), None)
    if missing is not None:
        return "%s; if a plugin of pytest defines it, install that for %s" % (missing[1], sys.executable)
    last = _MARKED.sub("", lines[-1]).strip() if lines else "it failed"
    if not _OF_SYNTAX.match(last):
        return last
    places = [place for place in map(_PLACE.search, lines) if place is not None]
    if not places:
        return last
    path, line = places[-1].groups()
    return "%s:%s: %s" % (path[len(root) + 1 :] if path.startswith(root + "/") else path, line, last)
