"""Puts several rewrites of one file together: each was made of the same original, and touches a function of its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from afterburner.agent.targets.patch import patch_bytes, unified_diff
from afterburner.agent.targets.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from afterburner.agent.types import RunResult, Target

Edit = tuple[int, int, tuple[str, ...]]  # the lines from..to of the original, and what comes in their place


@dataclass(frozen=True, slots=True)
class Merged:
    """The files with all offers in place. `left_out` tells of each offer that does not go with those before it."""

    texts: dict[str, bytes] = field(default_factory=dict)  # by absolute path
    sources: dict[str, tuple[Target, str]] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()  # file, function

    @property
    def patch(self) -> bytes:
        """All changes as one patch."""
        return b"".join(patch_bytes(target, unified_diff(target, text)) for target, text in self.sources.values())


def merge_offers(results: Iterable[RunResult]) -> Merged:
    """Put all rewrites together, in the order of their rank.

    A rewrite is left out if it changes lines that one before it changes in another way, or if both bring a name into
    the module that means something else in each.
    """
    edits: dict[str, list[Edit]] = {}
    targets: dict[str, Target] = {}
    names: dict[str, dict[str, str]] = {}
    left_out: list[tuple[str, str]] = []
    for result in results:
        path = result.target.path
        before = targets.setdefault(path, replace(result.target, function=None))
        known = edits.setdefault(path, [])
        brought = new_names(before.source, result.best_source)
        others = names.setdefault(path, {})
        new = [_without_known_imports(edit, known) for edit in edits_between(before.source, result.best_source)]
        new = [edit for edit in new if edit not in known and (edit[2] or edit[0] < edit[1])]
        clashes = any(others.get(name, text) != text for name, text in brought.items())
        if clashes or before.source != result.target.source or any(_collide(a, b) for a in new for b in known):
            left_out.append((path, result.target.function or ""))
            continue
        others.update(brought)
        known += new
    sources = {path: (targets[path], apply_edits(targets[path].source, made)) for path, made in edits.items() if made}
    texts = {path: text.encode(target.encoding) for path, (target, text) in sources.items()}
    return Merged(texts, sources, tuple(left_out))


def new_names(before: str, after: str) -> dict[str, str]:
    """What a rewrite brings into the module's namespace: each name, and the statement that binds it."""
    known = _bound(before)
    return {name: text for name, text in _bound(after).items() if name not in known}


def edits_between(before: str, after: str) -> Iterator[Edit]:
    """What turns one text into the other, by lines."""
    old, new = split_lines(before), split_lines(after)
    for kind, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield start, end, tuple(new[new_start:new_end])


def apply_edits(before: str, edits: Iterable[Edit]) -> str:
    """Make all edits; of two insertions at one place the first stays first."""
    lines = split_lines(before)
    ordered = sorted(enumerate(edits), key=lambda item: (item[1][0], item[1][1], item[0]), reverse=True)
    for _, (start, end, new) in ordered:
        lines[start:end] = new
    return "".join(lines)


def _bound(source: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for statement in ast.parse(source).body:
        text = ast.unparse(statement)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[statement.name] = text
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            found |= {(alias.asname or alias.name).partition(".")[0]: text for alias in statement.names}
        else:
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            found |= {node.id: text for node in stored if isinstance(node.ctx, ast.Store)}
    return found


def _without_known_imports(edit: Edit, known: Iterable[Edit]) -> Edit:
    """An insertion without the imports that another one has put at the same place."""
    start, end, new = edit
    there = {line for at, to, lines in known if at == to == start for line in lines}
    if start != end:
        return edit
    return start, end, tuple(line for line in new if not (line in there and line.startswith(("import ", "from "))))


def _collide(one: Edit, other: Edit) -> bool:
    """Whether both change the same lines. Insertions at one place go together."""
    (start, end, _), (other_start, other_end, _) = one, other
    return start < other_end and other_start < end
