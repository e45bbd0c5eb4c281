"""Makes more, or less, of the same data: copies of real values in which only what tells one from another is new.

Repeating a list as it is would not do: a set of its elements would stay as small as it was, and a function that looks
for duplicates would look like one that scales. So copies are renamed. Which parts of the data are names (an id, a key,
a word that stands for something) is told column by column: the third field of all records, the second run of digits
of all lines. A column is made of names if most of its values differ, or if it refers to such a column. Renaming is a
function of the value and of a copy's number alone, so that every reference leads to an element that is there. Some lead
to another copy: a network of copies that nothing links would be no larger for who walks through it from one place.
"""

from __future__ import annotations

import copy
import math
import re
from collections import deque
from typing import Any, Callable, Dict, Iterator, List, Sequence, Set, Tuple

from .call_parts import constructor_parameters, like, record_with
from .container_kinds import NotBuildableError
from .table_rows import header_size, is_table

SEQUENCES = (list, tuple, deque)
TEXTS = (str, bytes, bytearray)
SIZED = frozenset({*SEQUENCES, *TEXTS, dict, set, frozenset})
MOSTLY = 0.5  # of the values differ: a column of names
REFERRING = 0.9  # of the values are names of other columns,
REFERRED = 0.1  # and they are no fewer than this share of all names: the column refers to those
FEW = 8  # values, below which a column tells nothing
CROSSING = 3  # one in so many references leads to the next copy
LEAST_RUN = 4  # integers, of which one can tell that they follow one another
LONGEST_ROW = 32  # a longer list in a list is a collection, not a record
LOOKED_AT = 50_000  # leaves; the columns of larger data look no different
DEEPEST = 6
LINES, WORDS = 4, 8  # line ends, or blanks, from which a text consists of lines, or words
_TOKEN = re.compile(r"[0-9]+|[A-Za-z]+|[^0-9A-Za-z]+")
_WHOLE = "whole"  # the column of texts as such, where no part of them is a name by itself

NATURAL, DISTINCT, EQUAL = "natural", "distinct", "equal"  # how the elements of more data differ from one another

Path = Tuple[Any, ...]
Rename = Callable[[Any, Path], Any]


