"""What a rewrite adds at module level: imports that are missing, helper definitions, and where they go."""

from __future__ import annotations

import ast
import builtins
import re
import sys
import tokenize
from collections import defaultdict
from dataclasses import dataclass

from afterburner.agent.code.bindings import alias_bindings, module_bindings
from afterburner.agent.code.source_text import dedent, indentation, parse, split_lines
from afterburner.agent.errors import ProposerError, TargetError

_CODING = re.compile(r"^[ \t\f]*#.*?coding[:=]")  # PEP 263
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_HELPERS = (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.If, ast.Try)


class RewriteError(ProposerError, TargetError):
    """A rewrite does not fit its target, so it is not run: no answer for this target, no target for this answer."""

    exit_code = ProposerError.exit_code


@dataclass(frozen=True, slots=True)
class Insertion:
    """Lines (without ends) to put before line `before` (from 1), holding `statements`.

    `position` is the number of the module's statements that stand before them.
    """

    before: int
    position: int
    lines: tuple[str, ...]
    statements: tuple[ast.stmt, ...]


def parse_code(text: str, what: str) -> ast.Module:
    """Parse a part of a rewrite.

    Raises:
        RewriteError: it is not Python.
    """
    try:
        return parse(text)
    except SyntaxError as error:
        raise RewriteError(f"The {what} is not Python, line {error.lineno or 1}: {error.msg}.") from None


def trimmed(text: str, what: str) -> str:
    """Take the empty lines around a part of a rewrite and its indentation off.

    Raises:
        RewriteError: it cannot even be split into tokens.
    """
    lines = split_lines(text)
    while lines and not lines[0].strip():
        del lines[0]
    try:
        return dedent("".join(lines)).rstrip() + "\n" if lines and indentation(lines[0]) else text.strip() + "\n"
    except (tokenize.TokenError, SyntaxError) as error:
        raise RewriteError(f"The {what} is not Python: {error}.") from None


def plan_imports(tree: ast.Module, lines: list[str], imports: tuple[str, ...], anchor: int) -> list[Insertion]:
    """Plan the imports that are missing above the module's statement number `anchor` (from 0).

    What is imported there already is left out. The rest goes behind the imports of its kind (standard library or
    not), or below the module's docstring and `from __future__`.

    Raises:
        RewriteError: an import is none, or its name means something else in the module or as a builtin.
    """
    bound = module_bindings(tree.body)
    present = {full for statement in tree.body[:anchor] for full in full_names(statement)}
    modules: list[str] = []  # import …
    members: dict[str, list[str]] = defaultdict(list)  # from … import …
    for text in imports:
        for statement in parse_code(trimmed(text, "import"), "import").body:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                raise RewriteError(f"`{text.strip()}` was given as an import but is not one.")
            for (name, origin), full in zip(alias_bindings(statement), full_names(statement), strict=True):
                if full in present:
                    continue
                _check_import(full, name, origin, bound)
                present.add(full)
                bound[name].add(origin)
                module, colon, member = full.partition(":")
                if colon:
                    members[module].append(member)
                else:
                    modules.append(module)
    texts = [f"import {module}" for module in modules]
    texts += [f"from {module} import {', '.join(sorted(names))}" for module, names in members.items()]
    places = _ImportPlaces(tree, lines, anchor)
    return _merged([places.insertion(text) for text in texts])


def plan_helpers(
    tree: ast.Module, lines: list[str], texts: tuple[str, ...], anchor: int, imported: set[str]
) -> list[Insertion]:
    """Plan the helpers, before the module's statement number `anchor` and the comments attached to it.

    A helper that the module defines above in just the same way is left out. `imported` are the names that the
    rewrite's imports bind.

    Raises:
        RewriteError: a helper defines nothing, or its name means something else in the module or as a builtin.
    """
    bound = set(module_bindings(tree.body)) | imported
    above = {ast.dump(statement) for statement in tree.body[:anchor]}
    new_lines: list[str] = []
    statements: list[ast.stmt] = []
    for raw in texts:
        text = trimmed(raw, "helper")
        parsed = parse_code(text, "helper").body
        if all(ast.dump(statement) in above for statement in parsed):
            continue
        for name in _helper_names(parsed, text):
            if name in bound:
                raise RewriteError(f"The helper {name} would replace what {name} already means in the module.")
            if hasattr(builtins, name):
                raise RewriteError(f"The helper {name} would hide the builtin {name} from the whole module.")
            bound.add(name)
        if statements:
            new_lines += [""] * _gap(statements[-1], parsed[0], least=0)
        new_lines += [line.rstrip("\r\n") for line in split_lines(text)]
        statements += parsed
    if not statements:
        return []
    before = _attached_line(tree, lines, anchor)
    if anchor and lines[before - 2].strip():
        new_lines[:0] = [""] * _gap(tree.body[anchor - 1], statements[0], least=1)
    new_lines += [""] * _gap(statements[-1], tree.body[anchor], least=1)
    return [Insertion(before, anchor, tuple(new_lines), tuple(statements))]


def _check_import(full: str, name: str, origin: str, bound: dict[str, set[str]]) -> None:
    if name == "*":
        raise RewriteError(f"`from {full.partition(':')[0]} import *` could change what any name in the module means.")
    if full.startswith("__future__:"):
        raise RewriteError(f"`from __future__ import {name}` would change how the whole module is compiled.")
    if bound.get(name, {origin}) != {origin}:
        raise RewriteError(f"{name} already means something else in the module, so it cannot be imported.")
    if name not in bound and hasattr(builtins, name):
        raise RewriteError(f"Importing {name} would hide the builtin {name} from the whole module.")


