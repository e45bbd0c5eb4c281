"""The module that the cells of a notebook make together, and the way back from its lines to a cell's."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.agent.code.source_text import lines_inside_strings, split_lines
from afterburner.agent.code.text_edits import TextEdit, apply_edits, edits_between
from afterburner.lsp_server.text.cell_statements import Kind, Statements, of_module, statements_of
from afterburner.lsp_server.text.documents import DocumentChange
from afterburner.lsp_server.text.magics import as_python, commented, lines_to_cell_magic
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_MAIN = 'if __name__ == "__main__":\n'
_INDENT = "    "
_ONLY_IN_IPYTHON = frozenset({"get_ipython"})


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a line of the module comes from."""

    cell: int
    line: int


@dataclass(slots=True)
class NotebookText:
    """The module as one text.

    Attributes:
        uris: of the cells.
        sources: their texts.
        cells: their Python.
        lines: of the module.
        places: of its lines, in the cells; None: the line is in no cell.
        left_out: what of the notebook is not in the module, for the user.
    """

    uris: tuple[str, ...]
    sources: tuple[str, ...]
    cells: tuple[str, ...]
    lines: list[str] = field(default_factory=list)
    places: list[_Place | None] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, cells: Mapping[str, str], function: str | None) -> NotebookText:
        """The module for a run of one function; None: of any.

        Imports, definitions and what the function needs stand at its top level. All else runs only when the module is
        run as a program.

        Args:
            cells: the texts of the cells with Python, by their URIs, in their order.
            function: its qualified name.

        Raises:
            UsageError: there is no module that has the function as its cell has it.
        """
        made = cls(tuple(cells), tuple(cells.values()), tuple(map(as_python, cells.values())))
        parsed = [made._parsed(text, function) for text in made.cells]
        _Writer(made, parsed, function).write()
        made._check(function)
        return made

    @property
    def text(self) -> str:
        """The module."""
        return "".join(self.lines)

    def change_to(self, after: str, function: str) -> DocumentChange | None:
        """What makes a rewritten module of this one, as a change of the cell that has the function.

        What a rewrite adds to other cells, such as an import, goes to the top of this one.

        Args:
            after: the text of the module with the rewrite.
            function: its qualified name.

        Returns:
            None: the rewrite changes lines of other cells.
        """
        number = self._cell_with(function)
        if number is None:
            return None
        before = self.cells[number]
        added, edits, top = "", [], self._top_of(number)
        for edit in edits_between(self.text, after):
            moved = self._in_cell(number, edit)
            if moved is not None and (moved.start_line >= top or moved.end_line > moved.start_line):
                edits.append(moved)
            elif edit.start_line == edit.end_line:
                added += edit.new_text.strip("\r\n") + "\n"
            else:
                return None
        changed = apply_edits(before, edits)
        if added:
            changed = apply_edits(changed, [TextEdit(top, top, added + "\n")])
        is_same = text_of_function(changed, function) == text_of_function(after, function)
        return DocumentChange(self.uris[number], before, changed) if is_same and _is_cell(changed) else None

    def _top_of(self, number: int) -> int:
        """The first line of a cell that an import may stand on: behind a magic of the cell and a future import."""
        behind = [each.end_line for each in statements_of(self.cells[number]) if each.is_future]
        return max([lines_to_cell_magic(self.sources[number]), *behind])

    def _in_cell(self, number: int, edit: TextEdit) -> TextEdit | None:
        """An edit of the module as one of a cell; None: it lies elsewhere."""
        places = self.places[edit.start_line : edit.end_line]
        if places:
            first = places[0]
            expected = [_Place(number, first.line + step) for step in range(len(places))] if first is not None else []
            return (
                TextEdit(first.line, first.line + len(places), edit.new_text) if first and places == expected else None
            )
        behind = self.places[edit.start_line] if edit.start_line < len(self.places) else None
        if behind is not None and behind.cell == number:
            return TextEdit(behind.line, behind.line, edit.new_text)
        above = self.places[edit.start_line - 1] if edit.start_line else None
        if above is not None and above.cell == number:
            return TextEdit(above.line + 1, above.line + 1, edit.new_text)
        return None

    def _parsed(self, text: str, function: str | None) -> list[Statements]:
        """The statements of a cell; none, and a note, if it does not parse.

        Raises:
            UsageError: it does not, and has the function.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return statements_of(text)
        except SyntaxError as error:
            why = f"does not parse, line {error.lineno or 1}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            why = f"cannot be read: {error}"
        if function is not None and text_of_function(text, function) is not None:
            raise UsageError(f"The cell of {function} {why}.")
        begin = next(filter(None, map(str.strip, split_lines(text))), "")
        self.left_out.append(f"The cell that begins with `{begin:.40}` was left out: it {why}.")
        return []

    def _check(self, function: str | None) -> None:
        """Check that it is a module, and has the function as its cell has it.

        Raises:
            UsageError: it is not, or has not.
        """
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(self.text, "<notebook>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise UsageError(f"The cells of the notebook make no Python module together: {error}.") from None
        if function is None:
            return
        number = self._cell_with(function)
        if number is None:
            raise UsageError(f"No cell defines {function} any more.")
        expected = text_of_function(self.cells[number], function)
        if text_of_function(f"{self.sources[number]}\n", function) != expected:
            raise UsageError(f"{function} holds a magic, such as %time. Move it out of the function.")
        if text_of_function(self.text, function) != expected:
            raise UsageError(f"{function} is defined in a block that awaits. Move it to the top level of its cell.")

    def _cell_with(self, function: str) -> int | None:
        """The number of the last cell that defines a function."""
        numbers = reversed(range(len(self.cells)))
        return next((each for each in numbers if text_of_function(self.cells[each], function) is not None), None)


@dataclass(slots=True)
class _Writer:
    """Writes a module from its cells."""

    made: NotebookText
    parsed: Sequence[Sequence[Statements]]
    function: str | None

    def write(self) -> None:
        """Write all cells, each line of them as a line of the module."""
        every = [each for cell in self.parsed for each in cell]
        here = of_module(every, self._wanted(every))
        self._write_top(every)
        at = 0
        for number, (text, statements) in enumerate(zip(self.made.cells, self.parsed, strict=True)):
            is_main = [at + index not in here for index in range(len(statements))]
            self._write_cell(number, split_lines(text), list(zip(statements, is_main, strict=True)))
            at += len(statements)

    def _wanted(self, every: Sequence[Statements]) -> frozenset[str]:
        if self.function is not None:
            return frozenset({self.function.partition(".")[0]})
        return frozenset().union(*(each.needs for each in every if each.kind is Kind.DEFINITION))

    def _write_top(self, every: Sequence[Statements]) -> None:
        """What IPython has without saying so, and what has to be the first line of a module."""
        if any(each.is_future for each in every):
            self._put("from __future__ import annotations\n")
        if any("display" in each.needs for each in every) and not any("display" in each.binds for each in every):
            self._put("display = print\n")

    def _write_cell(self, number: int, lines: Sequence[str], statements: Sequence[tuple[Statements, bool]]) -> None:
        at, was_main = 0, False
        for each, is_main in statements:
            for line in range(at, each.first_line):
                self._put(lines[line], _Place(number, line))
            at = each.end_line
            body = lines[each.first_line : at]
            places = [_Place(number, line) for line in range(each.first_line, at)]
            if each.is_future or (is_main and each.needs_now & _ONLY_IN_IPYTHON):
                self._put_all(map(commented, body), places)
                continue
            if is_main and not was_main:
                self._put(_MAIN)
            was_main = is_main
            if each.awaits:
                self._put_awaiting(each, body, places, _INDENT if is_main else "")
            else:
                self._put_all(_indented(body, _INDENT) if is_main else body, places)
        for line in range(at, len(lines)):
            self._put(lines[line] if statements else commented(lines[line]), _Place(number, line))

    def _put_awaiting(self, each: Statements, body: Sequence[str], places: Sequence[_Place], indent: str) -> None:
        """Statements that await something, in a function that an event loop runs."""
        self._put(f"{indent}import asyncio\n")
        self._put(f"{indent}async def _cell():\n")
        if each.binds:
            self._put(f"{indent}{_INDENT}global {', '.join(sorted(each.binds))}\n")
        self._put_all(_indented(body, indent + _INDENT), places)
        self._put(f"{indent}asyncio.run(_cell())\n")

    def _put_all(self, lines: Iterator[str] | Sequence[str], places: Sequence[_Place]) -> None:
        for line, place in zip(lines, places, strict=True):
            self._put(line, place)

    def _put(self, line: str, place: _Place | None = None) -> None:
        self.made.lines.append(line)
        self.made.places.append(place)


def _indented(lines: Sequence[str], indent: str) -> Iterator[str]:
    """Lines of whole statements, indented, but for those that go on inside a string: their blanks are data."""
    inside = lines_inside_strings("".join(lines))
    return (line if number in inside or not line.strip() else indent + line for number, line in enumerate(lines))


def _is_cell(text: str) -> bool:
    """Whether a text is the Python of a cell."""
    try:
        statements_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