class Copies:
    """Knows the columns of some values, and resizes these values. All of them are learned from together.

    A column of fewer than `few` values is none of names. More data is like the real data if it is to be `NATURAL`; of
    `DISTINCT` data no two elements are equal, of `EQUAL` data all are. Integers that mostly follow one another do so in
    `DISTINCT` data, too. A header (`table_rows`) comes first, and once.
    """

    def __init__(self, values: Sequence[Any], few: int = FEW, *, rename: bool = True, variety: str = NATURAL) -> None:
        self._values, self._variety = values, variety
        self._columns: Dict[Path, List[Any]] = {}
        self._room = LOOKED_AT
        if rename:
            for place, value in enumerate(values):
                units = _units(value)[0]
                for unit in units[_header(value, units) :]:
                    self._look(unit, (place, "*"), 0)
        keys = {(place, "*", 0) for place, value in enumerate(values) if type(value) is dict}
        self._names, self._references = _columns_of_names(self._columns, keys, few)
        self._places: Dict[Path, List[int]] = {}  # of the parts of a text that are names, by where the text is
        for path in self._names:
            if type(path[-1]) is int:
                self._places.setdefault(path[:-1], []).append(path[-1])
        for places in self._places.values():
            places.sort()
        every = [value for column in self._columns.values() for value in column if type(value) in (int, float)]
        self._span = math.ceil(max(every) - min(every)) + 1 if every and all(map(math.isfinite, every)) else 1
        numbers = [int(value) for path in self._names for value in self._columns[path] if _is_number(value)]
        self._gap = (max(numbers) - min(numbers)) / len(set(numbers)) if numbers else math.inf

    def resize(self, place: int, factor: float) -> Any:
        """The value at `place` with about `factor` times as many elements, at least one.

        Raises:
            ValueError: there is nothing in it to make more of.
            NotBuildableError: a class makes no object with fresh names.
        """
        units, join = _units(self._values[place])
        if not units:
            raise ValueError("it is empty")
        size = max(round(len(units) * factor), 1)
        if factor <= 1:
            return join(units[:size])
        header = _header(self._values[place], units)
        return join(units[:header] + self._more(units[header:], place, size - header, math.ceil(factor)))

    def _more(self, units: List[Any], place: int, size: int, count: int) -> List[Any]:
        """So many elements like those of the value at `place`, in at least `count` copies."""
        if self._variety == EQUAL:
            return [copy.deepcopy(units[0]) for _ in range(size)]
        if self._variety == DISTINCT:
            if step := _step_of(units):
                return [units[0] + number * step for number in range(size)]
            fresh = [self._fresh(units[number % len(units)], (place, "*"), number) for number in range(size)]
            return sorted(fresh, reverse=_order(units) < 0) if _order(units) else fresh
        count = max(count, math.ceil(size / len(units)))
        made = [
            self._copied(unit, (place, "*"), number, count, index)
            for number in range(count)
            for index, unit in enumerate(units)
        ][:size]
        order = _order(units)
        return sorted(made, reverse=order < 0) if order else made

    def resize_grid(self, grid: Any, factor: float) -> Any:
        """Rows and columns of a grid, both `factor` times as many; the cells are repeated as they are."""
        height, width = len(grid), len(grid[0])
        rows = [_tiled(row, max(round(width * factor), 1)) for row in _tiled(grid, max(round(height * factor), 1))]
        return type(grid)(rows)

    def _look(self, value: Any, path: Path, depth: int) -> None:
        """Sort the leaves of a value into columns."""
        kind = type(value)
        if self._room <= 0 or depth > DEEPEST:
            return
        if kind in (int, float):
            self._room -= 1
            self._columns.setdefault(path, []).append(value)
        elif kind is str:
            self._room -= 1
            self._columns.setdefault((*path, _WHOLE), []).append(value)
            for place, token in enumerate(_TOKEN.findall(value)):
                if token.isalnum():
                    self._columns.setdefault((*path, place), []).append(token)
        else:
            for part, below in _parts(value, path):
                self._look(part, below, depth + 1)

    @property
    def is_repeated(self) -> bool:
        """Whether more of the data are plain repetitions of what is there."""
        return self._variety == NATURAL and not self._names

    def _fresh(self, unit: Any, path: Path, number: int) -> Any:
        """An element like this one that equals none with another number.

        Raises:
            NotBuildableError: its class makes no such object.
        """

        def renamed(value: Any, _path: Path) -> Any:
            return _shifted(value, number) if type(value) is str else value + number * self._span

        made = _rebuilt(unit, path, renamed, 0)
        return copy.deepcopy(unit) if made is unit else made

    def _with_names(self, value: Any, path: Path, rename: Rename) -> Any:
        """A leaf with the names in it renamed: the whole of it, or parts of a text."""
        if type(value) is not str:
            return rename(value, path) if path in self._names else value
        if (*path, _WHOLE) in self._names:
            value = rename(value, (*path, _WHOLE))
        places = self._places.get(path)
        if not places:
            return value
        tokens = _TOKEN.findall(value)
        for place in places:
            if place < len(tokens):
                tokens[place] = rename(tokens[place], (*path, place))
        return "".join(tokens)

    def _copied(self, unit: Any, path: Path, number: int, count: int, index: int) -> Any:
        """Copy `number` of `count` of one element, which is the one at `index`.

        Raises:
            NotBuildableError: its class makes no such object.
        """
        if not self._names:
            return copy.deepcopy(unit)
        met = index

        def renamed(value: Any, path: Path) -> Any:
            nonlocal met
            own = number
            if path in self._references:
                met += 1
                own = (number + (met % CROSSING == 0)) % count
            if _is_number(value):
                fresh = int(value) * count + own if self._gap < 2 * count else int(value) + own
                return fresh if type(value) is int else str(fresh).zfill(len(value))
            return value * (1 + own * 1e-7) if type(value) is float else _shifted(value, own)

        made = _rebuilt(unit, path, lambda value, path: self._with_names(value, path, renamed), 0)
        return copy.deepcopy(unit) if made is unit else made


