"""The module that a document belongs to: a file is one by itself, the cells of a notebook are one together."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pygls.uris import to_fs_path

from afterburner.lsp_server.text.documents import Document, DocumentChange
from afterburner.lsp_server.text.notebook_text import NotebookText
from afterburner.lsp_server.text.rebase import text_of_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.lsp_server.text.documents import Documents


class ModuleText(Protocol):
    """What a run works on, as it was when the run began."""

    @property
    def text(self) -> str:
        """The whole module."""

    @property
    def left_out(self) -> Sequence[str]:
        """What is not in it, as sentences for the user."""

    def change_to(self, after: str, function: str) -> DocumentChange | None:
        """What makes a rewritten module of it; None: more than the document that has the function would change."""


@dataclass(frozen=True, slots=True)
class Module:
    """The module that a document belongs to.

    Attributes:
        uri: of the file or the notebook.
        path: of the module; that of a notebook lies beside it, and is never on the disk.
        documents: that hold its text, in their order.
        is_notebook: whether they are cells.
    """

    uri: str
    path: str
    documents: tuple[Document, ...]
    is_notebook: bool = False

    @property
    def word(self) -> str:
        """What the user calls it."""
        return "notebook" if self.is_notebook else "file"

    @property
    def name(self) -> str:
        """Its name on the disk."""
        return Path(to_fs_path(self.uri) or self.path).name

    def text_for(self, function: str | None) -> ModuleText:
        """What a run of a function works on; None: of any.

        Raises:
            UsageError: the cells are no module that has the function.
        """
        if self.is_notebook:
            return NotebookText.of({each.uri: each.source for each in self.documents}, function)
        [document] = self.documents
        return _FileText(document.uri, document.source)

    def place_of(self, function: str, source: str, otherwise: str) -> str:
        """The URI of the document that has a function with this source; if none has, or its own does, `otherwise`."""
        found = [each.uri for each in self.documents if text_of_function(each.python, function) == source]
        return otherwise if otherwise in found or not found else found[-1]

    def behind(self, document: Document) -> tuple[Document, ...]:
        """The documents behind one of them: what they define replaces what it does."""
        uris = [each.uri for each in self.documents]
        return self.documents[uris.index(document.uri) + 1 :] if document.uri in uris else ()


@dataclass(frozen=True, slots=True)
class _FileText:
    """The text of a file."""

    uri: str
    text: str
    left_out: Sequence[str] = ()

    def change_to(self, after: str, _function: str) -> DocumentChange:
        """The change of the file."""
        return DocumentChange(self.uri, self.text, after)


def module_of(document: Document, documents: Documents) -> Module:
    """The module that a document belongs to."""
    notebook = documents.get_notebook_document(cell_uri=document.uri)
    if notebook is None:
        return Module(document.uri, document.path, (document,))
    path = to_fs_path(notebook.uri) or document.path
    return Module(notebook.uri, str(_beside(Path(path))), tuple(documents.cells_of(notebook)), is_notebook=True)


def module_now(module: Module, documents: Documents) -> Module:
    """A module as its documents are now; as they were, if it is not open any more."""
    if module.is_notebook:
        notebook = documents.get_notebook_document(notebook_uri=module.uri)
        return module if notebook is None else replace(module, documents=tuple(documents.cells_of(notebook)))
    document = documents.document(module.uri)
    return module if document is None else replace(module, documents=(document,))


def _beside(notebook: Path) -> Path:
    """`sales_ipynb.py` for `sales.ipynb`: a name that can be imported, and that no file has."""
    stem = re.sub(r"\W", "_", notebook.name, flags=re.ASCII)
    stem = f"_{stem}" if stem[:1].isdigit() else stem
    while (path := notebook.with_name(f"{stem}.py")).exists():
        stem += "_"
    return path
