"""What a document holds after the client has changed it: the same as the client's own."""

from __future__ import annotations

import random

import pytest
from editor_client import offset
from lsprotocol import types

from afterburner.lsp_server.text.documents import Document, Documents

URI = "file:///shop/shop.py"
ALPHABET = ["a", "é", "😀", "\ud83d", "\n", "\r\n", "\r", "\x0c", "\u2028", "\x85", "\t", "def f():\n"]


def opened(text: str, encoding: types.PositionEncodingKind = types.PositionEncodingKind.Utf16) -> Document:
    documents = Documents("file:///shop", position_encoding=encoding)
    documents.put_text_document(types.TextDocumentItem(uri=URI, language_id="python", version=1, text=text))
    document = documents.document(URI)
    assert document is not None
    return document


def change(start: tuple[int, int], end: tuple[int, int], text: str) -> types.TextDocumentContentChangePartial:
    place = types.Range(start=types.Position(*start), end=types.Position(*end))
    return types.TextDocumentContentChangePartial(range=place, text=text)


@pytest.mark.parametrize("encoding", types.PositionEncodingKind)
@pytest.mark.parametrize("seed", range(10))
def test_random_edits_are_made_as_the_client_makes_them(seed: int, encoding: types.PositionEncodingKind) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices(ALPHABET, k=60))
    document = opened(text, encoding)
    for _ in range(40):
        places = sorted((rng.randrange(14), rng.randrange(9)) for _ in range(2))
        new = "".join(rng.choices(ALPHABET, k=rng.randrange(4)))
        start, end = (offset(text, {"line": line, "character": units}, encoding.value) for line, units in places)
        text = text[:start] + new + text[end:]
        document.apply_change(change(*places, new))
        assert document.source == text


@pytest.mark.parametrize(
    ("encoding", "units"),
    [
        (types.PositionEncodingKind.Utf8, 4),
        (types.PositionEncodingKind.Utf16, 2),
        (types.PositionEncodingKind.Utf32, 1),
    ],
)
def test_units_are_those_that_were_agreed_on(encoding: types.PositionEncodingKind, units: int) -> None:
    document = opened("😀x = 1", encoding)
    document.apply_change(change((0, units), (0, units + 1), "y"))
    assert document.source == "😀y = 1"
    document.apply_change(change((0, units - 1), (0, units - 1), "z") if units > 1 else change((0, 0), (0, 0), "z"))
    assert document.source == "z😀y = 1", "half a character is its beginning"
    assert document.whole_lines(0, 1).end == types.Position(0, units + 6)


def test_positions_out_of_range_are_the_ends() -> None:
    document = opened("one\ntwo")
    document.apply_change(change((0, 99), (0, 99), "!"))
    assert document.source == "one!\ntwo"
    document.apply_change(change((99, 0), (99, 9), "?"))
    assert document.source == "one!\ntwo?"
    document.apply_change(change((1, 2), (0, 1), "+"))  # the end before the start
    assert document.source == "one!\ntw+o?"


def test_lines_end_where_the_protocol_says() -> None:
    document = opened("a\x0cb\u2028c\x85d\ne")
    document.apply_change(change((1, 0), (1, 1), "f"))
    assert document.source == "a\x0cb\u2028c\x85d\nf"