def is_grid(value: Any) -> bool:
    """Whether it is a list of rows of equal length, about as long as there are rows: both dimensions grow.

    A table is none: its rows have the fields that they have.
    """
    if type(value) not in (list, tuple) or len(value) < 4:
        return False
    kind, width = type(value[0]), len(value[0]) if type(value[0]) in (list, tuple, str) else 0
    if not len(value) <= 4 * width <= 16 * len(value):
        return False
    return all(type(row) is kind and len(row) == width for row in value) and not is_table(value)


def _units(value: Any) -> Tuple[Any, Callable[[List[Any]], Any]]:
    """The elements that a value is repeated by, and how to put elements together again."""
    kind = type(value)
    if kind is bytes or kind is bytearray:
        units, join = _units(value.decode("latin-1"))
        return units, lambda made: kind(join(made).encode("latin-1", "replace"))
    if kind is str:
        if value.count("\n") >= LINES:
            lines = value.split("\n")
            end = "\n" if lines[-1] == "" else ""
            return (lines[:-1] if end else lines), lambda made: "\n".join(made) + end
        if value.count(" ") >= WORDS:
            return value.split(" "), " ".join
        return list(value), "".join
    if kind is dict:
        return list(value.items()), dict
    return list(value), kind


def _header(value: Any, units: Sequence[Any]) -> int:
    """How many of the elements of a value are its header: the entries of dictionaries are none."""
    return 0 if type(value) in (dict, set, frozenset) else header_size(units)


def _order(units: Sequence[Any]) -> int:
    """1 if the elements rise, -1 if they fall, 0 if neither or if they cannot be compared."""
    if len(units) < FEW or not all(type(unit) in (int, float, str, tuple) for unit in units):
        return 0
    try:
        if all(units[place] <= units[place + 1] for place in range(len(units) - 1)):
            return 1
        return -all(units[place] >= units[place + 1] for place in range(len(units) - 1))
    except TypeError:
        return 0


def _step_of(units: Sequence[Any]) -> int:
    """1 or -1 if most of the elements are the integer behind the one before, or the one ahead of it; else 0."""
    if len(units) < LEAST_RUN or not all(type(unit) is int for unit in units):
        return 0
    steps = [other - one for one, other in zip(units, units[1:])]  # noqa: B905, RUF007 - for Python 3.9
    return next((step for step in (1, -1) if steps.count(step) >= MOSTLY * len(steps)), 0)


