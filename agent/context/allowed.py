"""Which modules a rewrite may import: the standard library's, the project's, and what the user allows."""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afterburner.agent.context.installed import Distribution, normalized
from afterburner.agent.context.mentions import is_test
from afterburner.agent.targets.text import parse
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import PurePosixPath

    from afterburner.agent.context.files import ProjectFiles
    from afterburner.agent.context.resolve import Resolver

ALL = "all"
_GIVEN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?")
_TOLD = 40  # distributions named to a model


def read_allow_imports(text: str) -> tuple[str, ...]:
    """Read the value of `--allow-imports`: names of modules or distributions with commas between, or `all`.

    Raises:
        UsageError: a part is no name.
    """
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if not _GIVEN.fullmatch(name):
            raise UsageError(f"--allow-imports takes names such as numpy,scipy, or all; {name!r} is none.")
    if ALL in names and len(names) > 1:
        raise UsageError("--allow-imports takes all, or names: not both.")
    return names


def new_imports(original: str, rewrite: str) -> list[tuple[str, int]]:
    """Give what one text of a file imports and the other does not, except for the standard library.

    Returns:
        Names of modules, each with the number of dots in front of it. Another module of a package that is imported
        already is nothing new.
    """
    before = set(_imported(original))
    known = {name.partition(".")[0] for name, level in before if not level} | sys.stdlib_module_names
    return [
        (name, level)
        for name, level in _imported(rewrite)
        if (name, level) not in before and (level or name.partition(".")[0] not in known)
    ]


@dataclass(frozen=True, slots=True)
class ImportRules:
    """Decides on the modules that a rewrite imports and the original does not."""

    allowed: tuple[str, ...]
    installed: tuple[Distribution, ...]
    files: ProjectFiles
    resolver: Resolver
    own_file: PurePosixPath

    def objection(self, imports: Sequence[tuple[str, int]]) -> str | None:
        """Why these may not be imported (see `new_imports`), as one sentence that says what to do; None if they may."""
        for name, level in imports:
            problem = self._own(name, level) if level else self._absolute(name)
            if problem is not None:
                return problem
        return None

    def told(self) -> str:
        """What a model is told that it may import, beside what the file imports already."""
        allowed = [each for each in self.installed if self._is_allowed(each)]
        if not allowed:
            return "New imports may come from the standard library only."
        more = f" and {len(allowed) - _TOLD} more" if len(allowed) > _TOLD else ""
        names = ", ".join(map(_told, allowed[:_TOLD]))
        return f"New imports may come from the standard library or from these installed libraries: {names}{more}."

    def _absolute(self, module: str) -> str | None:
        top = module.partition(".")[0]
        own = self.resolver.module(module, 0, self.own_file) or self.resolver.module(top, 0, self.own_file)
        if own is not None:
            return _test_module(module) if is_test(own) else None
        if self._project_imports(top):
            return None
        found = [each for each in self.installed if top in each.modules]
        if not found:
            return (
                f"it imports {top}, which is not installed where the code runs: install it there and say "
                f"--allow-imports {top}, or choose another interpreter with --python"
            )
        if self.allowed == (ALL,) or top in self.allowed or any(map(self._is_allowed, found)):
            return None
        return (
            f"it imports {top} ({found[0]}), which nothing in the project does: to allow it say --allow-imports {top}"
        )

    def _own(self, module: str, level: int) -> str | None:
        path = self.resolver.module(module, level, self.own_file)
        return _test_module("." * level + module) if path is not None and is_test(path) else None

    def _is_allowed(self, distribution: Distribution) -> bool:
        names = {normalized(distribution.name), *map(normalized, distribution.modules)}
        return self.allowed == (ALL,) or any(normalized(name) in names for name in self.allowed)

    def _project_imports(self, top: str) -> bool:
        """Whether a file of the project that is no test imports the module."""
        word = re.compile(rf"^[ \t]*(?:import|from)\b.*\b{re.escape(top)}\b", re.MULTILINE)
        for path in self.files.paths:
            text = None if is_test(path) or path == self.own_file else self.files.text(path)
            if text is not None and word.search(text):
                tree = self.files.tree(path)
                if tree is not None and any(name.partition(".")[0] == top for name, level in _of(tree) if not level):
                    return True
        return False


def _test_module(module: str) -> str:
    return f"it imports {module}, which holds tests: they may not be there where the code is used"


def _told(distribution: Distribution) -> str:
    others = sorted(name for name in distribution.modules if not name.startswith("_"))
    same = distribution.name.lower().replace("-", "_") in {name.lower() for name in others}
    return str(distribution) if same or not others else f"{distribution} (as {', '.join(others[:3])})"


def _imported(source: str) -> list[tuple[str, int]]:
    try:
        return _of(parse(source))
    except SyntaxError:
        return []  # the sandbox says so


def _of(tree: ast.Module) -> list[tuple[str, int]]:
    """Give every module that is imported, anywhere in the code, with the number of dots in front."""
    found: list[tuple[str, int]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level and not node.module:
            found += [(alias.name, node.level) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append((node.module or "", node.level))
    return found
