"""Encodes Python values as canonical JSON: two values are told apart if a caller could tell them apart.

The tree: None, booleans, text and integers of up to 64 bits are themselves; everything else is a list that begins
with a tag. Mutable objects are numbered in the order in which they are met, and `["ref", n]` stands for one that was
met before. An element of a set is written as if it stood there alone; `["shares", element, [place, n], …]` is one whose
objects at these places were met before, `["shared", n]` follows on elements that look alike and have but n objects
together. What goes beyond a budget is folded into a digest, so an encoding stays small whatever the value.
What cannot be looked into becomes `["opaque", type]`, and `Encoder.opaque` tells so.

No code of the value's class is run: no `__eq__`, `__hash__`, `__repr__`, `__reduce__`, no property. Only iterators run,
through `drain`, which the driver times. `type_plans` knows the single types.
"""

from __future__ import annotations

from itertools import chain, islice
from json.encoder import encode_basestring_ascii as quote
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple

from . import builtin_values, encoding_parts, type_plans
from .encoded_text import EncodedText, digest_of

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

PLAIN_CHARACTERS = 8_192  # of one part of an outcome; what comes after is folded
OPEN_CHARACTERS = 262_144  # the same where floats are to be compared with a tolerance
_FLOAT_CHARACTERS = 30
PLAIN_LEAF = 2_048  # characters or bytes of one text that are shown as they are
OUTCOME = "outcome"
MAX_DEPTH = 60  # of nested brackets in the result; what lies deeper is folded
MAX_SET_DEPTH = 40  # sets in sets, the one place where the encoder calls itself
MAX_NODES = 20_000_000
CHUNK = 4_096
_INNER_DRAIN_LIMIT = 100_000

# Tells objects that live at the same time apart, as `id` does (by another number), and no audit hook is called:
# `opened_files` has one, which makes `id` slow.
_identity = object.__hash__
# Types by identity: a metaclass may have a hash of its own, which is user code.
_SCALARS = frozenset(map(_identity, (int, float, bool, str, type(None))))
_PLAIN_CONTAINERS = frozenset(map(_identity, (tuple, list, dict)))
_PLAIN_LEVELS = 8
_BEGIN: Dict[type, str] = {tuple: '["tuple"', list: '["list"', dict: '["dict"'}
_LARGE = 1 << 63  # the first integer that is no number in the encoding
_int_text = int.__repr__


class TooLarge(Exception):  # noqa: N818 - a verdict on a value, told to the user as a reason
    """The value has more parts than an encoding may look at."""


def drain_iterator(iterator: Any, limit: int = _INNER_DRAIN_LIMIT) -> encoding_parts.Drained:
    """Take up to `limit` items, for a value that is no outcome; `lazy_results` does it for those."""
    items: List[Any] = []
    ending: object = "exhausted"
    kind = type_plans.class_name(type(iterator))
    try:
        items.extend(islice(iterator, limit))
        if len(items) == limit:
            ending = "more"
    except BaseException as error:  # noqa: BLE001 - whatever user code raises is what a caller would meet
        ending = encoding_parts.Tree("raised", error)
    return encoding_parts.Drained(kind, items, ending)