def _tiled(value: Any, size: int) -> Any:
    return (value * -(-size // len(value)))[:size]


def _parts(value: Any, path: Path) -> Iterator[Tuple[Any, Path]]:
    """What a container holds, each with the column that it belongs to."""
    kind = type(value)
    if kind is dict:
        is_record = 0 < len(value) <= LONGEST_ROW and all(type(key) is str for key in value)
        for key, held in value.items():
            if not is_record:
                yield key, (*path, "key")
            yield held, (*path, key if is_record else "value")
    elif kind in (list, tuple, deque, set, frozenset):
        is_row = kind in (list, tuple) and len(value) <= LONGEST_ROW
        for place, held in enumerate(value):
            yield held, (*path, place if is_row else "*")
    elif isinstance(value, tuple):
        for place, held in enumerate(value):
            yield held, (*path, place)
    elif not isinstance(value, type):
        for name, held in _attributes(value).items():
            yield held, (*path, "." + name)


def _attributes(value: Any) -> Dict[str, Any]:
    held = getattr(value, "__dict__", {})
    return held if type(held) is dict else {}


def _rebuilt(value: Any, path: Path, rename: Rename, depth: int) -> Any:
    """The value again with every leaf renamed; containers in it are new."""
    kind = type(value)
    if depth > DEEPEST:
        return value
    if kind in (int, float, str):
        return rename(value, path)
    if value is None or kind in (bool, complex, bytes, bytearray) or isinstance(value, type):
        return value
    parts = [_rebuilt(part, below, rename, depth + 1) for part, below in _parts(value, path)]
    if kind is dict:
        # Of a record there are no keys among the parts: they are names of fields.
        return dict(zip(value, parts)) if len(parts) == len(value) else dict(zip(parts[::2], parts[1::2]))  # noqa: B905
    return kind(parts) if kind in SIZED else _rebuilt_object(value, parts)


def _rebuilt_object(value: Any, parts: Sequence[Any]) -> Any:
    """An object that its class makes of these attributes; the object itself if none is another.

    Attributes that the constructor does not take are what the class makes of the others.

    Raises:
        NotBuildableError: its class makes no such object.
    """
    if isinstance(value, tuple):
        return like(value, parts)
    held = _attributes(value)
    changed = {name: part for (name, own), part in zip(held.items(), parts) if not _is_same(own, part)}  # noqa: B905
    if not changed:
        return value
    names = constructor_parameters(type(value))
    if names.keys().isdisjoint(held):
        raise NotBuildableError(type(value).__name__)
    taken = {name: part for name, part in changed.items() if name in names}
    return record_with(value, taken) if taken else value


def _is_same(one: Any, other: Any) -> bool:
    """Whether nothing was renamed in a value; no code of its class is asked."""
    kind = type(one)
    if one is other:
        return True
    if kind is not type(other):
        return False
    if kind in (int, float, *TEXTS):
        return bool(one == other)
    if kind is dict:
        return _is_same(list(one.items()), list(other.items()))
    if kind in (list, tuple, deque):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return kind in (set, frozenset) and {*map(id, one)} == {*map(id, other)}


def _columns_of_names(columns: Dict[Path, List[Any]], keys: Set[Path], few: int) -> Tuple[Set[Path], Set[Path]]:
    """The columns whose values tell one element from another with those that refer to these, and the latter alone.

    A column that refers to the keys of a dictionary does so even if its values all differ.
    """
    distinct = {path: set(values) for path, values in columns.items() if len(values) >= few}
    of_keys = {path for path in distinct if path[-1] == "key" or (path[:3] in keys and len(path) <= 4)}
    names = {path for path, values in distinct.items() if len(values) >= MOSTLY * len(columns[path])}
    references = _referring(distinct, of_keys) | _referring(distinct, names)
    names |= references
    parts = {path[:-1] for path in names if path[-1] != _WHOLE}
    return {path for path in names if path[-1] != _WHOLE or path[:-1] not in parts}, references


def _referring(distinct: Dict[Path, Set[Any]], names: Set[Path]) -> Set[Path]:
    """The columns whose values are among those of `names`, and no few of them."""
    known: Set[Any] = set().union(*(distinct[path] for path in names))
    fewest = max(FEW, REFERRED * len(known))
    return {
        path
        for path, values in distinct.items()
        if path not in names and len(values) >= fewest and len(values & known) >= REFERRING * len(values)
    }


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is str and value.isdigit())


def _shifted(text: str, number: int) -> str:
    """Another text of the same shape: `number` moves its letters and digits, the last ones first.

    Where they are too few to tell so many texts apart, more of the first one's kind come before them.
    """
    characters, places = list(text), [place for place, each in enumerate(text) if _period(each)[1]]
    for place in reversed(places):
        first, period = _period(characters[place])
        number, step = divmod(number, period)
        characters[place] = chr(first + (ord(characters[place]) - first + step) % period)
    while number and places:
        first, period = _period(text[places[0]])
        number, step = divmod(number, period)
        characters.insert(places[0], chr(first + step))
    return "".join(characters)


def _period(character: str) -> Tuple[int, int]:
    """The first character of this one's kind, and how many there are; none for those that are not moved."""
    if "0" <= character <= "9":
        return ord("0"), 10
    if "a" <= character <= "z" or "A" <= character <= "Z":
        return ord("a" if character >= "a" else "A"), 26
    return 0, 0
