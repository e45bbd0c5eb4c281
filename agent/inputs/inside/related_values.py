"""Values for one place of a call that have to do with the code or with the call's other parts.

Constants of the code and of the module's tables, and those beside them; values of other arguments; texts that contain
one another or overlap; links that go further than Python recurses; objects of a subclass. Made inputs without these
seldom meet a limit exactly.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import math
import re
from decimal import Decimal
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Set, Tuple

from .call_parts import Place, Root, fields, like, places, record_as, with_value
from .container_kinds import HEAP_TYPE, SEQUENCES, NotBuildableError, alike, container_kind, plain_of
from .edge_values import CONFUSABLE, FEW
from .held_functions import functions_for
from .key_paths import FALSE, with_ways
from .list_iterators import LIST_ITERATOR, items_left
from .looked_up_keys import looked_up
from .nested_values import CHAIN, nested
from .value_runs import value_runs

MOST_CONSTANTS = 60  # of one type
MOST_LENGTHS, LONGEST = 6, 2_000  # of sequences and texts; elements
MOST_TEXTS = 6  # of other places, that a text is made of
MOST_CHARACTERS, LONGEST_OF_FEW = 3, 4  # of texts that are made of characters that the code mentions
MOST_SEPARATORS = 6
MOST_IN_CYCLE = 3  # links
MOST_ELEMENTS = 6  # of another sequence
LONG_CHAIN = "long chain"
OVERLAPPING = "texts that overlap in another text"
MATCHED = "text that a pattern of the code matches"
KEY_OF_WAY = "key that names a way to another"
OF_LENGTH = "as many elements as the code mentions"
LONGEST_TEXT = 40  # of a constant: longer ones are messages
MOST_UNITS = 4  # of which powers are taken, and sums with smaller constants
MOST_RESTS = 6  # of these
_LEAST_UNIT, _LARGEST_UNIT = 10, 10_000
_LARGEST = 2**63
_PRIME = 7_919  # above LONGEST, so that its multiples come to each remainder once
_NUMBERS = (int, float)
_TIMES = (dt.date, dt.datetime, dt.time, dt.timedelta)
SCALARS = (str, bytes, *_NUMBERS, complex, Decimal, Fraction, *_TIMES)

Related = Tuple[str, Root]  # kind, arguments


class Constants:
    """Numbers and texts that the code mentions, by type."""

    def __init__(
        self,
        values: Iterable[Any],
        of_tables: Sequence[str] = (),
        of_patterns: Sequence[str] = (),
        special_characters: Sequence[str] = (),
    ) -> None:
        self.of_tables = of_tables  # texts of the keys of tables
        self.of_patterns = of_patterns  # texts that regular expressions match
        self.special_characters = special_characters  # see `special_characters`
        self._by_type: Dict[type, Dict[Any, None]] = {int: {}, float: {}, str: {}}
        for value in values:
            known = self._by_type.get(type(value))
            if known is None:  # nothing of another type is even hashed: it may not be hashable
                continue
            if len(known) < MOST_CONSTANTS and not (type(value) is str and len(value) > LONGEST_TEXT):
                known.setdefault(value)

    def samples(self, kind: type) -> List[Any]:
        """Those of a type, each number with those beside it."""
        return [value for constant in self._by_type.get(kind, ()) for value in (_beside(constant, kind) or (constant,))]

    def lengths(self) -> List[int]:
        """Integers, each with those beside it, that are longer than an edge case and no longer than is quick to try."""
        lengths = (value for value in self.samples(int) if FEW < value <= LONGEST)
        return list(itertools.islice(dict.fromkeys(lengths), MOST_LENGTHS))

    def separators(self) -> List[str]:
        """The characters that the code mentions alone and that are neither letters nor digits."""
        return [text for text in self._by_type[str] if len(text) == 1 and not text.isalnum()]

    def exchanged(self, text: str) -> Iterator[str]:
        """The text with one of the separators of the code in place of another: `1,5` for `1.5`."""
        separators = self.separators()[:MOST_SEPARATORS]
        for old, new in itertools.permutations(separators, 2):
            if old in text:
                yield text.replace(old, new)

    def combined_characters(self) -> Iterator[str]:
        """Short texts of the characters that the code mentions alone: what escapes and separates, in every order."""
        characters = [text for text in self._by_type[str] if len(text) == 1][:MOST_CHARACTERS]
        longest = LONGEST_OF_FEW if len(characters) <= 2 else LONGEST_OF_FEW - 1
        for length in range(2, longest + 1):
            yield from map("".join, itertools.product(characters, repeat=length))

    def near(self, value: Any) -> Iterator[Any]:
        """Constants in place of a value of their type, each with those beside it; the other kind of number, too."""
        kind = type(value)
        if kind is str:
            yield from self._by_type[str]
        elif kind in _NUMBERS:
            for constant in itertools.chain(self._by_type[int], self._by_type[float], self._powers(), self._sums()):
                yield from _beside(constant, kind)

    def _powers(self) -> Iterator[int]:
        """Squares and cubes of numbers such as 60, 1000 and 1024: where the code goes on to the next larger unit."""
        for unit in self._units():
            yield unit**2
            yield unit**3

    def _sums(self) -> Iterator[int]:
        """A unit and a smaller constant: 1099 has the remainder 99 where the code divides by 1000."""
        for unit in self._units():
            smaller = (value for value in self._by_type[int] if 0 < value < unit)
            yield from (unit + rest for rest in itertools.islice(smaller, MOST_RESTS))

    def _units(self) -> Iterator[int]:
        return itertools.islice(
            (value for value in self._by_type[int] if _LEAST_UNIT <= value <= _LARGEST_UNIT), MOST_UNITS
        )


def related_inputs(root: Root, place: Place, constants: Constants) -> Iterator[Related]:
    """The call with another value in this place, the telling ones first."""
    if type(place.value) is str:
        yield from (("key of a table with a false value", each) for each in looked_up(root, place, FALSE))
        yield from ((kind, with_value(root, place, text)) for kind, text in _of_separators_and_keys(place, constants))
    yield from (("consecutive values", run) for run in value_runs(root, place))
    yield from inputs_of_lengths(root, place, constants)
    if type(place.value) in SCALARS:
        yield from ((kind, with_value(root, place, value)) for kind, value in _of_scalar(root, place, constants))
    if type(place.value) is str:
        yield from _of_text(root, place, constants)
    elif container_kind(place.value) is dict:
        yield from _of_mapping(root, place, constants)
    elif type(place.value) in SEQUENCES and place.value:
        for kind, items in _of_sequence(root, place):
            yield kind, with_value(root, place, like(place.value, items))
        yield from _of_one_nan(root, place)
    yield from ((kind, with_value(root, place, made)) for kind, made in _functions_for(root, place))
    for changed in _of_subclasses(place.value):
        yield "object of a subclass", with_value(root, place, changed)
    deep = nested(place.value)
    if deep is not None:
        yield LONG_CHAIN, with_value(root, place, deep)


def _of_scalar(root: Root, place: Place, constants: Constants) -> Iterator[Tuple[str, Any]]:
    yield from (("constant of the code", value) for value in _unlike(place.value, constants.near(place.value)))
    yield from (("value of another argument", value) for value in _unlike(place.value, _elsewhere(root, place)))
    lengths = _unlike(place.value, _lengths_beside(root, place))
    yield from (("as large as another argument is long", length) for length in lengths)


def _of_sequence(root: Root, place: Place) -> Iterator[Tuple[str, List[Any]]]:
    """Texts that contain each other; elements of the same type that stand in another place, alone and after its own."""
    own = list(place.value)
    if type(own[0]) is str:
        first = own[0] or "a"
        yield "texts that contain each other", [first, first + first[:1], first[:1]]
        yield "texts that contain each other", [first[:1], first, first + first]
        for letters in _of_nearly_the_same_letters(first):
            yield "texts of nearly the same letters", letters
        for pieces in _pieces_of_texts(root, place):
            yield OVERLAPPING, pieces
    for other in places(root):
        if other.site != place.site and type(other.value) in SEQUENCES and other.value:
            theirs = list(other.value)[:MOST_ELEMENTS]
            if type(theirs[0]) is type(own[0]):
                yield "elements of another argument", theirs
                yield "elements of another argument", own[:MOST_ELEMENTS] + theirs


def _of_nearly_the_same_letters(text: str) -> Iterator[List[str]]:
    """Texts in another order; of the same letters, but unlike often; of letters whose numbers have the same sum."""
    one, other = [*dict.fromkeys(text + "ba")][:2]
    yield [one + other, other + one]
    yield [one + one + other, one + other + other]
    if " " < one <= "w":
        first, second, third, fourth = (chr(ord(one) + number) for number in range(4))
        yield [first + fourth, second + third]


def _pieces_of_texts(root: Root, place: Place) -> Iterator[List[str]]:
    """Two pieces of each text beside this place that share a part of it, the later one first.

    Whoever looks for one after the other finds the later one there; whoever looks for both at once, the earlier one.
    """
    beside = (each.value for each in places(root) if each.site[: len(place.site)] != place.site)
    for value in itertools.islice((each for each in beside if type(each) is str), MOST_TEXTS):
        text = value[:LONGEST_TEXT]
        words = [(found.start(), found.end()) for found in itertools.islice(re.finditer(r"\S+", text), 3)]
        if len(words) == 3:
            (start, _), (middle, end), (_, last) = words
            yield [text[middle:last], text[start:end]]
        elif text[1:3] != text[:2] and len(text) > 2:
            yield [text[1:3], text[:2]]


def _functions_for(root: Root, place: Place) -> Iterator[Tuple[str, Any]]:
    """Functions that do otherwise for some elements of another argument: see `held_functions`."""
    for other in places(root) if type(place.value) in (FunctionType, BuiltinFunctionType) else ():
        value = other.value
        if type(value) in (str, LIST_ITERATOR, *SEQUENCES) and other.site[: len(place.site)] != place.site:
            yield from functions_for(items_left(value) if type(value) is LIST_ITERATOR else value)


def inputs_of_lengths(root: Root, place: Place, constants: Constants) -> Iterator[Related]:
    """As many elements as the code mentions, one more and one less: a rewrite may do otherwise from a length on."""
    value = place.value
    for length in constants.lengths() if type(value) in (str, *SEQUENCES) and value else ():
        if type(value) is str:
            yield OF_LENGTH, with_value(root, place, (value[:LONGEST_TEXT] * length)[:length])
            continue
        items = list(itertools.islice(value, FEW))
        yield OF_LENGTH, with_value(root, place, like(value, _no_two_equal(items[0], length)))
        for few in (items, CONFUSABLE.get(type(items[0]), ())):
            longer = list(itertools.islice(itertools.cycle(few), length)) if few else []
            yield OF_LENGTH, with_value(root, place, like(value, longer))


def _no_two_equal(first: Any, length: int) -> List[Any]:
    """So many numbers or texts like this one, in no order; none for others."""
    numbers = [number * _PRIME % length for number in range(length)]
    if type(first) is str:
        return [f"{first[:LONGEST_TEXT]}{number}" for number in numbers]
    return [first + number for number in numbers] if type(first) in _NUMBERS else []


def _of_one_nan(root: Root, place: Place) -> Iterator[Related]:
    """The same NaN object in this sequence and in another place: `in`, `count` and sets take it for equal there."""
    if type(place.value[0]) is not float:
        return
    here = with_value(root, place, like(place.value, [math.nan, *list(place.value)[:MOST_ELEMENTS]]))
    for other in places(root):
        outside = other.site[: len(place.site)] != place.site
        if outside and type(other.value) is float:
            yield "the same not-a-number twice", _with_each(here, [other.site], math.nan)
        elif outside and type(other.value) in SEQUENCES and other.value and type(other.value[0]) is float:
            theirs = like(other.value, [math.nan, *list(other.value)[:MOST_ELEMENTS]])
            yield "the same not-a-number twice", _with_each(here, [other.site], theirs)


def _of_separators_and_keys(place: Place, constants: Constants) -> Iterator[Tuple[str, str]]:
    """They are few, and come before what depends on how many constants there are."""
    yield from (("separator of the code for another", text) for text in constants.exchanged(place.value))
    yield from (("keys of a table in one text", place.value[:LONGEST_TEXT] + text) for text in constants.of_tables)
    yield from matched_texts(place, constants)


def matched_texts(place: Place, constants: Constants) -> Iterator[Tuple[str, str]]:
    """A text with what a pattern of the code matches after it, before it, and in its place, one for each match."""
    own = place.value[:LONGEST_TEXT]
    for number, text in enumerate(constants.of_patterns):
        yield MATCHED, (own + text, text + own, text)[number % 3]


def _of_text(root: Root, place: Place, constants: Constants) -> Iterator[Related]:
    for value in _unlike(place.value, _of_texts(root, place)):
        yield "text made of other texts", with_value(root, place, value)
    for value in _unlike(place.value, constants.combined_characters()):
        yield "characters that the code mentions", with_value(root, place, value)
    around = place.value[:LONGEST_TEXT]
    for constant in constants.near(place.value):
        for value in (f"{around} {constant} {around}", constant + constant):
            yield "constant of the code in a text", with_value(root, place, value)


def _of_mapping(root: Root, place: Place, constants: Constants) -> Iterator[Related]:
    table = plain_of(place.value)
    texts = [key for key in table if type(key) is str and key]
    if texts:
        longer = dict(table)
        longer[texts[0] + texts[0][:1]] = table[texts[0]]
        longer[texts[0][:1]] = table[texts[-1]]
        yield "texts that contain each other", _with_content(root, place, longer)
        for pieces in _pieces_of_texts(root, place):
            replaced = {piece: table[texts[number % len(texts)]] for number, piece in enumerate(pieces)}
            yield OVERLAPPING, _with_content(root, place, replaced)
        if all(type(value) is str for value in table.values()) and len(texts) > 1:
            yield "values that are keys", _with_content(root, place, {**table, texts[0]: texts[1]})
        for key, named in _placeholders(root, table, texts[:MOST_TEXTS]):
            yield "value that stands for another", _with_content(root, place, {**table, key: named})
    for content in with_ways(table, constants.separators()):
        yield KEY_OF_WAY, _with_content(root, place, content)
    outside = [each for each in places(root) if each.site[: len(place.site)] != place.site]
    starts = [each.site for each in outside if _is_key(table, each.value)]
    for word, content in _links(table):
        linked = _with_content(root, place, content)
        yield word, _with_each(linked, starts, next(iter(content)))
        yield word, linked


def _placeholders(root: Root, table: Dict[Any, Any], names: Sequence[str]) -> Iterator[Tuple[str, str]]:
    """Keys with a text for their value, each with another key as a template among the arguments names it: `{name}`."""
    templates = [other.value for other in places(root) if type(other.value) is str]
    for key, other in itertools.permutations(names, 2):
        named = re.compile(r"[^\w\s]+%s[^\w\s]+" % re.escape(other))
        found = next(filter(None, map(named.search, templates)), None) if type(table[key]) is str else None
        if found is not None:
            yield key, found.group()


def _with_content(root: Root, place: Place, content: Dict[Any, Any]) -> Root:
    """The call with a mapping of the same class with this content; the call as it is, if there is none."""
    try:
        return with_value(root, place, alike(place.value, content))
    except NotBuildableError:
        return root


def _links(table: Dict[Any, Any]) -> Iterator[Tuple[str, Dict[Any, Any]]]:
    """A cycle of links, and a long chain of them, if keys of the table stand among its values."""
    values = list(table.values())
    link = next((value for value in values if any(_is_key(table, each) for each in (value, *_listed(value)))), None)
    keys = set(map(type, table))
    if link is None or keys not in ({str}, {int}):
        return
    names: List[Any] = list(table)[:MOST_IN_CYCLE]
    for cycle in (names, names[:1]):
        yield "cycle of links", _linked(cycle, [*cycle[1:], cycle[0]], table, link)
    names = ["n%d" % number if keys == {str} else number for number in range(CHAIN)]
    chain = _linked(names, names[1:], table, link)
    if not _is_key(table, link):
        chain[names[-1]] = like(link, []) if type(link) in SEQUENCES else type(link)()
    yield LONG_CHAIN, chain


def _linked(names: Sequence[Any], others: Sequence[Any], table: Dict[Any, Any], link: Any) -> Dict[Any, Any]:
    """A table in which each name leads to the other, as `link` leads somewhere in the real one."""
    pairs = zip(names, others)  # noqa: B905 - for Python 3.9
    return {name: other if _is_key(table, link) else type(link)([other]) for name, other in pairs}


def _listed(value: Any) -> Sequence[Any]:
    return list(value)[:4] if type(value) in (list, tuple, set, frozenset) else ()


def _is_key(table: Dict[Any, Any], value: Any) -> bool:
    return type(value) in (str, int) and value in table


def _with_each(root: Root, sites: Sequence[Tuple[str, ...]], value: Any) -> Root:
    for site in sites:
        place = next((each for each in places(root) if each.site == site), None)
        if place is not None:
            root = with_value(root, place, value)
    return root


def _beside(constant: Any, kind: type) -> Tuple[Any, ...]:
    """A constant as a number of this kind, and its neighbours; nothing if it is no such number."""
    if type(constant) not in _NUMBERS or not abs(constant) < _LARGEST:
        return ()
    if kind is float:
        return (float(constant), float(constant) - 0.01, float(constant) + 0.01)
    return (int(constant), int(constant) - 1, int(constant) + 1) if constant == int(constant) else ()


def _unlike(value: Any, others: Iterator[Any]) -> Iterator[Any]:
    """Those of the scalars that are neither this one nor another one again."""
    known: Set[str] = {repr(value)}
    for other in others:
        if repr(other) not in known:
            known.add(repr(other))
            yield other


def _elsewhere(root: Root, place: Place) -> Iterator[Any]:
    """Values of the same kind that stand in other places of the call."""
    kinds = _NUMBERS if type(place.value) in _NUMBERS else (type(place.value),)
    for other in places(root):
        if other.site != place.site and type(other.value) in kinds:
            yield other.value
        if type(other.value) is dict:
            yield from (key for key in itertools.islice(other.value, MOST_TEXTS) if type(key) in kinds)


def _lengths_beside(root: Root, place: Place) -> Iterator[int]:
    """The lengths of other arguments, each with the numbers beside it: where limits and indices take effect."""
    for other in places(root) if type(place.value) is int else ():
        if len(other.site) == 1 and type(other.value) in (str, bytes, *SEQUENCES):
            yield from (len(other.value), len(other.value) - 1, len(other.value) + 1, -len(other.value))


def _of_texts(root: Root, place: Place) -> Iterator[str]:
    """Texts in which other texts of the call stand beside each other, twice, or overlap."""
    texts = [text for text in _unlike(place.value, _elsewhere(root, place)) if text and len(text) <= LONGEST_TEXT]
    texts = texts[:MOST_TEXTS]
    for text in texts:
        yield text + text
        yield text + text[1:]  # "aba" overlaps itself in "ababa"
        yield place.value[:LONGEST_TEXT] + text
    for one, other in itertools.permutations(texts[:3], 2):
        yield one + other
        yield f"{one} {other}"


def _of_subclasses(value: Any) -> Iterator[Any]:
    """The same object as one of each subclass of the project, as far as its constructor takes the same attributes."""
    is_of_project = bool(fields(value)) and type(value).__flags__ & HEAP_TYPE
    for kind in type.__subclasses__(type(value)) if is_of_project else ():
        with contextlib.suppress(NotBuildableError):
            yield record_as(kind, value, {})
