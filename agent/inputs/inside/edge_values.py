"""Edge cases near one value, each with the word for its kind: what an ordinary input does not hold."""

from __future__ import annotations

import codecs
import collections
import contextlib
import datetime as dt
import itertools
import math
import re
from functools import partial
from typing import Any, Callable, Dict, Iterable, Iterator, List, Sequence, Tuple

from .call_parts import children, like, put
from .container_kinds import NotBuildableError, alike, container_kind, is_named_tuple, plain_of, separate
from .edge_dates import across_changes, date_edges, dated_text_edges, datetime_edges, is_dated, timedelta_edges
from .file_edges import file_edges
from .object_edges import object_edges

Edge = Tuple[str, Any]  # kind, value

MOST_COLUMNS = 4  # of records whose values are exchanged
FEW = 12  # elements of an edge case that is about order or equality
SOME = 300  # of one that is about the order of all: what the code takes for valid may hang on the whole
HUGE_INTEGERS = (2**31, 2**53 + 1, 2**63, -(2**63) - 1, 10**30, 10**309)  # the last is beyond every float
ODD_FLOATS = (float("nan"), float("inf"), float("-inf"), -0.0)
LARGE_FLOATS = (1e16, 1e308, -1e308, 5e-324)
# Floats whose sum hangs on the order and the way of adding them up.
ROUNDED = ((0.1, 0.2, 0.3), (0.1,) * 10, (1e16, 1.0, 1.0, -1e16))
# Characters that change their length, number or kind under `upper`, `lower`, `casefold`, `isdigit`, `split`, `strip`
# and their like; that combine with the one before them; or that no encoding takes.
ODD_TEXTS = (
    "\xdf",
    "\u0130",
    "\ufb01",
    "\u0149",
    "e\u0301",
    "\u03c3\u03c2",
    "\xb2",
    "\u0663",
    "\xa0",
    "\x1c",
    "\ud800",
)
WITHOUT_CAPITAL = "\xaa"  # a small letter that `upper` leaves as it is: `isupper` is false of a text with it
TITLE_CASE = "\u01c5"  # a letter that is neither small nor capital
_ALIKE = ("stra\xdfe", "STRASSE", "i", "I", "\u0131", "\u0130", "\u03c3", "\u03c2", "\xe9", "e\u0301", "\ufb01", "fi")
# Values that are equal, or become so under `upper`, `lower`, `casefold`, `strip`, `int`, or normalisation.
CONFUSABLE: Dict[type, Tuple[Any, ...]] = {
    str: (*_ALIKE, "K", "\u212a", "1", "\xb9", "01", " 1", ""),
    int: (1, True, 1.0, 0, False, -1),
    float: (0.0, -0.0, float("nan"), float("nan"), 1.0, float("inf")),
    bytes: (b"a", b"A", b"", b"a "),
}
LONG_TEXT = 4_000  # characters: a rewrite that looks at a part of a text looks at less
ODD_ENDS = ("\u0130", " ", "0")
MOST_WORDS = 4  # of a text that are left out in turn
ENCODINGS = ("latin-1", "ascii", "utf-16", "utf-8", "utf-8-sig", "cp037")
_ENCODING = re.compile(r"(?i)(utf|latin|iso|ascii|us-ascii|cp|windows|koi8|shift|euc|gb|big5|mac)[-_\w]*")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile("[0-9]+")
WHITESPACE = (" ", "\n", "\t", "\r\n")


def edges(value: Any, special: Sequence[str] = ()) -> List[Edge]:
    """Edge cases near the value, the telling ones first; none for what is not known, or what its class forbids.

    `special` characters, which matter to the code, are the first of those that change under the methods of texts.
    """
    kind = container_kind(value)
    if is_named_tuple(kind):
        return []
    made = partial(_text, special=special) if kind is str else _EDGES.get(kind, object_edges)
    found = []
    for word, changed in itertools.chain(file_edges(value), made(plain_of(value))):
        with contextlib.suppress(NotBuildableError):
            found.append((word, alike(value, changed)))
    return found


