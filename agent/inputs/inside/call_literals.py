"""A call as a person would write it, so that it can be pasted: `a = [1]; merge(a, a, key=None)`.

Only what is known to be harmless is looked into; everything else is named in angle brackets, and the text is then no
Python any more. Arrays and frames are written by `array_literals`.
"""

from __future__ import annotations

import collections
import inspect
import math
import re
import sys
from types import BuiltinFunctionType, ModuleType
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ....sandbox.driver.user_module import attribute_names
from .array_literals import array_text
from .call_parts import attributes_by_parameter, fields, is_dataclass, record_with
from .constructor_calls import given_by_position, takes_args_alone
from .container_kinds import ATOMS, NotBuildableError, is_named_tuple, of_user_class, plain_of
from .list_iterators import LIST_ITERATOR, items_left
from .match_objects import regex_text

MAX_TEXT = 2_000
SHORTEST_SHARE = 8  # characters of an argument that tell something
MAX_DEPTH = 40
MAX_PARTS = 1_000
_NAMES = "abcdefgh"
_UNSEEN = re.compile("<\u2026>(, <\u2026>)+")  # elements that there were too many of
_SHAREABLE = (list, dict, set, bytearray, collections.deque, collections.OrderedDict, collections.defaultdict)
_BRACKETS: Dict[Any, Tuple[str, str]] = {
    list: ("[", "]"),
    set: ("{", "}"),
    frozenset: ("frozenset({", "})"),
    collections.deque: ("deque([", "])"),
}
# Types whose own `repr` is what one would write; none of them is of the user's making.
_SAYS_ITSELF = frozenset(("decimal", "fractions", "datetime", "uuid", "pathlib", "array", "zoneinfo"))


def call_text(
    qualname: str, kind: str, args: Sequence[Any], kwargs: Mapping[str, Any], state: Mapping[str, Any]
) -> str:
    """The call; `kind` says how the function is bound (`user_module.Resolved`), `state` is what the module holds."""
    writer = LiteralWriter([*args, *kwargs.values(), *state.values()])
    assigned = ["%s = %s" % (name, writer.text(value)) for name, value in state.items()]
    given = [writer.text(value) for value in args]
    names = attribute_names(qualname)
    holder, name = "", ".".join(names)
    if (kind in ("method", "property") and given and not given[0].startswith("<")) or (kind == "class" and given):
        holder, name = given.pop(0), "." + names[-1]
    given += ["%s=%s" % (key, writer.text(value)) for key, value in kwargs.items()]
    parts = [*writer.definitions, *assigned, holder, *given]
    most = MAX_TEXT - len(name) - 2 * len(parts)
    if sum(map(len, parts)) > most:  # each keeps its share: what tells something may be in the last
        parts = _shortened([_UNSEEN.sub("<\u2026>", part) for part in parts], most)
    last = len(parts) - len(given)
    call = parts[last - 1] + name
    if kind != "property" or given:
        call += "(%s)" % ", ".join(parts[last:])
    text = "; ".join([*parts[: last - 1], call])
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "\u2026"


