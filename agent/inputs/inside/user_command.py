# ruff: noqa: PTH100, PTH109, PTH120 - os.path is loaded anyway; the harness starts once for each question
"""Runs the Python command that the user gave after `--`, in this process: a script, or a module with `-m`."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
import tempfile
from typing import TYPE_CHECKING, Any, List

from .alarm import has_rung
from .pytest_session import fixed_options, is_path, session_plugins, without_coverage
from .user_code import guarded, run_main

if TYPE_CHECKING:
    from .harness_types import Request, Write


def run_command(request: Request, recorder: Any, write: Write) -> None:
    """Run it under the recorder. `request["command"]` is what stands behind `python`."""
    os.chdir(request["working_directory"])
    as_module, name, arguments = parse(request["command"])
    recorder.origin = request["origin"]
    write_suite = not request["qualname"]
    failures = _Failures(write)
    # Coverage that the command itself takes cannot write into the project, which is read-only.
    os.environ.setdefault("COVERAGE_FILE", tempfile.gettempdir() + "/coverage")
    if as_module:
        sys.path.insert(0, os.getcwd())
        path = guarded(failures.tell, "run", lambda: _file_of(name)) or ""
    else:
        path = os.path.abspath(name)
        sys.path.insert(0, os.path.dirname(path))
    if path and os.path.realpath(path) == os.path.realpath(request["path"]) and request["qualname"]:
        # Under its import name, so that the classes of what it calls with can be found again.
        run_main({**request, "arguments": arguments}, recorder, failures.tell)
    elif path:
        sys.argv = [path, *arguments]
        if as_module and name == "pytest":
            names_paths = any(map(is_path, arguments))
            sys.argv[1:] = _as_project_tests_run(arguments)
            guarded(failures.tell, "run", lambda: _run_pytest(names_paths=names_paths))
        else:
            guarded(failures.tell, "run", lambda: _run(name if as_module else path, as_module=as_module))
    if write_suite:
        failing = ["the command"] if failures.count or has_rung() else []
        write({"kind": "suite", "passed": 1 - len(failing), "failing": failing, "complete": not has_rung()})


def _as_project_tests_run(arguments: List[str]) -> List[str]:
    """The arguments for pytest, without coverage."""
    os.environ.pop("PYTEST_ADDOPTS", None)
    # To rewrite the assertions of plugins takes seconds, and nobody reads the details of a failure.
    return [*fixed_options(), "--assert=plain", *without_coverage(arguments)]


def parse(command: List[str]) -> Any:
    """Whether it is a module, its name or the script's path, and its arguments."""
    if command[0] == "-m":
        return True, command[1], command[2:]
    return False, command[0], command[1:]


def _file_of(module: str) -> str:
    spec = importlib.util.find_spec(module)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(module + ".__main__")
    if spec is None or not spec.origin:
        raise ImportError("there is no module %s that can be run" % module)
    return spec.origin


def _run_pytest(*, names_paths: bool) -> None:
    import pytest  # noqa: PLC0415 - only now is it known to be there

    sys.exit(int(pytest.main(sys.argv[1:], plugins=session_plugins(pytest, choice=True, paths=not names_paths))))


def _run(name: str, *, as_module: bool) -> None:
    if as_module:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(name, run_name="__main__")


class _Failures:
    """Counts what goes wrong on its way to the host."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self.count = 0

    def tell(self, record: Any) -> None:
        """Hand on a record, unless our own alarm has brought it about: that is told by itself."""
        if has_rung():
            return
        self.count += record.get("kind") == "failed" and record.get("stage") != "no_main"
        self._write(record)
