"""Lets CrossHair look for arguments on which two versions of a function differ, and writes the calls as text.

It runs both versions on symbolic values. What it finds may be a difference of these values alone, and the rewrite is in
this process: so nothing is taken from here but the text of calls, which are made again elsewhere.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from importlib.abc import ExecutionLoader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any, Callable

from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MOST_CALLS = 10


def explore_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write calls on which `rewrite`, the text of the file with another version, may differ.

    `cpu_s` is the CPU time of the search.
    """
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    with recorder.removed(module):
        guarded(write, "run", lambda: _explore(request, module, write))


def _explore(request: Request, module: ModuleType, write: Write) -> None:
    original = resolve(module, request["qualname"]).function
    rewrite = vars(_other_version(request, module))[request["qualname"]]
    differences: Any = importlib.import_module("crosshair.diff_behavior")
    options: Any = importlib.import_module("crosshair.options")
    importlib.import_module("crosshair.core_and_libs")  # registers what it knows of the standard library
    info = importlib.import_module("crosshair.fnutil").FunctionInfo.from_fn
    limits = options.AnalysisOptionSet(per_condition_timeout=request["cpu_s"], per_path_timeout=request["cpu_s"] / 4)
    found = differences.diff_behavior(info(original), info(rewrite), options.DEFAULT_OPTIONS.overlay(limits))
    if isinstance(found, str):
        write({"kind": "failed", "stage": "run", "reason": found})
        return
    for each in found[:MOST_CALLS]:
        write({"kind": "suggested", "text": "%s(%s)" % (request["qualname"], _arguments(original, each.args))})


def _arguments(function: Callable[..., Any], known: Any) -> str:
    """The arguments of a call, by position as far as they have to be."""
    shown = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in known:
            by_position = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
            shown.append(known[name] if by_position else "%s=%s" % (name, known[name]))
    return ", ".join(shown)


def _other_version(request: Request, module: ModuleType) -> ModuleType:
    """The file with the other version as a module beside the original's, with the original's classes.

    Objects of two classes are never equal, whatever they hold.
    """
    name = module.__name__ + "_rewritten"
    loader = _Text(request["rewrite"], request["path"])
    other = module_from_spec(ModuleSpec(name, loader, origin=request["path"]))
    sys.modules[name] = other
    loader.exec_module(other)
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__ and name in vars(other):
            vars(other)[name] = value
    return other


class _Text(ExecutionLoader):
    """Loads a module from a text in place of what lies under its path."""

    def __init__(self, text: str, path: str) -> None:
        self._text, self._path = text, path

    def get_source(self, _fullname: str) -> str:
        """The text, whatever it is asked for."""
        return self._text

    def get_filename(self, _fullname: str) -> str:
        """What the module takes for its place."""
        return self._path