def _shortened(texts: Sequence[str], most: int) -> List[str]:
    """Texts of `most` characters together: the longest ones lose what is in their middle."""
    share, left = 0, most
    for number, length in enumerate(sorted(map(len, texts))):
        share = max(left // (len(texts) - number), 1)
        if length > share:
            break
        left -= length
    if share < SHORTEST_SHARE:
        return list(texts)  # nothing could be told of any; the end of the call is cut off
    end = share // 3
    return [text if len(text) <= share else text[: share - end - 1] + "\u2026" + text[-end:] for text in texts]


class LiteralWriter:
    """Writes values; objects that occur twice get a name.

    `made` names a function of whoever reads the text, which makes an object of a class with these attributes. Without
    it objects are written as calls of their constructors, which run for that; where these make another object, the text
    is no Python.
    """

    def __init__(self, values: Sequence[Any], made: str = "") -> None:
        self.definitions: List[str] = []
        self._made = made
        self._names: Dict[int, str] = {}
        self._inside: Set[int] = set()
        self._parts = 0
        free = iter(_NAMES)
        for value in _met_twice(values):
            name = next(free, None)
            if name is not None:
                self.definitions.append("%s = %s" % (name, self.text(value)))
                self._names[id(value)] = name

    def text(self, value: Any, depth: int = 0) -> str:
        """The value as Python."""
        self._parts = self._parts + 1 if depth else 1
        if id(value) in self._names:
            return self._names[id(value)]
        if id(value) in self._inside or depth > MAX_DEPTH or self._parts > MAX_PARTS:
            return "<\u2026>"
        self._inside.add(id(value))
        try:
            written = self._plain(value) or self._of_library(value, depth + 1)
            if not written and of_user_class(value):
                return self._of_user_class(value, depth + 1)
            return written or self._container(value, depth + 1) or self._record(value, depth + 1)
        finally:
            self._inside.discard(id(value))

    def _plain(self, value: Any) -> str:
        kind = type(value)
        if kind is float:
            return repr(value) if math.isfinite(value) else "float('%s')" % value
        if kind in (str, bytes, bytearray, int, bool, complex, range, slice, type(None)):
            return _repr(value)
        if isinstance(value, type):
            return value.__qualname__
        if hasattr(kind, "__members__"):
            return "%s.%s" % (kind.__qualname__, getattr(value, "_name_", "?"))
        if kind.__module__.partition(".")[0] in _SAYS_ITSELF and kind.__module__.partition(".")[0] in sys.modules:
            return _repr(value)
        return ""

    def _of_library(self, value: Any, depth: int) -> str:
        def write(part: Any) -> str:
            return self.text(part, depth)

        return regex_text(value, write) or array_text(value, write)

    def _container(self, value: Any, depth: int) -> str:  # noqa: PLR0911 - one way for each kind
        kind = type(value)
        if kind in (set, frozenset) and not value:
            return "%s()" % kind.__name__
        if kind in _BRACKETS:
            opening, closing = _BRACKETS[kind]
            return opening + ", ".join(self.text(item, depth) for item in _in_order(value)) + closing
        if kind is LIST_ITERATOR:
            return "iter(%s)" % self.text(items_left(value), depth)
        if kind is tuple:
            items = [self.text(item, depth) for item in value]
            return "(%s,)" % items[0] if len(items) == 1 else "(%s)" % ", ".join(items)
        if is_named_tuple(kind):
            items = [self.text(item, depth) for item in tuple.__iter__(value)]
            items += ["%s=%s" % (name, self.text(item, depth)) for name, item in _given_beside(value)]
            return "%s(%s)" % (kind.__qualname__, ", ".join(items))
        if kind in (dict, collections.OrderedDict, collections.defaultdict, collections.Counter):
            pairs = ", ".join("%s: %s" % (self.text(key, depth), self.text(item, depth)) for key, item in value.items())
            if kind is collections.defaultdict:
                return "defaultdict(%s, {%s})" % (self.text(value.default_factory, depth), pairs)
            return "{%s}" % pairs if kind is dict else "%s({%s})" % (kind.__name__, pairs)
        return ""

    def _record(self, value: Any, depth: int) -> str:
        kind = type(value)
        held = fields(value)
        shown = ", ".join("%s=%s" % (name, self.text(item, depth)) for name, item in held.items())
        if kind is BuiltinFunctionType and type(value.__self__) not in (ModuleType, type(None)):
            return "%s.%s" % (self.text(value.__self__, depth), value.__name__)
        name = getattr(value, "__qualname__", "") if callable(value) and not held else ""
        if name and "<" not in name:
            return str(name)
        if is_dataclass(kind) and "__init__" not in _own_init(kind):
            return "%s(%s)" % (kind.__qualname__, shown)
        if self._made and held and all(name.isidentifier() for name in held):
            return "%s(%s, %s)" % (self._made, kind.__qualname__, shown)
        given = self._given_to_constructor(value, held, depth) if held and not self._made else None
        if given is not None:
            return "%s(%s)" % (kind.__qualname__, ", ".join(given))
        return "<%s%s>" % (kind.__qualname__, " with " + shown if shown else "")

    def _given_to_constructor(self, value: Any, held: Mapping[str, Any], depth: int) -> Optional[List[str]]:
        """The arguments of which the constructor makes the object again; None if it makes another one."""
        if takes_args_alone(type(value)):
            return [self.text(item, depth) for item in value.args] if held.keys() == {"args"} else None
        taken = _taken_by_constructor(value, held)
        texts = {parameter: self.text(held[name], depth) for parameter, name in taken.items()}
        given = [texts.pop(parameter) for parameter in given_by_position(type(value), texts)]
        return [*given, *("%s=%s" % each for each in texts.items())] if taken else None

    def _of_user_class(self, value: Any, depth: int) -> str:
        """A container of a user's class: its attributes, which are few, and what it holds."""
        held: Dict[str, Any] = getattr(value, "__dict__", {})
        shown = ", ".join("%s=%s" % (name, self.text(item, depth)) for name, item in held.items())
        content = self.text(plain_of(value), depth)
        return "<%s of %s%s>" % (type(value).__qualname__, content, " with " + shown if shown else "")


def _given_beside(value: Any) -> Iterator[Tuple[str, Any]]:
    """The attributes of a named tuple that its constructor takes by their names, but for those left to a default."""
    held: Dict[str, Any] = getattr(value, "__dict__", {})
    parameters = inspect.signature(type(value)).parameters if held else {}
    for name, item in held.items():
        if name in parameters and (type(item) not in ATOMS or item != parameters[name].default):
            yield name, item


def _taken_by_constructor(value: Any, held: Mapping[str, Any]) -> Dict[str, str]:
    """The attributes, by parameter, of which the constructor makes the object again; none if it makes another one."""
    try:
        made = record_with(value, {})
        taken = attributes_by_parameter(held, inspect.signature(type(value)).parameters)
    except NotBuildableError:
        return {}
    each_held = [(fields(each), each.args if isinstance(each, BaseException) else ()) for each in (made, value)]
    texts = [LiteralWriter([], made="made").text(each) for each in each_held]  # which makes no objects
    return taken if texts[0] == texts[1] else {}


def _own_init(kind: type) -> Tuple[str, ...]:
    """`("__init__",)` if the dataclass does not take all of its fields by name."""
    declared = vars(kind)["__dataclass_fields__"].values()
    return () if all(field.init for field in declared) and not hasattr(kind, "__post_init__") else ("__init__",)


def _in_order(value: Any) -> List[Any]:
    """The elements; those of a set so that the text does not hang on hashes."""
    items = list(value)
    if type(value) in (set, frozenset) and all(type(item) in (int, str) for item in items):
        items.sort(key=repr)
    return items


def _met_twice(values: Sequence[Any]) -> List[Any]:
    """Mutable objects and NaN objects that occur in more than one place, inner ones first."""
    met: Dict[int, int] = {}
    found: List[Any] = []

    def visit(value: Any, depth: int) -> None:
        if len(met) > MAX_PARTS or depth > MAX_DEPTH:
            return
        kind = type(value)
        if kind in _SHAREABLE or (kind is float and math.isnan(value)) or fields(value):
            met[id(value)] = met.get(id(value), 0) + 1
            if met[id(value)] > 1:
                if met[id(value)] == 2:
                    found.append(value)
                return
        for item in _held(value):
            visit(item, depth + 1)

    for value in values:
        visit(value, 0)
    return sorted(found, key=lambda value: _size(value, 0))


def _held(value: Any) -> Tuple[Any, ...]:
    """What a container or an object holds directly, keys left out."""
    kind = type(value)
    if kind in (list, tuple, collections.deque) or is_named_tuple(kind):
        return tuple(value)
    if kind is LIST_ITERATOR:
        return tuple(items_left(value))
    if kind in (dict, collections.OrderedDict, collections.defaultdict):
        return tuple(value.values())
    return tuple(fields(value).values())


def _size(value: Any, depth: int) -> int:
    if depth > MAX_DEPTH or type(value) not in (list, tuple, dict, collections.deque):
        return 1
    return 1 + sum(_size(item, depth + 1) for item in (value.values() if type(value) is dict else value))


def _repr(value: Any) -> str:
    try:
        return ascii(value)
    except ValueError:  # an integer with more digits than Python is willing to write out
        return "<int of %d bits>" % value.bit_length()
