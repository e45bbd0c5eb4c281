"""Which modules a rewrite may import: the standard library's, the project's, and libraries that the user allows."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.code.context.imports import imports_of
from afterburner.agent.code.context.installed import Distribution, normalized
from afterburner.agent.code.context.mentions import is_test
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import PurePosixPath

    from afterburner.agent.code.context.readable_files import ProjectFiles
    from afterburner.agent.code.context.resolver import Resolver

ALL = "all"
_GIVEN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
_TOLD = 40  # distributions named to a model
_MOST_FILES = 200  # of the project that an import may bring in its turn
_BESIDE = frozenset(("doc", "docs", "bench", "benchmark", "benchmarks", "example", "examples", "scripts", "tools"))


def read_allow_imports(text: str) -> tuple[str, ...]:
    """Read the value of `--allow-imports`: names of modules or distributions with commas between, or `all`.

    Raises:
        UsageError: a part is no name.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if not _GIVEN.fullmatch(name):
            raise UsageError(f"--allow-imports takes names such as numpy,scipy, or all; {name!r} is not one.")
    if ALL in names and len(names) > 1:
        raise UsageError("--allow-imports takes all, or names: not both.")
    return names


@dataclass(frozen=True, slots=True)
class ImportRules:
    """Decides on the modules that a rewrite imports and the original does not."""

    allowed: tuple[str, ...]
    installed: tuple[Distribution, ...]
    files: ProjectFiles
    resolver: Resolver
    own_file: PurePosixPath

    def objection(self, imports: Sequence[tuple[str, int]]) -> str | None:
        """Why these (see `imports.new_imports`) may not be imported, in a sentence that says what to do, or None."""
        for name, level in imports:
            problem = self._own(name, level) if level else self._absolute(name)
            if problem is not None:
                return problem
        return None

    def told(self) -> str:
        """What a model is told that it may import, in the words of what `objection` lets through."""
        parts = ["the standard library", "modules of the project itself"]
        already = sorted(self._libraries(self.own_file))
        if already:
            parts.append(f"libraries that the file imports already ({', '.join(already)})")
        allowed = [each for each in self.installed if self._is_allowed(each)]
        if allowed:
            more = f" and {len(allowed) - _TOLD} more" if len(allowed) > _TOLD else ""
            parts.append(f"these installed libraries: {', '.join(map(_told, allowed[:_TOLD]))}{more}")
        listed = f"{', '.join(parts[:-1])}{',' if len(parts) > 2 else ''} and {parts[-1]}"
        return (
            f"New import statements may name {listed}; no others, and nothing may be imported by a name that is data "
            "(`importlib.import_module`)."
        )

    def _absolute(self, module: str) -> str | None:
        top = module.partition(".")[0]
        own = self.resolver.module(module, 0, self.own_file) or self.resolver.module(top, 0, self.own_file)
        if own is not None:
            return self._of_project(own, module, 0)
        return self._library(top, f"it imports {top}")

    def _own(self, module: str, level: int) -> str | None:
        path = self.resolver.module(module, level, self.own_file)
        return self._of_project(path, module, level) if path is not None else None

    def _of_project(self, path: PurePosixPath, name: str, level: int) -> str | None:
        """What is against a module of the project: that it may be missing where the code is used, or what it brings."""
        module = "." * level + name
        if is_test(path):
            return f"it imports {module}, which holds tests: they may not be there where the code is used"
        if path.parts[0] in _BESIDE and path.parts[0] != self.own_file.parts[0]:
            return f"it imports {module}, which lies beside the code: it may not be there where the code is used"
        brought = self._brought([path, *self._run_by(name, level, self.own_file)])
        for top in sorted(brought - self._brought([self.own_file])):
            problem = self._library(top, f"it imports {module}, which imports {top}")
            if problem is not None:
                return problem
        return None

    def _library(self, top: str, said: str) -> str | None:
        """What is against a library that the target's file does not import."""
        found = [each for each in self.installed if top in each.modules]
        if not found:
            return (
                f"{said}, which is not installed where the code runs: install it there and say "
                f"--allow-imports {top}, or choose another interpreter with --python"
            )
        if self.allowed == (ALL,) or top in self.allowed or any(map(self._is_allowed, found)):
            return None
        return f"{said} ({found[0]}), which the file does not do: to allow it say --allow-imports {top}"

    def _brought(self, paths: Iterable[PurePosixPath]) -> set[str]:
        """The libraries that files of the project import, and those that these import in their turn."""
        waiting, found = list(paths), set[str]()
        seen = set(waiting)
        while waiting and len(seen) <= _MOST_FILES:
            path = waiting.pop()
            found |= self._libraries(path)
            tree = self.files.tree(path)
            for name, level in imports_of(tree) if tree is not None else ():
                inner = [each for each in self._run_by(name, level, path) if each not in seen]
                seen.update(inner)
                waiting += inner
        return found

    def _run_by(self, name: str, level: int, importer: PurePosixPath) -> list[PurePosixPath]:
        """The files of the project that an import runs: the module, and the packages that it is in."""
        parts = name.split(".")
        prefixes = (".".join(parts[: length + 1]) for length in range(len(parts)))
        return [path for each in prefixes if (path := self.resolver.module(each, level, importer)) is not None]

    def _libraries(self, path: PurePosixPath) -> set[str]:
        """What a file imports that is neither of the project nor of the standard library, while it runs."""
        tree = self.files.tree(path)
        tops = {name.partition(".")[0] for name, level in (imports_of(tree) if tree is not None else ()) if not level}
        return {top for top in tops - sys.stdlib_module_names if self.resolver.module(top, 0, path) is None}

    def _is_allowed(self, distribution: Distribution) -> bool:
        names = {normalized(distribution.name), *map(normalized, distribution.modules)}
        return self.allowed == (ALL,) or any(normalized(name) in names for name in self.allowed)


def _told(distribution: Distribution) -> str:
    others = sorted(name for name in distribution.modules if not name.startswith("_"))
    same = distribution.name.lower().replace("-", "_") in {name.lower() for name in others}
    return str(distribution) if same or not others else f"{distribution} (as {', '.join(others[:3])})"