def _sequence(value: Any) -> Iterator[Edge]:
    items = list(value)
    yield "empty", like(value, [])
    few = items[:FEW]
    if not few:
        return
    yield "one element", like(value, few[:1])
    yield "duplicates", like(value, separate([few[0]] * 3))
    if type(few[0]) is float:
        for at in range(min(len(few), 3)):
            yield "not a number among few", like(value, [*few[:at], float("nan"), *few[at:4]])
        yield "the same not-a-number twice", like(value, [math.nan, math.nan])
        for rounded in ROUNDED:
            yield "sums that are rounded", like(value, list(rounded))
    yield "duplicates", like(value, separate(few[:4] + few[:4]))
    for changed in _equal_keys(few):
        yield "equal keys", like(value, changed)
    for changed in _confusable(few):
        yield "values that are easily confused", like(value, changed)
    for changed in _across_changes(few[0]):
        yield "across a change of clocks", like(value, [changed, *few[1:2]])
    for changed in _mixed(few):
        yield "values of another column", like(value, changed)
    yield from ((word, like(value, changed)) for word, changed in _reordered(items))
    in_order = _sorted(few)
    if in_order is not None:
        yield "sorted", like(value, in_order)
        yield "sorted", like(value, in_order[::-1])
    yield "two elements", like(value, few[:2])
    yield "one element", like(value, items[-1:])
    yield "fewer elements", like(value, items[: len(items) // 2])
    yield "more elements", like(value, separate(items + few[:1]))


def _reordered(items: List[Any]) -> Iterator[Tuple[str, List[Any]]]:
    """The first few in another order; and all, if they are not too many."""
    few = items[:FEW]
    for these in (few, items) if len(few) < len(items) <= SOME else (few,):
        yield "reversed", these[::-1]
        yield "unsorted", these[1::2] + these[::2]


def _equal_keys(items: Sequence[Any]) -> Iterator[List[Any]]:
    """Records that agree in one of their parts and differ in the others: what a stable sort keeps in order."""
    if len(items) < 2:
        return
    first, last = items[0], items[-1]
    parts = children(first)[:4]
    for key, _, part in parts if len(parts) > 1 and type(first) is type(last) else ():
        try:
            yield [first, *(put(item, key, part) for item in items[:0:-1])]
        except (IndexError, KeyError, TypeError, AttributeError):
            continue


def _confusable(items: Sequence[Any]) -> Iterator[List[Any]]:
    """Elements, or records with a part, that a rewrite may take for the same, or may no longer."""
    first = items[0]
    if type(first) in CONFUSABLE:
        yield [*items[:2], *CONFUSABLE[type(first)]]
    for key, _, part in children(first)[:4]:
        others = CONFUSABLE.get(type(part), ()) or (_equal_parts(part) if type(part) in (list, tuple) and part else ())
        with contextlib.suppress(NotBuildableError):
            yield [put(first, key, other) for other in others]


def _equal_parts(row: Any) -> List[Any]:
    """Rows of one length: a list in the place of each tuple and the other way round, which some keys take for equal."""
    rest = list(row)[1:]
    return [list(row), tuple(row), [(row[0],), *rest], [[row[0]], *rest], list(row)]


def _mixed(items: Sequence[Any]) -> Iterator[List[Any]]:
    """Records some of which hold under one name what belongs under another: values of several types in one column."""
    columns = children(items[-1])[:MOST_COLUMNS]
    for (one, _, first), (other, _, second) in itertools.permutations(columns, 2):
        if type(first) is not type(second) and type(items[0]) is type(items[-1]):
            with contextlib.suppress(NotBuildableError, LookupError, AttributeError):
                yield [put(item, one, _part(item, other)) if at % 2 else item for at, item in enumerate(items)]


def _across_changes(record: Any) -> Iterator[Any]:
    """A record with two times, between which clocks change."""
    dated = [(key, part) for key, _, part in children(record) if is_dated(part)]
    for (one, first), (other, last) in zip(dated[:MOST_COLUMNS], dated[1:]):  # noqa: B905, RUF007 - for Python 3.9
        for before, after in across_changes(first, last):
            with contextlib.suppress(NotBuildableError):
                yield put(put(record, one, before), other, after)


def _part(holder: Any, wanted: Any) -> Any:
    return {key: part for key, _, part in children(holder)}[wanted]


def _sorted(items: List[Any]) -> Any:
    """In order; None where that is not defined or would run code of the user's."""
    if not all(type(item) in (int, float, str, bytes, bool) for item in items):
        return None
    try:
        return sorted(items)
    except TypeError:
        return None


def _text(value: str, special: Sequence[str]) -> Iterator[Edge]:
    half = len(value) // 2
    yield from (("another encoding", name) for name in _other_encodings(value))
    yield "empty", ""
    yield from dated_text_edges(value)
    yield "one character", value[:1] or "a"
    yield "blank", " "
    words = itertools.islice(_WORD.finditer(value), MOST_WORDS)
    yield from (("text without a word", value[: word.start()] + value[word.end() :]) for word in words)
    for changed in (f"{value}\n", f" {value} "):  # `$` of a pattern matches before a last newline, `fullmatch` does not
        yield "blank around a text", changed
    yield from in_turns([with_special(value, special), _changed_text(value, half)])  # the special ones may be many


def with_special(value: str, special: Sequence[str]) -> Iterator[Edge]:
    """Each of these characters alone, then in the middle and at the end of the text."""
    half = len(value) // 2
    for odd in special:
        yield "unicode", odd
        yield "unicode", value[:half] + odd + value[half:] + odd


def _changed_text(value: str, half: int) -> Iterator[Edge]:
    for changed in (value[:1] + value, value + value[-1:]):  # `strip` takes both, a slice takes one
        yield "its first or last character twice", changed
    yield from (("zero before a number", changed) for changed in _zero_before_numbers(value))
    for changed in (value + value, value.upper(), value.lower(), value[::-1], value[: half + 1]):
        yield "text changed", changed
    for changed in (value.upper() + WITHOUT_CAPITAL, value.lower() + TITLE_CASE):
        yield "unicode", changed
    yield "text changed", value.title()
    for blank in WHITESPACE:
        yield "blank", value[:half] + blank + value[half:] + blank
    for odd in ODD_TEXTS:
        yield "unicode", value[:half] + odd + value[half:]
    for odd in ODD_TEXTS[:6]:
        yield "unicode", odd
    for digit in ("0", "-1", "1_0", "\x00", "aa", "a" * 40):
        yield "text changed", digit
    for odd in ODD_ENDS:
        yield "long text with an odd end", (value[:1] or "a") * LONG_TEXT + odd


def _zero_before_numbers(value: str) -> Iterator[str]:
    """The text with a zero before its first number, and with one before its last."""
    starts = [each.start() for each in _NUMBER.finditer(value)]
    for start in dict.fromkeys([*starts[:1], *starts[-1:]]):
        yield f"{value[:start]}0{value[start:]}"


def _other_encodings(value: str) -> Iterator[str]:
    """Encodings of other kinds where a text names one: with several bytes for a letter, with zeros, with a mark."""
    if _ENCODING.fullmatch(value):
        with contextlib.suppress(LookupError):
            known = codecs.lookup(value).name
            yield from (each for each in ENCODINGS if each != known)


def _bytes(value: Any) -> Iterator[Edge]:
    kind = type(value)
    for changed in (
        value[:1],
        value + value,
        value[::-1],
        value[: len(value) // 2],
        b"\x00",
        b"\xff\xfe",
        value + b"\n",
    ):
        yield "bytes changed", kind(changed)
    yield "empty", kind()


def _integer(value: int) -> Iterator[Edge]:
    for kind, changed in (
        ("zero", 0),
        ("small number", 1),
        ("negative", -1),
        ("small number", 2),
        ("small number", value + 1),
        ("small number", value - 1),
        ("negative", -value),
    ):
        yield kind, changed
    yield "bool for int", True
    yield "bool for int", False
    yield "small number", value // 2
    for changed in HUGE_INTEGERS:
        yield "huge", changed


def _float(value: float) -> Iterator[Edge]:
    yield "zero", 0.0
    for odd in ODD_FLOATS:
        yield "not a number, infinite or -0.0", odd
    yield "negative", -value
    yield "small number", 1.0
    yield "small number", value + 0.1
    for large in LARGE_FLOATS:
        yield "huge", large


def _boolean(value: bool) -> Iterator[Edge]:
    yield "other boolean", not value


def _mapping(value: Any) -> Iterator[Edge]:
    items = list(value.items())

    def of(chosen: Iterable[Tuple[Any, Any]]) -> Any:
        copied = value.copy()
        copied.clear()
        for key, item in chosen:
            copied[key] = item
        return copied

    yield "empty", of(())
    if not items:
        return
    few = items[:FEW]
    yield "one element", of(items[:1])
    for key in _other_keys(items[0][0]):
        if key not in value:
            yield "one key more", of([*few, (key, separate([items[0][1]] * 2)[1])])
            yield from (("one key more", of([*few, (key, other)])) for other in _unlike(items[0][1]))
    yield from ((word, of(changed)) for word, changed in _reordered(items))
    yield "fewer elements", of(items[: len(items) // 2])
    yield "fewer elements", of(items[1:])
    yield "duplicates", of((key, few[0][1]) for key, _ in few)
    values = [item for _, item in few]
    yield "unsorted", of(zip((key for key, _ in few), values[1:] + values[:1]))  # noqa: B905 - Python 3.9 has no strict


def _unlike(value: Any) -> Iterator[Any]:
    """A value of the same kind that is not equal."""
    kind = container_kind(value)
    with contextlib.suppress(NotBuildableError):
        if kind in (str, bytes, int, float, bool):
            yield not value if kind is bool else value + value[:1] if kind in (str, bytes) else value + 1
        elif kind in (list, tuple) and len(value) > 1 and not is_named_tuple(type(value)):
            yield like(value, separate([*plain_of(value)][1:]))


def _other_keys(key: Any) -> Tuple[Any, ...]:
    """Keys of the same type that a table like the real one may hold, and that a rewrite may not expect."""
    if type(key) is str:
        return (key.swapcase(), f"{key} {key}", "", "\xe9")
    return (0, -1, 2**63) if type(key) is int else ()


def _set(value: Any) -> Iterator[Edge]:
    items = list(value)
    kind = type(value)
    yield "empty", kind()
    if items:
        yield "one element", kind(items[:1])
        yield "fewer elements", kind(items[: len(items) // 2])
        yield "fewer elements", kind(items[1:])


_EDGES: Dict[type, Callable[[Any], Iterable[Edge]]] = {
    list: _sequence,
    tuple: _sequence,
    collections.deque: _sequence,
    dict: _mapping,
    collections.OrderedDict: _mapping,
    collections.defaultdict: _mapping,
    collections.Counter: _mapping,
    set: _set,
    frozenset: _set,
    bytes: _bytes,
    bytearray: _bytes,
    int: _integer,
    float: _float,
    bool: _boolean,
    dt.date: date_edges,
    dt.datetime: datetime_edges,
    dt.timedelta: timedelta_edges,
}


def in_turns(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """One of each in turn, as long as there are any."""
    missing = object()
    for row in itertools.zip_longest(*iterables, fillvalue=missing):
        yield from (item for item in row if item is not missing)
