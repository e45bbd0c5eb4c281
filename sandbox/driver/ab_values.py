"""What the single types are made of, read without running any code of theirs.

Attributes are read through the descriptors of the type that defines them, containers through the methods of the
builtin class: a subclass that overrides them, or a metaclass that lies about names, is not asked.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import functools
import io
import pathlib
import re
import sys
import types
from json.encoder import encode_basestring_ascii as quote
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

if TYPE_CHECKING:
    from afterburner.sandbox.driver.ab_encode import Encoder

SHORT_TEXT = 2_048
_BITS_AS_NUMBER = 63
_BITS_AS_DECIMAL = 8_192
_MAIN = "__main__"

_MRO = type.__dict__["__mro__"].__get__
_NAMESPACE = type.__dict__["__dict__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_FLAGS = type.__dict__["__flags__"].__get__
_QUALNAME = type.__dict__["__qualname__"].__get__
_BASICSIZE = type.__dict__["__basicsize__"].__get__
_ITEMSIZE = type.__dict__["__itemsize__"].__get__
_EXCEPTION_ARGS = BaseException.__dict__["args"].__get__
_DEFAULT_FACTORY = collections.defaultdict.__dict__["default_factory"].__get__
_PATH_TEXT = pathlib.PurePath.__str__  # its slots hold caches, which are no part of its value
_POINTER = 8
_PLAIN_SIZE = object.__basicsize__

_GENERATORS: Dict[type, str] = {
    types.GeneratorType: "generator",
    types.CoroutineType: "coroutine",
    types.AsyncGeneratorType: "async generator",
}
# Immutable through and through, or told by name: whether two of them are one object is no business of a caller's.
_IMMUTABLE = (
    *(int, float, complex, str, bytes, tuple, frozenset, range, slice, type, type(None), type(Ellipsis)),
    *(type(NotImplemented), types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodType),
    *(dt.date, dt.time, dt.timedelta, dt.tzinfo, decimal.Decimal, enum.Enum, re.Pattern),
    pathlib.PurePath,
)
_IMMUTABLE_BY_NAME = frozenset(("fractions.Fraction", "uuid.UUID", "zoneinfo.ZoneInfo"))
_FILE: type = io.IOBase.__mro__[1]  # without the abstract base's hooks, which run code of subclasses
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made at run time, not compiled into the interpreter


def scalar(value: Any) -> Optional[str]:
    """The JSON text of a value that needs no brackets, or next to none; None for everything else."""
    kind = type(value)
    if kind is str:
        return quote(value) if len(value) <= SHORT_TEXT else None
    if kind is int:
        return _integer(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return '["float","%s"]' % float.__repr__(value)
    return None


def _integer(value: int) -> str:
    bits = value.bit_length()
    if bits <= _BITS_AS_NUMBER:
        return int.__repr__(value)
    if bits <= _BITS_AS_DECIMAL:
        return '["int","%s"]' % int.__repr__(value)
    return '["int","%s"]' % hex(value)


class Plan(NamedTuple):
    """What there is to know of a type before one sees a value.

    `is_mutable`: it matters to a caller if two of them are the same object. `is_iterator`: they give their items only
    once. `open` makes the generator that writes a value and yields what is inside it.
    """

    is_mutable: bool
    is_iterator: bool
    open: Callable[[Encoder, Any], Iterator[Any]]


def plan_of(kind: type, module_name: Optional[str]) -> Plan:
    """The plan for a type; the caller keeps it, for it takes a while."""
    return Plan(_is_mutable(kind), _is_iterator(kind), _opener(kind, class_name(kind, module_name)))


def _is_mutable(kind: type) -> bool:
    if issubclass(kind, _IMMUTABLE):
        return issubclass(kind, (tuple, frozenset)) and _dict_descriptor(kind) is not None
    scalar_type = _numpy_type("generic")
    if scalar_type is not None and issubclass(kind, scalar_type):
        return False
    return class_name(kind) not in _IMMUTABLE_BY_NAME


def _is_iterator(kind: type) -> bool:
    if issubclass(kind, (_FILE, type)):
        return False
    if _exact(_GENERATORS, kind) is not None:
        return True
    return _has(kind, "__next__") and _has(kind, "__iter__")


def class_name(kind: type, module_name: Optional[str] = None) -> str:
    """`module.qualname` as the class was made; `__main__` is called `module_name`."""
    known = _exact(_GENERATORS, kind)
    if known is not None:
        return str(known)
    module = _MODULE(kind) if not _FLAGS(kind) & _HEAP_TYPE else _NAMESPACE(kind).get("__module__")
    return full_name(module, _QUALNAME(kind), module_name)


def full_name(module: Any, qualname: Any, module_name: Optional[str] = None) -> str:
    """The two parts of a name; what is no text, or text of a class of its own, is not asked."""
    module = _plain_text(module)
    return "%s.%s" % (module_name if module == _MAIN and module_name else module, _plain_text(qualname))


def _plain_text(name: Any) -> str:
    return name if type(name) is str else "?"


def _exact(table: Dict[type, Any], kind: type) -> Any:
    """Look a type up, unless its metaclass could answer for it."""
    return table.get(kind) if type(kind) is type else None


def _has(kind: type, name: str) -> bool:
    return any(name in _NAMESPACE(base) for base in _MRO(kind))


def _opener(kind: type, name: str) -> Callable[[Encoder, Any], Iterator[Any]]:  # noqa: C901, PLR0911 - a table
    handler: Optional[Callable[[Encoder, Any], Iterator[Any]]] = _exact(_EXACT, kind)
    if handler is not None:
        return handler
    if issubclass(kind, type):
        return lambda encoder, value: encoder.parts("type", class_name(value, encoder.module_name))
    layout = _Layout(kind, name)
    if issubclass(kind, enum.Enum):
        return functools.partial(_enum, layout)
    if issubclass(kind, BaseException):
        return functools.partial(_exception, layout)
    if issubclass(kind, pathlib.PurePath):
        return lambda encoder, value: encoder.parts("path", name, _PATH_TEXT(value))
    for base, view in _BASES:
        if issubclass(kind, base):
            return functools.partial(_subclass, layout, view)
    array_type, scalar_type = _numpy_type("ndarray"), _numpy_type("generic")
    if array_type is not None and issubclass(kind, array_type):
        return functools.partial(_numpy_array, layout, array_type)
    if scalar_type is not None and issubclass(kind, scalar_type):
        return functools.partial(_numpy_scalar, layout, scalar_type)
    if _has_hidden_state(kind):
        return lambda encoder, _value: encoder.opaque_value(name)
    return functools.partial(_instance, layout)


class _Layout:
    """Where the instances of a class written in Python keep their attributes."""

    def __init__(self, kind: type, name: str) -> None:
        self.kind = kind
        self.name = name
        self._dictionary = _dict_descriptor(kind)
        self._slots: Dict[str, Any] = {}
        for base in _MRO(kind):
            if not _FLAGS(base) & _HEAP_TYPE:
                break  # what is C from here on is told by the handler of the builtin
            for slot, member in _NAMESPACE(base).items():
                if type(member) is types.MemberDescriptorType:
                    self._slots.setdefault(slot, member)

    def dictionary(self, value: Any) -> Dict[Any, Any]:
        """What `__dict__` holds, if the class has an honest one."""
        held = self._dictionary.__get__(value) if self._dictionary is not None else None
        return held if type(held) is dict else {}

    def state(self, encoder: Encoder, value: Any) -> Any:
        """The attributes of an instance, from its dictionary and its slots, by name."""
        state = self.dictionary(value)
        if self._slots:
            state = dict(state)
            for name, member in self._slots.items():
                try:
                    state.setdefault(name, member.__get__(value))
                except AttributeError:  # never assigned
                    continue
        pairs: List[Any] = []
        for name in sorted(name for name in state if type(name) is str):
            pairs.append(name)
            pairs.append(state[name])
        return encoder.wrap(pairs)


def _dict_descriptor(kind: type) -> Any:
    """The descriptor behind `__dict__` if it is the interpreter's own, not one that the class made up."""
    for base in _MRO(kind):
        found = _NAMESPACE(base).get("__dict__")
        if found is not None:
            return found if type(found) is types.GetSetDescriptorType else None
    return None


