r"""What an editor holds of a file: its text, changed as the client says, in the client's own units.

Lines end at \n, \r\n and \r, as the protocol has it and as Python has it. `str.splitlines`, which pygls uses, knows six
more ends, so that each form feed of a file would put all later edits one line too high.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from afterburner.agent.code.source_text import split_lines
from afterburner.agent.code.text_edits import TextEdit
from afterburner.lsp_server.text.magics import as_python

if TYPE_CHECKING:
    from collections.abc import Sequence

_UTF16_PAIR = 0xFFFF  # code points above take two units of UTF-16


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a run has found, as a change of one document.

    Attributes:
        uri: of the document.
        before: its Python when the run began.
        after: its Python with the rewrite.
    """

    uri: str
    before: str
    after: str


class Document(TextDocument):
    """An open document, perhaps a cell of a notebook."""

    is_cell = False
    _read: tuple[str, str] | None = None  # a text of the cell, and the Python that it is

    @property
    def lines(self) -> Sequence[str]:
        """With their ends."""
        return split_lines(self.source)

    @property
    def is_python(self) -> bool:
        """Whether it is Python, as the client says or its name does."""
        if self.language_id:
            return self.language_id == "python"
        return str(self.path).endswith(".py")

    @property
    def python(self) -> str:
        """What runs see of it: the text, of a cell without magics and with its last line ended."""
        if not self.is_cell:
            return self.source
        if self._read is None or self._read[0] != self.source:
            self._read = self.source, as_python(self.source)
        return self._read[1]

    def fitted(self, edits: Sequence[TextEdit]) -> tuple[TextEdit, ...]:
        """Edits of `python` as edits of the text, whose last line may have no end."""
        last = len(self.lines)
        if not self.is_cell or not last or self.source.endswith(("\n", "\r")):
            return tuple(edits)
        return tuple(_at_end(each, last) if each.end_line >= last else each for each in edits)

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Change the text. A position behind the end of a line, or of the text, is that end."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            lines = self.lines
            start, end = self.offset(lines, change.range.start), self.offset(lines, change.range.end)
            self._source = self.source[:start] + change.text + self.source[max(start, end) :]
        else:
            self._source = change.text

    def offset(self, lines: Sequence[str], position: types.Position) -> int:
        """Where a position is in the text, in code points."""
        if position.line >= len(lines):
            return sum(map(len, lines))
        line = lines[position.line]
        shown = line.rstrip("\r\n")
        return sum(map(len, lines[: position.line])) + self._column(shown, position.character)

    def whole_lines(self, start_line: int, end_line: int) -> types.Range:
        """The range of the lines from `start_line` to before `end_line`, in the client's units."""
        lines = self.lines
        return types.Range(start=self._line_start(lines, start_line), end=self._line_start(lines, end_line))

    def range_in_line(self, line: int, start: int, end: int) -> types.Range:
        """The range from one column of a line to before another, in code points, in the client's units."""
        text, units = self.lines[line], self.position_codec.client_num_units
        return types.Range(
            start=types.Position(line=line, character=units(text[:start])),
            end=types.Position(line=line, character=units(text[:end])),
        )

    def _line_start(self, lines: Sequence[str], line: int) -> types.Position:
        """Where a line begins; of the one behind the last, where the text ends."""
        if line < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
            return types.Position(line=min(line, len(lines)), character=0)
        encoding = self.position_codec.encoding
        units = sum(1 if encoding == types.PositionEncodingKind.Utf32 else _units(char, encoding) for char in lines[-1])
        return types.Position(line=len(lines) - 1, character=units)

    def _column(self, line: str, units: int) -> int:
        """The code points of a line in so many units of the client's; never half of one."""
        encoding = self.position_codec.encoding
        if encoding == types.PositionEncodingKind.Utf32 or line.isascii():
            return min(units, len(line))
        used = 0
        for column, char in enumerate(line):
            used += _units(char, encoding)
            if used > units:
                return column
        return len(line)


class Documents(Workspace):
    """The workspace, with documents of ours."""

    def is_open(self, uri: str) -> bool:
        """Whether the client has opened a document, or a cell of a notebook, and not closed it."""
        return unquote(uri) in self._text_documents

    def open_documents(self) -> list[Document]:
        """All of them."""
        return [each for each in self._text_documents.values() if isinstance(each, Document)]

    def document(self, uri: str) -> Document | None:
        """The open document; None if it is not open."""
        found = self._text_documents.get(unquote(uri))
        return found if isinstance(found, Document) else None

    def put_text_document(self, text_document: types.TextDocumentItem, notebook_uri: str | None = None) -> None:
        """Keep a document that was opened."""
        super().put_text_document(text_document, notebook_uri)
        if (document := self.document(text_document.uri)) is not None:
            document.is_cell = notebook_uri is not None

    def update_notebook_document(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Change a notebook. A cell that was moved may be closed and opened in one message: it stays open."""
        structure = params.change.cells.structure if params.change.cells is not None else None
        if structure is not None:
            for each in structure.did_close or ():
                self.remove_text_document(each.uri)
            structure.did_close = None
        super().update_notebook_document(params)

    def remove_notebook_document(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Close a notebook with all its cells, whether the client names them or not."""
        notebook = self.get_notebook_document(notebook_uri=params.notebook_document.uri)
        super().remove_notebook_document(params)
        for each in notebook.cells if notebook is not None else ():
            self.remove_text_document(each.document)

    def cells_of(self, notebook: types.NotebookDocument) -> list[Document]:
        """The cells of a notebook that hold Python, in their order."""
        found = [self.document(each.document) for each in notebook.cells if each.kind is types.NotebookCellKind.Code]
        return [each for each in found if each is not None and each.is_python]

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> Document:
        return Document(
            doc_uri,
            source=source,
            version=version,
            language_id=language_id,
            sync_kind=self._sync_kind,
            position_codec=self._position_codec,
        )


def _at_end(edit: TextEdit, last: int) -> TextEdit:
    text = edit.new_text.removesuffix("\n")
    return TextEdit(edit.start_line, edit.end_line, f"\n{text}" if edit.start_line >= last and text else text)


def _units(char: str, encoding: object) -> int:
    if encoding == types.PositionEncodingKind.Utf8:
        return len(char.encode("utf-8", "surrogatepass"))
    return 2 if ord(char) > _UTF16_PAIR else 1
