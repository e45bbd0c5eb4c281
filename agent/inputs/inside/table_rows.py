"""Tells tables from other sequences: rows of fields, often below a first row that names these."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

ROWS_READ = 50  # further ones look no different
LEAST_NAME = 2  # characters: shorter texts are rather marks on a board
NUMBERS = (int, float, complex)


def header_size(units: Sequence[Any]) -> int:
    """How many of the first elements are a header, which more data has only once: 1 or 0.

    A row is one if it names each field by a text of its own, where the rows below hold other values; a line is one if
    it alone has no digits.
    """
    first, others = units[:1], units[1:ROWS_READ]
    if not others:
        return 0
    if _is_row(first[0]) and all(map(_is_row, others)):
        return int(_names_fields(first[0], others))
    if len(others) > 1 and all(type(unit) is str and len(unit) >= LEAST_NAME for unit in units[:ROWS_READ]):
        return int(not _has_digit(first[0]) and all(map(_has_digit, others)))
    return 0


def is_table(value: Any) -> bool:
    """Whether rows are records: below a header, or with fields of several kinds."""
    if not all(map(_is_row, value[:ROWS_READ])):
        return False
    if header_size(value):
        return True
    kinds = [set(map(_kind, column)) for column in _columns(value[:ROWS_READ])]
    return all(len(each) == 1 for each in kinds) and len(set().union(*kinds)) > 1


def names_fields_of(value: Any, table: Any) -> bool:
    """Whether a text, or each of several, is the name of a field in the header of a table: then it is no data."""
    if not _is_row(table) or not header_size(table) or not _is_row(table[0]):
        return False
    named = [value] if type(value) is str else value
    return type(named) in (list, tuple) and all(type(each) is str and each in table[0] for each in named)


def _names_fields(first: Sequence[Any], rows: Sequence[Any]) -> bool:
    if not first or not all(type(name) is str for name in first) or len(set(first)) < len(first):
        return False
    columns = list(_columns(rows))[: len(first)]
    if any(column and str not in map(type, column) for column in columns):
        return True
    # Texts alone: numbers are written in one of the columns, as in what is read from a file, or these are pairs.
    if not any(column and all(map(_has_digit, column)) for column in columns):
        return False
    below = {cell for column in columns for cell in column if type(cell) is str}
    return not any(map(_has_digit, first)) and all(len(name) >= LEAST_NAME and name not in below for name in first)


def _columns(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """What the rows hold at each place, but None and what is missing."""
    for place in range(max(map(len, rows), default=0)):
        yield [row[place] for row in rows if place < len(row) and row[place] is not None]


def _kind(value: Any) -> type:
    return complex if type(value) in NUMBERS else type(value)


def _is_row(value: Any) -> bool:
    return type(value) in (list, tuple)


def _has_digit(value: Any) -> bool:
    """Whether it is no text, or one with a digit in it."""
    return type(value) is not str or any(map(str.isdigit, value))