def _has_hidden_state(kind: type) -> bool:
    """Whether an instance is larger than its slots, its dictionary and its weak references account for."""
    slots = 0
    for base in _MRO(kind):
        slots += sum(type(member) is types.MemberDescriptorType for member in _NAMESPACE(base).values())
    room = _PLAIN_SIZE + _POINTER * (slots + 2)
    is_static = not _FLAGS(kind) & _HEAP_TYPE and kind is not object
    return is_static or _ITEMSIZE(kind) != 0 or _BASICSIZE(kind) > room


def _instance(layout: _Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("object", layout.name, layout.state(encoder, value))


def _enum(layout: _Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    state = layout.dictionary(value)
    return encoder.parts("enum", layout.name, state.get("_name_"), state.get("_value_"))


def _subclass(
    layout: _Layout, view: Callable[[Encoder, Any], Iterator[Any]], encoder: Encoder, value: Any
) -> Iterator[Any]:
    """An instance of a subclass of a builtin: its class, what the builtin part holds, its own attributes."""
    encoder.write('["sub",%s,' % quote(layout.name))
    yield from view(encoder, value)
    encoder.write(",")
    yield layout.state(encoder, value)
    encoder.write("]")


def _exception(layout: _Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    arguments = _EXCEPTION_ARGS(value)
    if issubclass(layout.kind, RecursionError):
        arguments = ("maximum recursion depth exceeded",)  # what follows depends on where the stack ended
    extra: List[Any] = []
    for base, names in _EXCEPTION_FIELDS:
        if issubclass(layout.kind, base):
            extra = [base.__dict__[name].__get__(value) for name in names]
    return encoder.parts("exception", layout.name, arguments, encoder.wrap(extra), layout.state(encoder, value))


_EXCEPTION_FIELDS: Tuple[Tuple[type, Tuple[str, ...]], ...] = (
    (OSError, ("filename", "filename2")),
    (ImportError, ("name", "path")),
    (SyntaxError, ("msg", "filename", "lineno", "offset", "text")),
)


def _numpy_type(name: str) -> Optional[type]:
    """A class of numpy, if the program has imported numpy itself."""
    found = getattr(sys.modules.get("numpy"), name, None)
    return found if isinstance(found, type) else None


def _numpy_scalar(layout: _Layout, scalar_type: Any, encoder: Encoder, value: Any) -> Iterator[Any]:
    shown = scalar_type.item(value) if layout.name.startswith("numpy.") else None
    shown = repr(shown) if type(shown) in (int, float, bool, complex, str, bytes) else None
    return encoder.parts("numpy", layout.name, shown, scalar_type.tobytes(value))


def _numpy_array(layout: _Layout, array_type: Any, encoder: Encoder, value: Any) -> Iterator[Any]:
    """Element type, shape and the bytes; the first elements are for a person to read."""
    dtype = array_type.__dict__["dtype"].__get__(value)
    shape = array_type.__dict__["shape"].__get__(value)
    content = encoder.wrap(array_type.tolist(value)) if dtype.hasobject else array_type.tobytes(value)
    preview = encoder.wrap(_preview(array_type, value))
    state = layout.state(encoder, value)
    return encoder.parts("ndarray", layout.name, str(dtype.descr), shape, content, preview, state)


def _preview(array_type: Any, value: Any) -> List[Any]:
    """The first elements, for a person to read."""
    flat = array_type.ravel(value)[:16]
    return list(array_type.tolist(flat))


# How each builtin type is written. Every handler takes the encoder and the value.


def _dict_items(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.items("dict", dict.items(value))


def _ordered_dict(encoder: Encoder, value: Any) -> Iterator[Any]:
    """Its order is kept beside the dictionary and read by looking keys up, which must not run code of the keys."""
    if not all(_hash_is_builtin(key) for key in dict.keys(value)):
        return encoder.opaque_value("collections.OrderedDict with keys of its own making")
    keys = list(collections.OrderedDict.keys(value))
    return encoder.items("OrderedDict", [(key, dict.__getitem__(value, key)) for key in keys])


def _hash_is_builtin(key: Any) -> bool:
    kind = type(key)
    if kind in (tuple, frozenset):
        return all(map(_hash_is_builtin, key))
    return kind in (str, int, float, bool, bytes, complex, type(None))


def _default_dict(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("defaultdict", _DEFAULT_FACTORY(value), encoder.wrap(list(dict.items(value))))


def _set(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.items("set", encoder.sorted_elements(set.__iter__(value)))


def _frozenset(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.items("frozenset", encoder.sorted_elements(frozenset.__iter__(value)))


def _deque(encoder: Encoder, value: Any) -> Iterator[Any]:
    limit = collections.deque.__dict__["maxlen"].__get__(value)
    return encoder.items("deque", [limit, *collections.deque.__iter__(value)])


def _text(encoder: Encoder, value: Any) -> Iterator[Any]:
    text = str.__str__(value)
    return encoder.text_leaf("text", text) if len(text) > SHORT_TEXT else encoder.parts("text", text)


def _plain_number(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("number", int.__index__(value))


def _plain_float(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("number", float.__float__(value))


def _function(encoder: Encoder, value: Any) -> Iterator[Any]:
    """A function is its name; one that was made inside another holds values that no name tells."""
    name = full_name(value.__module__, value.__qualname__, encoder.module_name)
    return encoder.opaque_value("function %s" % name) if "<" in name or "?" in name else encoder.parts("function", name)


def _builtin(encoder: Encoder, value: Any) -> Iterator[Any]:
    owner = value.__self__
    if owner is None or type(owner) is types.ModuleType:
        return encoder.parts("function", full_name(value.__module__, value.__qualname__))
    return encoder.parts("method", value.__name__, owner)


def _method(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("method", value.__func__, value.__self__)


def _partial(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("partial", value.func, value.args, value.keywords)


def _datetime(encoder: Encoder, value: Any) -> Iterator[Any]:
    naive = dt.datetime.isoformat(value.replace(tzinfo=None))
    return encoder.parts("datetime", naive, value.fold, value.tzinfo)


def _time(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("time", value.replace(tzinfo=None).isoformat(), value.fold, value.tzinfo)


def _memoryview(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("memoryview", value.format, value.shape, value.tobytes())


def _match(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("match", value.re, value.string, value.regs)


def _text_file(encoder: Encoder, value: Any) -> Iterator[Any]:
    if value.closed:
        return encoder.parts("StringIO", None)
    return encoder.parts("StringIO", value.getvalue(), value.tell())


def _bytes_file(encoder: Encoder, value: Any) -> Iterator[Any]:
    if value.closed:
        return encoder.parts("BytesIO", None)
    return encoder.parts("BytesIO", value.getvalue(), value.tell())


_EXACT: Dict[type, Callable[[Encoder, Any], Iterator[Any]]] = {
    str: _text,
    list: lambda encoder, value: encoder.items("list", value),
    tuple: lambda encoder, value: encoder.items("tuple", value),
    dict: _dict_items,
    set: _set,
    frozenset: _frozenset,
    collections.OrderedDict: _ordered_dict,
    collections.defaultdict: _default_dict,
    collections.deque: _deque,
    bytes: lambda encoder, value: encoder.bytes_leaf("bytes", value),
    bytearray: lambda encoder, value: encoder.bytes_leaf("bytearray", bytes(value)),
    complex: lambda encoder, value: encoder.parts("complex", value.real, value.imag),
    range: lambda encoder, value: encoder.parts("range", value.start, value.stop, value.step),
    slice: lambda encoder, value: encoder.parts("slice", value.start, value.stop, value.step),
    type(Ellipsis): lambda encoder, _value: encoder.parts("constant", "Ellipsis"),
    type(NotImplemented): lambda encoder, _value: encoder.parts("constant", "NotImplemented"),
    object: lambda encoder, _value: encoder.parts("object", "builtins.object"),
    memoryview: _memoryview,
    array.array: lambda encoder, value: encoder.parts("array", value.typecode, value.tobytes()),
    decimal.Decimal: lambda encoder, value: encoder.parts("Decimal", str(value)),
    dt.date: lambda encoder, value: encoder.parts("date", value.isoformat()),
    dt.datetime: _datetime,
    dt.time: _time,
    dt.timedelta: lambda encoder, value: encoder.parts("timedelta", value.days, value.seconds, value.microseconds),
    dt.timezone: lambda encoder, value: encoder.parts("timezone", value.utcoffset(None), value.tzname(None)),
    re.Pattern: lambda encoder, value: encoder.parts("pattern", value.pattern, value.flags),
    re.Match: _match,
    functools.partial: _partial,
    types.FunctionType: _function,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
    types.ModuleType: lambda encoder, value: encoder.parts("module", _plain_text(vars(value).get("__name__"))),
    types.MappingProxyType: lambda encoder, _value: encoder.opaque_value("types.MappingProxyType"),
    io.StringIO: _text_file,
    io.BytesIO: _bytes_file,
    type({}.keys()): lambda encoder, value: encoder.items("dict_keys", value),
    type({}.values()): lambda encoder, value: encoder.items("dict_values", value),
    type({}.items()): lambda encoder, value: encoder.items("dict_items", value),
}

# Builtins that classes are derived from: the most special first.
_BASES: Tuple[Tuple[type, Callable[[Encoder, Any], Iterator[Any]]], ...] = (
    (collections.OrderedDict, _ordered_dict),
    (collections.defaultdict, _default_dict),
    (dict, _dict_items),
    (list, lambda encoder, value: encoder.items("list", list.__iter__(value))),
    (tuple, lambda encoder, value: encoder.items("tuple", tuple.__iter__(value))),
    (set, _set),
    (frozenset, _frozenset),
    (collections.deque, _deque),
    (str, _text),
    (
        bytearray,
        lambda encoder, value: encoder.bytes_leaf("bytearray", bytes(bytearray.__getitem__(value, slice(None)))),
    ),
    (bytes, lambda encoder, value: encoder.bytes_leaf("bytes", bytes.__getitem__(value, slice(None)))),
    (int, _plain_number),
    (float, _plain_float),
    (
        complex,
        lambda encoder, value: encoder.parts(
            "complex", complex.__getattribute__(value, "real"), complex.__getattribute__(value, "imag")
        ),
    ),
    (decimal.Decimal, lambda encoder, value: encoder.parts("Decimal", decimal.Decimal.__str__(value))),
)
