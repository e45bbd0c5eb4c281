# ruff: noqa: PTH119, PTH120 - every Python has os.path loaded when it starts; pathlib takes a while
"""Imports the user's module with other text in place of its file, and finds the function in it."""

from __future__ import annotations

import functools
import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from types import FunctionType, ModuleType
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from . import executed_modules

_TAKES_MORE = 0x04  # inspect.CO_VARARGS


class _TextLoader(SourceFileLoader):
    """Loads one module from text that we hold; to everything else it looks like the loader of its file."""

    def __init__(self, name: str, path: str, source: str) -> None:
        super().__init__(name, path)
        self._source = source.lstrip("\ufeff")

    def get_source(self, fullname: str) -> str:  # noqa: ARG002 - the loader's interface
        return self._source

    def get_code(self, fullname: str) -> Any:  # noqa: ARG002 - likewise
        # Never from a cached .pyc: that holds the original. As text, so a coding line has no say any more.
        return compile(self._source, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        executed_modules.remember(module, self.name)


class _TextFinder:
    """Finds that one module under its import name, whoever imports it."""

    def __init__(self, name: str, path: str, source: str) -> None:
        self._name = name
        self._path = path
        self._source = source

    def find_spec(self, fullname: str, _path: Any = None, _target: Any = None) -> Optional[ModuleSpec]:
        """The spec of our module, None for every other."""
        if fullname != self._name:
            return None
        is_package = os.path.basename(self._path) == "__init__.py"
        return spec_from_file_location(
            fullname,
            self._path,
            loader=_TextLoader(fullname, self._path, self._source),
            submodule_search_locations=[os.path.dirname(self._path)] if is_package else None,
        )


def install_target(module_name: str, path: str, source: str, import_paths: Sequence[str]) -> None:
    """Let `source` stand in for the file at `path` from now on, for whoever imports `module_name`.

    Tracebacks and `inspect` get the text from the loader, if no file with the same text lies at `path`.
    """
    sys.path[:0] = [entry for entry in import_paths if entry not in sys.path]
    sys.meta_path.insert(0, _TextFinder(module_name, path, source))
    sys.modules.pop(module_name, None)  # a file of the user's may be called like a module that we have imported


def load_target(module_name: str, path: str, source: str, import_paths: Sequence[str]) -> ModuleType:
    """Import `module_name` with `source` as its text; it is `__main__` as well.

    The alias lets objects that were pickled when the file ran as a script find their classes. Whatever the
    module's own code raises comes out as it is. The module is the one that was executed, whatever it has put in its
    place in `sys.modules`.
    """
    install_target(module_name, path, source, import_paths)
    module: ModuleType = executed_modules.imported(module_name)
    sys.modules["__main__"] = module
    return module


class Resolved(NamedTuple):
    """The callable behind a qualified name.

    `function` takes every argument explicitly: `self` or `cls` first where there is one. `kind` is `function`,
    `method`, `static`, `class` or `property`. `owner` is the class that was named, None for a function.
    """

    function: Callable[..., Any]
    kind: str
    owner: Optional[type]


def attribute_names(qualname: str) -> List[str]:
    """The names under which a module, then each class, holds what `Class.name` is called in the text.

    A class holds `__name` as `_Class__name` (Python's reference, "Private name mangling").
    """
    names = qualname.split(".")
    held = names[:1]
    for owner, name in zip(names, names[1:]):  # noqa: B905, RUF007 - for Python 3.9
        is_private = name.startswith("__") and not name.endswith("__") and owner.strip("_")
        held.append("_%s%s" % (owner.lstrip("_"), name) if is_private else name)
    return held


def resolve(module: ModuleType, qualname: str) -> Resolved:
    """Find `name` or `Class.name` in the module.

    Raises:
        LookupError: nothing of that name is there, or it cannot be called; the message says which.
    """
    parts = attribute_names(qualname)
    owner: Any = None
    namespace: Any = module
    for part in parts[:-1]:
        found = vars(namespace).get(part)
        if not isinstance(found, type):
            raise LookupError("%s has no class %r" % (_describe(module, namespace), part))  # noqa: TRY004 - not found, whatever the reason
        owner = namespace = found
    name = parts[-1]
    value = _find_attribute(owner, name) if owner is not None else vars(module).get(name, _MISSING)
    if value is _MISSING:
        raise LookupError("%s has no function %r once it is loaded" % (_describe(module, namespace), name))
    resolved = _unbind(value, owner)
    if not callable(resolved.function):
        name = type(value).__name__
        raise LookupError("%s.%s is no function but a %s" % (module.__name__, qualname, name))  # noqa: TRY004 - likewise
    return resolved


_MISSING: Any = object()


def _find_attribute(owner: type, name: str) -> Any:
    """The raw attribute, as the class or the nearest of its bases holds it: no descriptor is triggered."""
    for candidate in owner.__mro__:
        if name in vars(candidate):
            return vars(candidate)[name]
    return _MISSING


def _unbind(value: Any, owner: Optional[type]) -> Resolved:
    if owner is None:
        return Resolved(value, "function", None)
    if isinstance(value, staticmethod):
        return Resolved(value.__func__, "static", owner)
    if isinstance(value, classmethod):
        return Resolved(value.__func__, "class", owner)
    if isinstance(value, property):
        return Resolved(value.fget or _MISSING, "property", owner)
    if isinstance(value, functools.cached_property):
        return Resolved(value.func, "property", owner)
    return Resolved(value, "method", owner)


def _describe(module: ModuleType, namespace: Any) -> str:
    if namespace is module:
        return "module %s" % module.__name__
    return "class %s of module %s" % (namespace.__qualname__, module.__name__)


def unwrap(function: Any) -> Optional[FunctionType]:
    """The plain Python function inside decorators that tell what they wrap; None if there is none."""
    for _ in range(32):
        if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):
            return function
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    return function if isinstance(function, FunctionType) else None


def parameters(function: Any) -> List[str]:
    """Names for messages only, `*rest` as the last if there is one; they are no part of an outcome."""
    plain = unwrap(function)
    if plain is None:
        return []
    code = plain.__code__
    names = list(code.co_varnames[: code.co_argcount])
    if code.co_flags & _TAKES_MORE:
        names.append("*" + code.co_varnames[code.co_argcount + code.co_kwonlyargcount])
    return names
