# ruff: noqa: PTH119, PTH120 - os.path is loaded anyway; the harness starts once for each question
"""Changes the target's file when it is executed: installs the recorder right after the function's definition.

So `from module import function`, anywhere, already finds the recorded function, also in a package's `__init__`
that imports it again, and calls that the file makes at top level are seen.
"""

from __future__ import annotations

import ast
import functools
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

from ....sandbox.driver.executed_modules import named, remember

if TYPE_CHECKING:
    from types import CodeType, ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request

_STATE: Dict[str, Recorder] = {}


def watch(request: Request, recorder: Recorder) -> None:
    """From now on whoever imports the target's file gets its function recorded, under whatever module name."""
    _STATE["recorder"] = recorder
    change_file(request, functools.partial(_insert_installation, names=recorder.names), recorder.install)


def change_file(
    request: Request, change: Callable[[ast.Module], None], loaded: Optional[Callable[[ModuleType], None]] = None
) -> None:
    """From now on whoever imports the target's file gets it changed; `loaded` is called when it has been executed.

    The source in the request stands in for what is on the disk.
    """
    sys.meta_path.insert(0, _Finder(request, change, loaded))


def installed(module_name: str) -> None:
    """Called by the target's module itself, after the definition."""
    recorder = _STATE.get("recorder")
    module = named(module_name)
    if recorder is not None and module is not None:
        recorder.install(module)


def recorded(function: Any) -> Any:
    """Called by the body of a class, after the definition: what is made of the method there gets the recorded one."""
    recorder = _STATE.get("recorder")
    return function if recorder is None else recorder.in_class_body(function)


class _Finder(MetaPathFinder):
    def __init__(
        self, request: Request, change: Callable[[ast.Module], None], loaded: Optional[Callable[[ModuleType], None]]
    ) -> None:
        self._module_name, self._path, self._source = request["module"], request["path"], request["source"]
        self._change, self._loaded = change, loaded
        is_package = os.path.basename(self._path) == "__init__.py"
        self._submodules = [os.path.dirname(self._path)] if is_package else None
        self._leaf = self._module_name.rpartition(".")[2]

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[ModuleSpec]:
        if fullname.rpartition(".")[2] != self._leaf:
            return None
        if fullname != self._module_name:
            spec = PathFinder.find_spec(fullname, path, target)
            if spec is None or not spec.origin or os.path.realpath(spec.origin) != os.path.realpath(self._path):
                return None
        loader = _Loader(fullname, self._path, self._source, self._change, self._loaded)
        return spec_from_file_location(fullname, self._path, loader=loader, submodule_search_locations=self._submodules)


class _Loader(SourceFileLoader):
    def __init__(
        self,
        fullname: str,
        path: str,
        source: str,
        change: Callable[[ast.Module], None],
        loaded: Optional[Callable[[ModuleType], None]],
    ) -> None:
        super().__init__(fullname, path)
        self._source, self._change, self._loaded = source, change, loaded

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - importlib's signature
        # Not from __pycache__: the change would not be in there.
        tree = ast.parse(self._source, self.path)
        self._change(tree)
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        remember(module, self.name)
        if self._loaded is not None:
            self._loaded(module)  # to install the recorder again: the file may have said `f = cache(f)`


def _insert_installation(tree: ast.Module, names: Sequence[str]) -> None:
    """Put a call of `installed` behind every top-level definition of the first name, also inside `if` and `try`.

    Of a method, put one of `recorded` behind its definition, too: the class may build others of it (`x = property(f)`).
    """
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    name, inner = names[0], names[1:]

    def visit(body: List[Any]) -> None:
        for index in range(len(body) - 1, -1, -1):
            node = body[index]
            if isinstance(node, definitions):
                if node.name == name:
                    body.insert(index + 1, _hook("installed(__name__)", node))
                    if isinstance(node, ast.ClassDef) and inner:
                        _insert_recording(node, inner)
                continue
            for field in ("body", "orelse", "finalbody"):
                visit(getattr(node, field, None) or [])
            for handler in getattr(node, "handlers", ()):
                visit(handler.body)

    visit(tree.body)


def _insert_recording(owner: ast.ClassDef, names: Sequence[str]) -> None:
    """Put `method = recorded(method)` behind the plain definitions of a method in the body of its class."""
    for index in range(len(owner.body) - 1, -1, -1):
        node = owner.body[index]
        if isinstance(node, ast.ClassDef) and node.name == names[0] and len(names) > 1:
            _insert_recording(node, names[1:])
        elif isinstance(node, ast.FunctionDef) and [node.name] == list(names) and not node.decorator_list:
            owner.body.insert(index + 1, _hook("recorded(%s)" % node.name, node, into=node.name))


def _hook(call: str, node: ast.stmt, into: str = "") -> ast.stmt:
    """A statement that makes a call of this module, in the place of a definition."""
    text = "__import__(%r, fromlist=['installed']).%s" % (__name__, call)
    hook = ast.parse("%s = %s" % (into, text) if into else text).body[0]
    for part in ast.walk(hook):
        ast.copy_location(part, node)
    return hook
