"""What is told of a run whose function is edited meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

from afterburner.lsp_server.edit_watch import EditWatch
from afterburner.lsp_server.text.documents import Documents
from afterburner.lsp_server.text.modules import module_of

if TYPE_CHECKING:
    from afterburner.lsp_server.text.modules import Module

URI = "file:///shop/shop.py"
TEXT = """\
def rate():
    return 2


def value(price):
    return price * rate()


def other():
    return 1
"""


def module_with(text: str) -> Module:
    documents = Documents("file:///shop")
    documents.put_text_document(types.TextDocumentItem(uri=URI, language_id="python", version=1, text=text))
    document = documents.document(URI)
    assert document is not None
    return module_of(document, documents)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("return price * rate()", "return price", "value was edited: no; cancel and run again"),
        ("return 2", "return 3", "what value uses was edited: no; cancel and run again"),
        ("return 1", "return 3", ""),
        ("def other", "def (", ""),
    ],
)
def test_an_edit_is_told_while_it_stands(old: str, new: str, told: str) -> None:
    held = [module_with(TEXT)]
    watch = EditWatch("value", TEXT, lambda: held[-1], "no")
    assert not watch.note()
    held.append(module_with(TEXT.replace(old, new)))
    assert watch.note() == told
    held.append(module_with(TEXT))
    assert not watch.note()
