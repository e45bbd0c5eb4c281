r"""What an editor holds of a file: its text, changed as the client says, in the client's own units.

Lines end at \n, \r\n and \r, as the protocol has it and as Python has it. `str.splitlines`, which pygls uses, knows six
more ends, so that each form feed of a file would put all later edits one line too high.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from afterburner.agent.code.source_text import split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_UTF16_PAIR = 0xFFFF  # code points above take two units of UTF-16


class Document(TextDocument):
    """An open document."""

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


def _units(char: str, encoding: object) -> int:
    if encoding == types.PositionEncodingKind.Utf8:
        return len(char.encode("utf-8", "surrogatepass"))
    return 2 if ord(char) > _UTF16_PAIR else 1
