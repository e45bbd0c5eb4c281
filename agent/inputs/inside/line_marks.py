"""Marks which lines of the target's file run, by a statement that is put before each: far cheaper than tracing."""

from __future__ import annotations

import ast
import builtins
import dis
from typing import TYPE_CHECKING, Any, Iterator, List, Sequence, Set

if TYPE_CHECKING:
    from types import CodeType

    Lines = Sequence[int]  # the first and the last one

NAME = "__afterburner_marks__"  # a builtin, so that code finds it in every scope; no class mangles it
_BLOCKS = ("body", "orelse", "finalbody")


class LineMarks:
    """Knows which of these ranges of lines were reached.

    `change` puts marks into the tree of the file, see `import_hook.change_file`.
    """

    def __init__(self, ranges: Sequence[Lines]) -> None:
        self._ranges = ranges
        self._lines: Set[int] = {line for first, last in ranges for line in range(first, last + 1)}
        self._marks = [0] * (max(self._lines, default=0) + 1)

    def change(self, tree: ast.Module) -> None:
        """Put a mark before each statement that begins on one of the lines."""
        setattr(builtins, NAME, self._marks)
        for node in list(ast.walk(tree)):
            for name in _BLOCKS:
                block = getattr(node, name, None)
                if isinstance(block, list):
                    block[:] = [each for statement in block for each in self._marked(statement)]

    def forget(self) -> None:
        """Count no line as reached, as after an import, which defines the function and makes no call."""
        self._marks[:] = [0] * len(self._marks)

    def reached(self) -> List[int]:
        """The numbers of the ranges with a line that ran."""
        marks = self._marks
        return [number for number, (first, last) in enumerate(self._ranges) if any(marks[first : last + 1])]

    def are_missing_in(self, code: CodeType) -> bool:
        """Whether a function has lines of these and no mark: a decorator has compiled the file's text once more."""
        lines = {line for _, line in dis.findlinestarts(code)} - {code.co_firstlineno}
        return NAME not in code.co_names and not lines.isdisjoint(self._lines)

    def note(self, line: int) -> None:
        """Count a line as reached."""
        if line in self._lines:
            self._marks[line] = 1

    def _marked(self, statement: Any) -> Iterator[Any]:
        line = min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", ()))])
        if line in self._lines and not _is_text(statement):
            mark = ast.parse("%s[%d] = 1" % (NAME, line)).body[0]
            for part in ast.walk(mark):
                ast.copy_location(part, statement)
            yield mark
        yield statement


def _is_text(statement: Any) -> bool:
    """Whether it may be a docstring, which has to come first."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
