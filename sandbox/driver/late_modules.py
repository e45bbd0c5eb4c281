# ruff: noqa: PTH100, PTH118, PTH120, PTH123 - every Python has os.path loaded when it starts; pathlib takes a while
"""Loads modules of ours that few programs need, among them what knows the types of numpy, pandas and torch.

These are loaded once the program has imported the package; we never do. By then user code has run. So the texts are
read, and what compiles and runs them is bound, before that.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType
from typing import Any, Dict, List

from .tamper_seal import BUILTINS

_compile, _exec, _modules = compile, exec, sys.modules
_PACKAGE = __name__.rpartition(".")[0] + "."
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_KNOWING = (("numpy", "numpy_values"), ("pandas", "pandas_values"), ("torch", "torch_values"))


def _read(name: str) -> str:
    with open(os.path.join(_FOLDER, name + ".py"), encoding="utf-8") as file:
        return file.read()


_SHARED = "array_memory"
_texts: Dict[str, str] = {name: _read(name) for name in (_SHARED, "fixed_clock", *(name for _, name in _KNOWING))}
_shared: Dict[str, ModuleType] = {}
_loaded: Dict[str, ModuleType] = {}


def modules() -> List[Any]:
    """The modules of ours that know a package which is loaded now."""
    for package, name in _KNOWING:
        if name not in _loaded and _is_loaded(package):
            _loaded[name] = load(name)
    return list(_loaded.values())


def _is_loaded(package: str) -> bool:
    """Whether it is there as a whole: a package that is only being imported has no version yet."""
    return "__version__" in vars(_modules.get(package, os))


def load(name: str) -> ModuleType:
    """A module of ours, run anew."""
    if name != _SHARED and not _shared:
        _shared[_SHARED] = load(_SHARED)
    module = ModuleType(_PACKAGE + name)
    module.__file__ = os.path.join(_FOLDER, name + ".py")
    # What they need of one another is given to them, since it cannot be imported any more.
    vars(module).update(_loaded, **_shared, __builtins__=BUILTINS)
    _exec(_compile(_texts[name], module.__file__, "exec", dont_inherit=True), vars(module))
    return module
