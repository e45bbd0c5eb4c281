"""Puts several rewrites of one file together: each was made of the same original, and touches a function of its own."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from afterburner.agent.code.additions import full_names
from afterburner.agent.code.bindings import alias_bindings
from afterburner.agent.code.patch import patch_bytes, unified_diff
from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.splice import RewriteError, with_imports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from afterburner.agent.loop.results import RunResult
    from afterburner.agent.types import Target

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
    targets: dict[str, Target] = {}
    taken: dict[str, list[_Part]] = {}
    texts: dict[str, str] = {}
    left_out: list[tuple[str, str]] = []
    for result in results:
        path = result.target.path
        target = targets.setdefault(path, replace(result.target, function=None))
        parts = taken.setdefault(path, [])
        text = None
        if result.target.source == target.source:
            part = _part_of(target.source, result.best_source)
            text = _together(target.source, [*parts, part])
        if text is None:
            left_out.append((path, result.target.function or ""))
            continue
        parts.append(part)
        texts[path] = text
    sources = {path: (targets[path], text) for path, text in texts.items() if text != targets[path].source}
    encoded = {path: text.encode(target.encoding) for path, (target, text) in sources.items()}
    return Merged(encoded, sources, tuple(left_out))


@dataclass(frozen=True, slots=True)
class _Part:
    """What one rewrite changes: its imports by themselves, for several may need the same, and the lines."""

    text: str
    imports: tuple[str, ...]
    edits: tuple[Edit, ...]
    names: dict[str, str]  # that it brings into the module, and what they mean


def _part_of(before: str, after: str) -> _Part:
    """Take a rewrite apart."""
    names = {name: text for name, text in _bound(after).items() if name not in _bound(before)}
    known = {name for statement in ast.parse(before).body for name in full_names(statement)}
    body = ast.parse(after).body
    new = [each for each in body if full_names(each) and known.isdisjoint(full_names(each)) and _is_alone(each, body)]
    text = after
    for statement in reversed(new):
        text = _without(text, statement, before)
    return _Part(after, tuple(map(ast.unparse, new)), tuple(edits_between(before, text)), names)


def _is_alone(statement: ast.stmt, body: Sequence[ast.stmt]) -> bool:
    """Whether no other statement stands in its lines."""
    sharing = [each for each in body if each.lineno <= (statement.end_lineno or 0)]
    return sum((each.end_lineno or 0) >= statement.lineno for each in sharing) == 1


def _without(text: str, statement: ast.stmt, before: str) -> str:
    """A text without an import, and without those empty lines around it that came with it."""
    lines = split_lines(text)
    start, end = statement.lineno - 1, statement.end_lineno or statement.lineno
    del lines[start:end]
    least, shortest = len(lines) + len(before), lines
    while True:
        size = sum(old_end - old_start + len(new) for old_start, old_end, new in edits_between(before, "".join(lines)))
        if size < least:
            least, shortest = size, list(lines)
        if start < len(lines) and not lines[start].strip():
            del lines[start]
        elif start and not lines[start - 1].strip():
            start -= 1
            del lines[start]
        else:
            return "".join(shortest)


def _together(before: str, parts: Sequence[_Part]) -> str | None:
    """The text with all parts in place; None if the last does not go with those before it."""
    *others, last = parts
    if not others:
        return last.text
    names = {name: text for part in others for name, text in part.names.items()}
    if any(names.get(name, text) != text for name, text in last.names.items()):
        return None
    known = list(dict.fromkeys(edit for part in others for edit in part.edits))
    new = [edit for edit in last.edits if edit not in known]
    if any(_collide(one, other) for one in new for other in known):
        return None
    imports = tuple(dict.fromkeys(text for part in parts for text in part.imports))
    try:
        return with_imports(apply_edits(before, [*known, *new]), imports)
    except RewriteError:
        return None


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
            found |= dict(alias_bindings(statement))
        else:
            stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
            found |= {node.id: text for node in stored if isinstance(node.ctx, ast.Store)}
    return found


def _collide(one: Edit, other: Edit) -> bool:
    """Whether both change the same lines. Insertions at one place go together."""
    (start, end, _), (other_start, other_end, _) = one, other
    return start < other_end and other_start < end
