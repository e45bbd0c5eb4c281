"""What the user's file of calls defines, so that its functions and classes can be arguments of the calls.

The harness runs that file once, as the module `__calls__`. A blob that names anything of it carries the file's text.
Whoever reads such a blob gets a module of that name, in which a top-level statement is executed when a name that it
binds is asked for: so a function, a class, and what they use are there, and no call is made again. The name belongs to
no file, so that no module of the project is hidden.
"""

from __future__ import annotations

import _ast
import json
import struct
import sys
from types import CodeType, ModuleType
from typing import Any, Iterator, List, NamedTuple, Optional, Set

from . import code_names, executed_modules

NAME = "__calls__"
_MARK = b"D"  # no pickle begins with it
_LENGTH = struct.Struct(">I")
_execute = exec  # this is the sandbox
_ONLY_TREE = 0x400  # what `ast.parse` tells `compile`


class _Statement(NamedTuple):
    """A statement at the top of the file, and the names that it reads and binds."""

    code: CodeType
    reads: Set[str]
    binds: Set[str]
    binds_all: bool  # `from module import *`


class Definitions:
    """The file of calls; it is the loader of its module, so that tracebacks find the text."""

    def __init__(self, path: str, source: str, target: str) -> None:
        """`target` is the name of the module of the function that is called: its names are known in the file."""
        self.path, self.source, self.target = path, source, target
        self._statements: Optional[List[_Statement]] = None
        self._executed: Set[int] = set()
        self._module = ModuleType(NAME)

    def install(self) -> ModuleType:
        """Make it the module `__calls__`, with nothing executed yet."""
        vars(self._module).update({"__file__": self.path, "__loader__": self, "__getattr__": self._find})
        sys.modules[NAME] = self._module
        return self._module

    def get_source(self, _name: str) -> str:
        """The text, for tracebacks."""
        return self.source

    def run_as_a_whole(self) -> None:
        """From now on somebody else executes the file: nothing is to be supplied."""
        vars(self._module).pop("__getattr__", None)

    def _find(self, name: str) -> Any:
        """The module's `__getattr__`: execute what binds the name."""
        if not name.startswith("__"):
            self.supply({name})
        if name in vars(self._module):
            return vars(self._module)[name]
        raise AttributeError("the file of calls %s defines no %r" % (self.path, name))

    def supply(self, names: Set[str]) -> None:
        """Execute the statements that bind these names, and those that they need, in the file's order."""
        if "__getattr__" not in vars(self._module):
            return  # the file has run as a whole
        if self._statements is None:
            self._statements = list(_statements(self.source, self.path))
        chosen: Set[int] = set()
        waiting, known = list(names), set(names)
        while waiting:
            name = waiting.pop()
            for number, statement in enumerate(self._statements):
                if number not in chosen and (name in statement.binds or statement.binds_all):
                    chosen.add(number)
                    waiting += statement.reads - known
                    known |= statement.reads
        target = vars(executed_modules.named(self.target) or sys)
        namespace = vars(self._module)
        for name in known:
            if name in target and not name.startswith("__"):
                namespace.setdefault(name, target[name])
        namespace.setdefault(self.target.rpartition(".")[2], sys.modules.get(self.target))
        for number in sorted(chosen - self._executed):
            self._executed.add(number)
            _execute(self._statements[number].code, namespace)


def with_definitions(blob: bytes) -> bytes:
    """The pickle of a call, together with the file of calls if it names anything of it."""
    held = _installed()
    if held is None or NAME.encode("ascii") not in blob:
        return blob
    header = json.dumps([held.path, held.source, held.target]).encode("ascii")
    return _MARK + _LENGTH.pack(len(header)) + header + blob


def without_definitions(blob: bytes) -> bytes:
    """The pickle in a blob; what it names of the file of calls can be found from now on."""
    if blob[:1] != _MARK:
        return blob
    (length,) = _LENGTH.unpack_from(blob, 1)
    begin = 1 + _LENGTH.size
    if _installed() is None:
        Definitions(*json.loads(blob[begin : begin + length])).install()
    return blob[begin + length :]


def supply(names: Set[str]) -> None:
    """Execute what binds these names in the file of calls: a function of it is about to use them."""
    held = _installed()
    if held is not None:
        held.supply(names)


def _installed() -> Optional[Definitions]:
    held = getattr(sys.modules.get(NAME), "__loader__", None)
    return held if type(held) is Definitions else None


def _statements(source: str, path: str) -> Iterator[_Statement]:
    tree: Any = compile(source, path, "exec", _ONLY_TREE, dont_inherit=True)
    future = [node for node in tree.body if type(node) is _ast.ImportFrom and node.module == "__future__"]
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop(0)
        if type(node) is _ast.If and _compares_its_name(node.test):
            waiting[:0] = node.body
        elif type(node) is not _ast.Expr and node not in future:
            code = compile(_ast.Module(body=[*future, node], type_ignores=[]), path, "exec", dont_inherit=True)
            changed = {name for target in _targets(node) for name in _owner(target)}
            reads = {name for name, is_write in code_names.global_names(code) if not is_write}
            binds_all = type(node) is _ast.ImportFrom and node.names[0].name == "*"
            yield _Statement(code, reads, code_names.bound_names(code) | changed, binds_all)


def _compares_its_name(test: Any) -> bool:
    return type(test) is _ast.Compare and type(test.left) is _ast.Name and test.left.id == "__name__"


def _targets(node: Any) -> List[Any]:
    found = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return list(found)


def _owner(target: Any) -> Iterator[str]:
    """The name whose value an assignment such as `table[key] = value` changes."""
    while type(target) in (_ast.Subscript, _ast.Attribute):
        target = target.value
    if type(target) is _ast.Name:
        yield target.id
