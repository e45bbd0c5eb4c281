"""A notebook that an editor of `editor_client` holds: its cells come, go and change as VS Code tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from editor_client import Buffer

if TYPE_CHECKING:
    from editor_client import Editor


class Notebook:
    """An open notebook. Its cells are buffers of the editor."""

    def __init__(self, editor: Editor, uri: str, *texts: str) -> None:
        """Open it with these cells."""
        self.editor, self.uri = editor, uri
        self._version, self._made = 1, 0
        opened = [self._hold(text) for text in texts]
        self.cells = [each["uri"] for each in opened]
        notebook = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": list(map(_cell, opened))}
        editor.notify("notebookDocument/didOpen", {"notebookDocument": notebook, "cellTextDocuments": opened})

    def insert(self, at: int, text: str) -> str:
        """Add a cell, and give its URI."""
        made = self._hold(text)
        self._put(at, made)
        return str(made["uri"])

    def move(self, uri: str, to: int) -> None:
        """Take a cell away, and put it back elsewhere."""
        self.remove(uri)
        self.editor.buffers[uri].version = 1
        self._put(to, {"uri": uri, "languageId": "python", "version": 1, "text": self.editor.buffers[uri].text})

    def remove(self, uri: str) -> None:
        """Take a cell away."""
        at = self.cells.index(uri)
        self.cells.remove(uri)
        self._change_structure(at, delete_count=1, closed=[{"uri": uri}])

    def close(self) -> None:
        """Close it with all its cells."""
        documents = [{"uri": each} for each in self.cells]
        self.editor.notify(
            "notebookDocument/didClose", {"notebookDocument": {"uri": self.uri}, "cellTextDocuments": documents}
        )

    def _hold(self, text: str) -> dict[str, Any]:
        """A new cell, under a URI such as VS Code makes."""
        self._made += 1
        uri = f"vscode-notebook-cell:{self.uri.partition(':')[2]}#W{self._made}sZmlsZQ%3D%3D"
        self.editor.buffers[uri] = Buffer(text)
        self.editor.tell_change[uri] = lambda change: self._change({"textContent": [change]})
        return {"uri": uri, "languageId": "python", "version": 1, "text": text}

    def _put(self, at: int, document: dict[str, Any]) -> None:
        self.cells.insert(at, document["uri"])
        self._change_structure(at, opened=[document])

    def _change_structure(
        self,
        start: int,
        *,
        delete_count: int = 0,
        opened: list[dict[str, Any]] | None = None,
        closed: list[dict[str, Any]] | None = None,
    ) -> None:
        array = {"start": start, "deleteCount": delete_count, "cells": list(map(_cell, opened or []))}
        self._change({"structure": {"array": array, "didOpen": opened or [], "didClose": closed or []}})

    def _change(self, cells: dict[str, Any]) -> None:
        self._version += 1
        identifier = {"uri": self.uri, "version": self._version}
        self.editor.notify("notebookDocument/didChange", {"notebookDocument": identifier, "change": {"cells": cells}})


def _cell(document: dict[str, Any]) -> dict[str, Any]:
    return {"kind": 2, "document": document["uri"]}
