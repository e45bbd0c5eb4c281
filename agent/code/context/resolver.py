"""Follows names from file to file: what a name of a module means, through its imports, inside the project."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from afterburner.agent.code.bindings import module_bindings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.code.context.readable_files import ProjectFiles

_MOST_STEPS = 12  # imports that are followed for one name
_SOURCE_FOLDERS = ("src", "lib")


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined: a statement of a file of the project, or a whole module (`node` is None)."""

    path: PurePosixPath
    name: str
    node: ast.stmt | None


class Resolver:
    """Finds definitions in the files of a project."""

    def __init__(self, files: ProjectFiles, import_root: PurePosixPath) -> None:
        """Look modules up below `import_root` (a path in the project), then where projects usually keep them."""
        self._files = files
        self._roots = tuple(dict.fromkeys([import_root, PurePosixPath(), *map(PurePosixPath, _SOURCE_FOLDERS)]))
        self._bound: dict[PurePosixPath, dict[str, ast.stmt]] = {}

    def module(self, name: str, level: int, importer: PurePosixPath) -> PurePosixPath | None:
        """Give the file of a module, as `importer` names it (`level` counts the dots in front)."""
        parts = name.split(".") if name else []
        roots = self._roots
        if level:
            folder = importer.parent
            for _ in range(level - 1):
                folder = folder.parent
            roots = (folder,)
        else:
            roots = (*roots, importer.parent)
        for root in roots:
            place = root.joinpath(*parts)
            for candidate in (place / "__init__.py", place.with_name(f"{place.name}.py") if place.name else place):
                if candidate in self._files:
                    return candidate
        return None

    def find(self, path: PurePosixPath, dotted: str) -> Definition | None:
        """Find what a dotted name means in a module: a definition of the project, or None.

        Of `item.price`, where `item` is a class of the project, it is the class.
        """
        first, *rest = dotted.split(".")
        found = self._name(path, first, frozenset())
        for part in rest:
            if found is None or found.node is not None:
                break
            found = self._member(found.path, part, frozenset())
        return found

    def statements(self, path: PurePosixPath) -> dict[str, ast.stmt]:
        """Map the names that a module binds to the statement that does so last."""
        if path not in self._bound:
            tree = self._files.tree(path)
            self._bound[path] = {
                name: statement
                for statement in (_flat(tree.body) if tree else ())
                for name in module_bindings([statement])
            }
        return self._bound[path]

    def _name(self, path: PurePosixPath, name: str, seen: frozenset[tuple[PurePosixPath, str]]) -> Definition | None:
        if (path, name) in seen or len(seen) > _MOST_STEPS:
            return None
        seen |= {(path, name)}
        statement = self.statements(path).get(name)
        if isinstance(statement, ast.Import):
            return self._imported(path, statement, name)
        if isinstance(statement, ast.ImportFrom):
            return self._imported_from(path, statement, name, seen)
        if statement is not None:
            return Definition(path, name, statement)
        return self._by_star(path, name, seen)

    def _member(self, path: PurePosixPath, name: str, seen: frozenset[tuple[PurePosixPath, str]]) -> Definition | None:
        """What `module.name` means: a name of the module, or a module in the package."""
        found = self._name(path, name, seen)
        if found is None and path.name == "__init__.py":
            inner = self.module(name, 1, path)
            return Definition(inner, name, None) if inner else None
        return found

    def _imported(self, path: PurePosixPath, statement: ast.Import, name: str) -> Definition | None:
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                file = self.module(alias.name if alias.asname else name, 0, path)
                if file is not None:
                    return Definition(file, name, None)
        return None

    def _imported_from(
        self, path: PurePosixPath, statement: ast.ImportFrom, name: str, seen: frozenset[tuple[PurePosixPath, str]]
    ) -> Definition | None:
        for alias in statement.names:
            if (alias.asname or alias.name) != name:
                continue
            file = self.module(statement.module or "", statement.level, path)
            if file is not None:
                return self._member(file, alias.name, seen)
            inner = self.module(f"{statement.module or ''}.{alias.name}".strip("."), statement.level, path)
            return Definition(inner, name, None) if inner else None
        return None

    def _by_star(self, path: PurePosixPath, name: str, seen: frozenset[tuple[PurePosixPath, str]]) -> Definition | None:
        if name.startswith("_"):
            return None
        tree = self._files.tree(path)
        for statement in reversed(tree.body if tree else []):
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                file = self.module(statement.module or "", statement.level, path)
                found = self._name(file, name, seen) if file else None
                if found is not None:
                    return found
        return None


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield a module's statements, and those below `if` and `try` instead of these."""
    for statement in body:
        if isinstance(statement, ast.If | ast.Try):
            yield from _flat(statement.body)
            for handler in getattr(statement, "handlers", ()):
                yield from _flat(handler.body)
            yield from _flat(statement.orelse)
        else:
            yield statement
