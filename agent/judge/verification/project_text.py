"""The modules of a project as text: which statement binds a name, and what the name means in other modules."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.code.bindings import OTHER, module_bindings
from afterburner.agent.code.context.readable_files import MAX_FILE_BYTES, read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.types import Target

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MOST_STEPS = 12  # imports that are followed for one name


@dataclass(frozen=True)
class ModuleText:
    """A module. `path` is relative to the folder that the project is imported from; None: its imports lead nowhere."""

    tree: ast.Module
    path: PurePosixPath | None = None

    @cached_property
    def bound(self) -> frozenset[str]:
        """The names that the module binds."""
        return frozenset(module_bindings(self.tree.body))

    @cached_property
    def statements(self) -> dict[str, ast.stmt]:
        """The names that one statement at the top of the module binds, and no other, each with the statement."""
        return bound_once(self.tree.body)

    @cached_property
    def data(self) -> frozenset[str]:
        """The names that the module binds, and never to a function, a class or something that it imports."""
        bindings = module_bindings(self.tree.body)
        imported = {name for name, origins in bindings.items() if origins != {OTHER}}
        defined = {each.name for each in _in_scope(self.tree) if isinstance(each, _DEFINITIONS)}
        return frozenset(bindings.keys() - imported - defined)

    def origin(self, node: ast.expr | None) -> str:
        """What an expression means outside of the project: `enum.Enum`, `builtins.ValueError`; empty if unknown."""
        match node:
            case ast.Name(id=name):
                return self._origin_of_name(name)
            case ast.Attribute(value=value, attr=name):
                origin = self.origin(value)
                return f"{origin}.{name}" if origin else ""
            case ast.Subscript(value=value):
                return self.origin(value)
            case ast.Call(func=function):
                return self.origin(function)
        return ""

    def _origin_of_name(self, name: str) -> str:
        match self.statements.get(name):
            case ast.Import(names=names):
                whole = {each.asname or each.name.partition(".")[0]: each for each in names}[name]
                return whole.name if whole.asname else name
            case ast.ImportFrom(module=str(module), names=names, level=0):
                return next(f"{module}.{each.name}" for each in names if (each.asname or each.name) == name)
        return f"builtins.{name}" if name not in self.bound and hasattr(builtins, name) else ""


@dataclass(slots=True)
class ProjectText:
    """The modules below the folder that a project is imported from, as far as they can be read."""

    root: Path | None
    _known: dict[PurePosixPath, ModuleText | None] = field(default_factory=dict)

    @classmethod
    def of(cls, target: Target) -> tuple[ProjectText, ModuleText]:
        """The project of a target, and the module of the target itself."""
        root, path = Path(target.import_root), Path(target.path)
        own = PurePosixPath(path.relative_to(root).as_posix()) if path.is_relative_to(root) else None
        return cls(root), ModuleText(ast.parse(target.source), own)

    def definition(self, module: ModuleText, name: str) -> tuple[ModuleText, ast.stmt] | None:
        """Where a name of a module is defined, through the imports of modules of the project; None: not in there."""
        for _ in range(_MOST_STEPS):
            statement = module.statements.get(name)
            if not isinstance(statement, ast.ImportFrom):
                return None if statement is None else (module, statement)
            name = next(each.name for each in statement.names if (each.asname or each.name) == name)
            found = self._module(module, statement)
            if found is None:
                return None
            module = found
        return None

    def _module(self, importer: ModuleText, statement: ast.ImportFrom) -> ModuleText | None:
        """The module that a statement imports from, if it is one of the project."""
        parts = (statement.module or "").split(".") if statement.module else []
        if importer.path is None or (not statement.level and parts[0] in sys.stdlib_module_names):
            return None
        folder = PurePosixPath()
        if statement.level:
            above = [importer.path.parent, *importer.path.parent.parents]
            if statement.level > len(above):
                return None
            folder = above[statement.level - 1]
        place = folder.joinpath(*parts)
        places = [place / "__init__.py", *([place.with_name(f"{place.name}.py")] if parts else [])]
        return next(filter(None, map(self._read, places)), None)

    def _read(self, path: PurePosixPath) -> ModuleText | None:
        if path not in self._known:
            data = None if self.root is None else read_regular(self.root / path, MAX_FILE_BYTES, within=self.root)
            self._known[path] = None if data is None else _parsed(data, path)
        return self._known[path]


def bound_once(body: Sequence[ast.stmt]) -> dict[str, ast.stmt]:
    """The names that a single statement of a body binds, each with the statement."""
    binding = [(name, statement) for statement in body for name in module_bindings([statement])]
    times = Counter(name for name, _ in binding)
    return {name: statement for name, statement in binding if times[name] == 1}


def _in_scope(node: ast.AST) -> Iterator[ast.AST]:
    """Everything that runs in the scope of a module; of functions and classes the statement alone."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, _DEFINITIONS):
            yield from _in_scope(child)


def _parsed(data: bytes, path: PurePosixPath) -> ModuleText | None:
    try:
        return ModuleText(ast.parse(data), path)
    except (SyntaxError, ValueError, RecursionError):
        return None