def full_names(statement: ast.stmt) -> list[str]:
    """Name each part of an import in full: "a.b", "a as x", "m:n", "m:n as k"; nothing for other statements."""
    if not isinstance(statement, ast.Import | ast.ImportFrom):
        return []
    names = [alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in statement.names]
    if isinstance(statement, ast.Import):
        return names
    return [f"{'.' * statement.level}{statement.module or ''}:{name}" for name in names]


def _is_standard(statement: ast.stmt) -> bool:
    name = full_names(statement)[0].partition(":")[0]
    return name.partition(" ")[0].partition(".")[0] in sys.stdlib_module_names


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def preamble_length(tree: ast.Module) -> int:
    """Count the statements that have to stay on top: the docstring and `from __future__`."""
    count = 0
    for statement in tree.body:
        if not (_is_future(statement) or (count == 0 and _is_docstring(statement))):
            break
        count += 1
    return count


class _ImportPlaces:
    """Where imports go: among those of their kind (standard library or not), in their order if they have one."""

    def __init__(self, tree: ast.Module, lines: list[str], anchor: int) -> None:
        self._tree, self._lines = tree, lines
        self._first = preamble_length(tree)
        self._known: dict[bool, list[tuple[int, tuple[bool, str]]]] = {True: [], False: []}  # by kind: index, sort key
        for index, statement in enumerate(tree.body[:anchor]):
            if isinstance(statement, _DEFINITIONS):
                break
            if isinstance(statement, ast.Import | ast.ImportFrom) and index >= self._first:
                self._known[_is_standard(statement)].append((index, _sort_key(statement)))

    def insertion(self, text: str) -> Insertion:
        """Where one goes."""
        tree, lines, new = self._tree, self._lines, parse(text).body[0]
        key, is_standard = _sort_key(new), _is_standard(new)
        same, others = self._known[is_standard], self._known[not is_standard]
        smaller = next((index for index, each in reversed(same) if each <= key), None)
        if smaller is not None:
            return _behind(tree, lines, smaller, new, text)
        if same:
            first = same[0][0]
            return Insertion(tree.body[first].lineno, first, (text,), (new,))
        if others and not is_standard:
            return _behind(tree, lines, others[-1][0], new, text)
        if self._first:
            return _behind(tree, lines, self._first - 1, new, text)
        gap = [""] * _gap(new, tree.body[0], least=1)
        return Insertion(_attached_line(tree, lines, 0), 0, (text, *gap), (new,))


def _behind(tree: ast.Module, lines: list[str], index: int, new: ast.stmt, text: str) -> Insertion:
    """Place an import in the line below a statement, and below what else stands in that statement's line."""
    previous = tree.body[index]
    position = index + 1
    while position < len(tree.body) and tree.body[position].lineno <= (tree.body[position - 1].end_lineno or 0):
        position += 1
    before = (tree.body[position - 1].end_lineno or 0) + 1
    new_lines = [text]
    if _is_docstring(previous) or _is_future(previous):
        new_lines.insert(0, "")
        if before <= len(lines) and lines[before - 1].strip():
            new_lines += [""] * _gap(new, tree.body[min(position, len(tree.body) - 1)], least=1)
    return Insertion(before, position, tuple(new_lines), (new,))


def _merged(insertions: list[Insertion]) -> list[Insertion]:
    """Join the insertions of one place, sorted, with the empty lines around them once."""
    places: dict[int, list[Insertion]] = defaultdict(list)
    for insertion in insertions:
        places[insertion.before].append(insertion)
    merged = []
    for before, group in sorted(places.items()):
        group.sort(key=lambda each: _sort_key(each.statements[0]))
        lines = group[0].lines
        code = next(index for index, line in enumerate(lines) if line)
        texts = [line for each in group for line in each.lines if line]
        statements = tuple(statement for each in group for statement in each.statements)
        merged.append(Insertion(before, group[0].position, (*lines[:code], *texts, *lines[code + 1 :]), statements))
    return merged


def _sort_key(statement: ast.stmt) -> tuple[bool, str]:
    return isinstance(statement, ast.ImportFrom), full_names(statement)[0].partition(":")[0]


def first_line_of(statement: ast.stmt) -> int:
    """Give a statement's first line, decorators included."""
    decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _attached_line(tree: ast.Module, lines: list[str], position: int) -> int:
    """Give the first line of a statement together with the comments right above it, but not of a file's first two."""
    line = first_line_of(tree.body[position])
    end = (tree.body[position - 1].end_lineno or 0) if position else _header_lines(lines)
    while line - 1 > end and lines[line - 2].lstrip().startswith("#"):
        line -= 1
    return line


def _header_lines(lines: list[str]) -> int:
    """Count the lines that have to stay on top: the interpreter's line and the coding declaration."""
    count = 1 if lines[0].startswith("#!") else 0
    for index, line in enumerate(lines[:2]):
        if _CODING.match(line):
            count = index + 1
    return count


def _helper_names(parsed: list[ast.stmt], text: str) -> list[str]:
    names = list(module_bindings(parsed))
    if not names or not all(isinstance(statement, _HELPERS) for statement in parsed):
        raise RewriteError(f"`{split_lines(text)[0].strip()}` was given as a helper and defines nothing.")
    return names


def _gap(first: ast.stmt, second: ast.stmt, *, least: int) -> int:
    """Count the empty lines that belong between two statements of a module (PEP 8)."""
    return 2 if isinstance(first, _DEFINITIONS) or isinstance(second, _DEFINITIONS) else least