class Encoder(EncodedText):
    """Writes one tree. Objects must stay alive until the encoder is done, for they are told apart by identity."""

    looks_into_functions = True  # that a call was given without a name
    open_floats = False  # whether floats are for a comparison with a tolerance
    plain = PLAIN_CHARACTERS
    most_nodes = MAX_NODES

    def __init__(
        self,
        module_name: Optional[str] = None,
        drain: Callable[[Any], encoding_parts.Drained] = drain_iterator,
        outer: Optional[Encoder] = None,
    ) -> None:
        """Classes of `__main__` are named as of `module_name`. `outer` is the encoder whose set we are in."""
        super().__init__(self.plain)
        self.opaque: List[str] = outer.opaque if outer else []
        self.module_name = module_name
        self.drain = drain
        self._outer = outer
        self.set_depth: int = outer.set_depth + 1 if outer else 0
        self._numbers: Dict[int, int] = {}
        self.next_number: int = outer.next_number if outer else 0
        self.kept: List[object] = []  # temporary objects, alive so that no other gets their identity
        self._plans: Dict[int, Tuple[type_plans.Plan, type]] = outer._plans if outer else {}  # noqa: SLF001 - one cache
        self._own: Dict[type, Callable[[Any], Iterator[Any]]] = {
            encoding_parts.Tree: self._tree,
            encoding_parts.Drained: self._drained,
            encoding_parts.Items: self._items,
            encoding_parts.Encoded: self._encoded,
            encoding_parts.Floats: self._floats,
            encoding_parts.Later: self._later,
        }
        self.memory: Any = None  # what `numpy_values` knows of the memory that was met
        self.nodes = 0
        self._place = 0  # brackets around what is written next

    def encode(self, value: object) -> bytes:
        """The canonical bytes of the value: ASCII JSON.

        Raises:
            TooLarge: it has too many parts, or one whose class does not derive from `object`.
        """
        try:
            self._write_all(iter((value,)), 0)
        except TypeError as error:  # of `_identity`, where a metaclass has left `object` out
            raise TooLarge("it cannot be told apart: %s" % error) from None
        return "".join(self._text).encode("ascii")

    def _write_all(self, values: Iterator[Any], depth: int) -> None:
        """Write values that are within so many brackets."""
        stack = [values]
        outer, self._place = self._place, depth + 1
        while stack:
            for child in stack[-1]:
                if self._write_plain(child):
                    continue
                self.nodes += 1
                inside = self._open(child)
                stack.append(self._folded(inside) if self._place > MAX_DEPTH and self._fold is None else inside)
                break
            else:
                stack.pop()
            self._place = depth + len(stack)
            if self.nodes > self.most_nodes:
                raise TooLarge("it has more than %d parts" % self.most_nodes)
        self._place = outer

    def _write_plain(self, value: Any) -> bool:
        """Write the value if that takes no generator; tells whether it did."""
        kind = type(value)
        if kind is tuple or kind is list or kind is dict:
            if self._fold is not None or self._place > MAX_DEPTH:
                return False
            self._write_container(value, self._place)
            return True
        text = builtin_values.scalar(value)
        if text is None:
            return False
        self.nodes += 1
        self.write(text)
        return True

    def _write_container(self, value: Any, place: int) -> None:
        """Write a tuple, list or dictionary that is within so many brackets, while nothing is being folded.

        Most of what is encoded is made of these, so this does by itself what a generator and `write` do for others.
        """
        kind = type(value)
        if kind is not tuple and self.is_known(value):
            return
        values: Iterator[Any] = iter(value.items() if kind is dict else value)
        write, begin = self._text.append, _BEGIN[kind]
        write(begin)
        budget, nodes = self._budget - len(begin), 1
        for item in values:
            if budget <= 0:
                self._budget = budget
                self._write_all(self._rest(chain((item,), values)), place)
                budget = self._budget
                break
            kind, text = type(item), None
            if kind is str:
                text = quote(item) if len(item) <= builtin_values.SHORT_TEXT else None
            elif kind is int and -_LARGE < item < _LARGE:
                text = _int_text(item)
            elif kind is not tuple and kind is not list and kind is not dict:
                text = builtin_values.scalar(item)
            write(",")
            if text is not None:
                nodes += 1
                write(text)
                budget -= 1 + (_FLOAT_CHARACTERS if kind is float and self.open_floats else len(text))
                continue
            self._budget = budget - 1
            if place < MAX_DEPTH and (kind is tuple or kind is list or kind is dict):
                self._write_container(item, place + 1)
            else:
                self._write_all(iter((item,)), place)
            budget = self._budget
        write("]")
        self._budget = budget - 1
        self.nodes += nodes
        if self.nodes > self.most_nodes:
            raise TooLarge("it has more than %d parts" % self.most_nodes)

    def is_known(self, value: object) -> bool:
        """Number a mutable object that is met for the first time; write the number of another."""
        known = self.number_of(value)
        if known is None:
            self._numbers[_identity(value)] = self.next_number
            self.next_number += 1
            return False
        self.nodes += 2
        self.write('["ref",%d]' % known)
        return True

    def _open(self, value: Any) -> Iterator[Any]:
        kind = type(value)
        own = self._own.get(kind) if type(kind) is type else None
        if own is not None:
            return own(value)
        plan = self._plan_of(kind)
        if plan.is_mutable:
            known = self.number_of(value)
            if known is not None:
                return self.parts("ref", known)
            self._numbers[_identity(value)] = self.next_number
            self.next_number += 1
        if plan.is_iterator:
            self.kept.append(value)
            return self._drained(self.keep(self.drain(value)))
        return plan.open(self, value)

    def _plan_of(self, kind: type) -> type_plans.Plan:
        known = self._plans.get(_identity(kind))
        if known is None:
            known = self._plans[_identity(kind)] = (type_plans.plan_of(kind, self.module_name), kind)
        return known[0]

    def number_of(self, value: object) -> Optional[int]:
        """The number of an object that was met before, None for a new one."""
        number = self._numbers.get(_identity(value))
        if number is None and self._outer is not None:
            return self._outer.number_of(value)
        return number

    def identities(self) -> "frozenset[int]":
        """Of the mutable objects that were met."""
        return frozenset(self._numbers)

    def outermost(self) -> Encoder:
        """The encoder of the outcome as a whole: this one, unless it writes an element of a set."""
        encoder = self
        while encoder._outer is not None:
            encoder = encoder._outer
        return encoder

    def keep(self, value: Any) -> Any:
        """Hold a temporary object until the encoding is done."""
        self.kept.append(value)
        return value

    def wrap(self, values: List[Any]) -> encoding_parts.Items:
        """A list of ours as a child; held until the encoding is done."""
        self.kept.append(values)
        return encoding_parts.Items(values)

    def tree(self, tag: str, *children: object) -> encoding_parts.Tree:
        """A tagged list of ours as a child: unlike a value it is not numbered."""
        return encoding_parts.Tree(tag, *children)

    def is_found(self, function: Any) -> Optional[bool]:
        """Whether the function stands under the name that it bears; None if nothing stands there."""
        return type_plans.is_found(function, function.__module__, function.__qualname__)

    # What the single types are made of: generators that write text and yield the values that belong in between.

    def parts(self, tag: str, *children: object) -> Iterator[Any]:
        """`[tag, child, …]` for a few children."""
        self.write('["' + tag + '"')
        for child in children:
            self.write(",")
            yield child
        self.write("]")

    def _tree(self, tree: encoding_parts.Tree) -> Iterator[Any]:
        self.write('["' + tree.tag + '"')
        for child in tree.children:
            self.write(",")
            if tree.tag == OUTCOME:
                self._budget = self.plain
            yield child
        self.write("]")

    def _drained(self, drained: encoding_parts.Drained) -> Iterator[Any]:
        ending = encoding_parts.Tree("ending", drained.ending)
        return self.parts("drained", drained.kind, ending, self.wrap(drained.items), self.wrap(drained.notes))

    def _later(self, later: encoding_parts.Later) -> Iterator[Any]:
        return iter((later.make(),))

    def _items(self, items: encoding_parts.Items) -> Iterator[Any]:
        return self.items("items", items.values)

    def _encoded(self, encoded: encoding_parts.Encoded) -> Iterator[Any]:
        self.write(encoded.text)
        return iter(())

    def items(self, tag: str, values: Iterable[Any]) -> Iterator[Any]:
        """`[tag, item, …]` for any number of items; those beyond the budget become `["rest", count, digest]`."""
        self.write('["' + tag + '"')
        iterator = iter(values)
        if self._fold is None:
            for item in iterator:
                if self._budget <= 0:
                    yield from self._rest(chain((item,), iterator))
                    break
                self.write(",")
                if not self._write_plain(item):
                    yield item
        else:
            yield from self._chunks(iterator)
        self.write("]")

    def _rest(self, iterator: Iterator[Any]) -> Iterator[Any]:
        counter = encoding_parts.Counting(iterator)
        self._begin_fold()
        yield from self._chunks(counter)
        digest = self._end_fold()
        self.write(',["rest",%d,"%s"]' % (counter.count, digest))

    def _chunks(self, iterator: Iterator[Any]) -> Iterator[Any]:
        """The items of something that is being folded; runs of plain data go by in C."""
        while True:
            chunk = list(islice(iterator, CHUNK))
            if not chunk:
                return
            self.nodes += len(chunk)
            if self.nodes > self.most_nodes:
                raise TooLarge("it has more than %d parts" % self.most_nodes)
            text = self._text_of_plain(chunk)
            if text is not None:
                self.write(",plain:")
                self.write(text)
                continue
            for item in chunk:
                self.write(",")
                if not self._write_plain(item):
                    yield item

    def _text_of_plain(self, chunk: List[Any]) -> Optional[str]:
        """`repr` of items that are scalars or unshared containers of such: it tells their types apart, too."""
        found: List[Any] = []  # the lists and dictionaries in the chunk, level by level
        level = chunk
        for _ in range(_PLAIN_LEVELS):
            kinds = set(map(_identity, map(type, level)))
            if kinds <= _SCALARS:
                return self._text_if_unshared(chunk, found)
            if not kinds <= _SCALARS | _PLAIN_CONTAINERS:
                return None
            inner: List[Any] = []
            for value in level:
                kind = type(value)
                if kind is tuple:
                    inner.extend(value)
                elif kind is list:
                    inner.extend(value)
                    found.append(value)
                elif kind is dict:
                    inner.extend(value)
                    inner.extend(value.values())
                    found.append(value)
            level = inner
        return None

    def _text_if_unshared(self, chunk: List[Any], found: List[Any]) -> Optional[str]:
        if found and not self._number_all(found):
            return None
        try:
            return repr(chunk)
        except ValueError:  # an integer with more digits than Python is willing to write out
            return None

    def _number_all(self, found: List[Any]) -> bool:
        """Number new mutable objects in one go; False if one of them was met before."""
        identities = list(map(_identity, found))
        if len(set(identities)) < len(identities) or any(self.number_of(value) is not None for value in found):
            return False
        self._numbers.update((identity, self.next_number + place) for place, identity in enumerate(identities))
        self.next_number += len(identities)
        return True

    def sorted_elements(self, elements: Iterable[Any]) -> Iterator[Any]:
        """The elements of a set in an order that does not depend on hashes."""
        values = list(elements)
        kinds = set(map(_identity, map(type, values)))
        if kinds in ({_identity(int)}, {_identity(str)}):
            return iter(sorted(values))
        if self.set_depth >= MAX_SET_DEPTH:
            raise TooLarge("it has sets in sets in sets, more than %d levels" % MAX_SET_DEPTH)
        alike: Dict[str, List[Encoder]] = {}  # what wrote the elements, by what they look like by themselves
        for value in values:
            inner = type(self)(self.module_name, self.drain, self)
            text = inner.encode(value).decode("ascii")
            self.nodes += inner.nodes
            self.kept.append(inner.kept)
            text = text if len(text) < PLAIN_LEAF else '["digest","%s"]' % digest_of(text.encode("ascii"))
            alike.setdefault(text, []).append(inner)
        texts: List[str] = []
        base = self.next_number
        for text in sorted(alike):
            texts += [text] * len(alike[text]) if self.open_floats else self._numbered(text, alike[text], base)
        return map(encoding_parts.Encoded, texts)

    def _numbered(self, text: str, alike: List[Encoder], base: int) -> List[str]:
        """The texts of elements that look alike by themselves, whose objects are numbered from now on.

        Which of them comes first would be up to hashes, so their objects at the same place have the same number. What
        an element shares with those numbered before is told with it, and how many objects the alike have together. All
        that does not depend on an order. Not for floats with a tolerance: these decide here who looks like whom.
        """
        by_links: Dict[Tuple[Tuple[int, int], ...], List[Dict[int, int]]] = {}
        for inner in alike:
            places = {identity: number - base for identity, number in inner._numbers.items()}  # noqa: SLF001
            known = ((place, self._numbers.get(identity, -1)) for identity, place in places.items())
            links = tuple(sorted(link for link in known if link[1] >= 0))
            by_links.setdefault(links, []).append(places)
        width = max(inner.next_number for inner in alike) - base
        texts: List[str] = []
        numbers: Dict[int, int] = {}
        met = 0
        for links in sorted(by_links):
            told = "".join(",[%d,%d]" % link for link in links)
            for places in by_links[links]:
                texts.append('["shares",%s%s]' % (text, told) if told else text)
                for identity, place in places.items():
                    if identity not in self._numbers:
                        met += 1
                        number = self.next_number + place
                        numbers[identity] = min(numbers.get(identity, number), number)
            self.next_number += width
        self._numbers.update(numbers)
        if len(numbers) < met:
            texts.append('["shared",%d]' % len(numbers))
        return texts

    def opaque_value(self, name: str) -> Iterator[Any]:
        """A value that cannot be looked into: the outcome that holds it cannot be compared."""
        if name not in self.opaque and len(self.opaque) < 8:
            self.opaque.append(name)
        return self.parts("opaque", name)

    def text_leaf(self, tag: str, text: str) -> Iterator[Any]:
        """A long text: its length, its beginning and its digest."""
        digest = digest_of(text.encode("utf-8", "surrogatepass"))
        return self.parts(tag, len(text), text[:PLAIN_LEAF], digest)

    def bytes_leaf(self, tag: str, data: bytes) -> Iterator[Any]:
        """Bytes as text of one character each; long ones by length, beginning and digest."""
        if len(data) <= PLAIN_LEAF:
            return self.parts(tag, data.decode("latin-1"))
        return self.parts(tag, len(data), data[:PLAIN_LEAF].decode("latin-1"), digest_of(data))

    def floats(self, code: str, data: bytes) -> Any:
        """The elements of an array of numbers as a child: open to a closer comparison as long as they fit."""
        return encoding_parts.Floats(code, data) if 2 * len(data) <= self._budget else data

    def _floats(self, floats: encoding_parts.Floats) -> Iterator[Any]:
        self.write('["floats","%s","%s"]' % (floats.code, floats.data.hex()))
        return iter(())

    def _folded(self, inside: Iterator[Any]) -> Iterator[Any]:
        self._begin_fold()
        yield from inside
        self.write('["deep","%s"]' % self._end_fold())


class OpenEncoder(Encoder):
    """Folds less, for a comparison with a tolerance; where it begins to does not depend on what the floats are."""

    open_floats = True
    plain = OPEN_CHARACTERS

    def write(self, text: str) -> None:
        """As the other, but for what a float takes of the budget."""
        if self._fold is None and text.startswith('["float",'):
            self._budget += len(text) - _FLOAT_CHARACTERS
        super().write(text)


class Glance(Encoder):
    """For a look at a value that has to stay as it is: iterators are not drained, and large values not read."""

    most_nodes = 20_000

    def __init__(
        self, module_name: Optional[str] = None, _drain: object = None, outer: Optional[Encoder] = None
    ) -> None:
        super().__init__(module_name, _left_alone, outer)


def _left_alone(iterator: Any) -> encoding_parts.Drained:
    """How far one of Python's own iterators has come, where it tells; nothing of any other."""
    kind = type(iterator)
    tells = type_plans.own_method(kind, "__length_hint__")
    return encoding_parts.Drained(type_plans.class_name(kind), [], tells(iterator) if tells is not None else None)


def encode(value: object, module_name: Optional[str] = None) -> bytes:
    """The canonical bytes of one value."""
    return Encoder(module_name).encode(value)
