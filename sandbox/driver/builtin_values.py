"""How values of Python's own types are written. Every handler takes the encoder and the value.

Containers are read through the methods of the builtin class, so that a subclass that overrides them is not asked.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import functools
import io
import random
import re
import sys
import types
from gc import get_referents
from json.encoder import encode_basestring_ascii as quote
from operator import is_
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from . import made_functions

if TYPE_CHECKING:
    from .encoder_protocol import Encoder

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

SHORT_TEXT = 2_048
_FILE_CHUNK = 1 << 16
_BITS_AS_NUMBER = 63
_BITS_AS_DECIMAL = 8_192
ANOTHER = " (another of this name)"  # than what stands under it, if anything does
_MAIN = "__main__"
_NESTED = 0x10  # inspect.CO_NESTED
_FLOAT_CODES = {"f": "<f4", "d": "<f8"} if sys.byteorder == "little" else {"f": ">f4", "d": ">f8"}
_random_state_holder: type = random.Random.__mro__[1]  # written in C
_RANDOM_STATE = _random_state_holder.getstate  # type: ignore[attr-defined]
# What `re.compile(text).match` is: a type of its own for methods that C code tells their class.
BOUND_IN_C: type = type(re.compile("").match)
_identity = object.__hash__  # as in `value_encoder`
_DEFAULT_FACTORY = collections.defaultdict.__dict__["default_factory"].__get__


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


def full_name(module: Any, qualname: Any, module_name: Optional[str] = None) -> str:
    """The two parts of a name; what is no text, or text of a class of its own, is not asked."""
    module = plain_text(module)
    return "%s.%s" % (module_name if module == _MAIN and module_name else module, plain_text(qualname))


def plain_text(name: Any) -> str:
    """The name if it is plain text; a class of its own could answer anything."""
    return name if type(name) is str else "?"


def _dict_items(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.items("dict", dict.items(value))


def dict_in_order_of(encoder: Encoder, value: Any, keys: Sequence[Any]) -> Iterator[Any]:
    """The items of a dictionary in the order of these keys, which are its own; as it was filled, if they are not."""
    held = {_identity(key): (key, part) for key, part in dict.items(value)}
    if set(map(_identity, keys)) != held.keys():
        return _dict_items(encoder, value)
    return encoder.items("dict", [held[_identity(key)] for key in keys])


def _ordered_dict(encoder: Encoder, value: Any) -> Iterator[Any]:
    keys = keys_in_order(value)
    if keys is None:
        return encoder.opaque_value(
            "an OrderedDict whose keys are of classes of the program: reading its order runs their code"
        )
    held = {_identity(key): (key, part) for key, part in dict.items(value)}
    return encoder.items("OrderedDict", [held[_identity(key)] for key in keys])


def keys_in_order(value: Any) -> Optional[List[Any]]:
    """The keys of an OrderedDict in their order; None if that cannot be told without running code of theirs.

    To go through it is to look each key up. The garbage collector visits them in their order, too, then value and key
    of each entry of the dictionary beneath: so it is in all supported versions of Python, and looked at each time.
    """
    keys = list(dict.keys(value))
    if all(map(hash_is_builtin, keys)):
        return list(collections.OrderedDict.keys(value))
    size = len(keys)
    visited = get_referents(value)
    ordered, entries = visited[-3 * size : -2 * size], visited[-2 * size :]
    is_as_known = len(ordered) == size and all(map(is_, entries[1::2], keys))
    return ordered if is_as_known and set(map(_identity, ordered)) == set(map(_identity, keys)) else None


def hash_is_builtin(key: Any) -> bool:
    """Whether no code of its class runs when the key is looked up."""
    kind = type(key)
    if kind in (tuple, frozenset):
        return all(map(hash_is_builtin, key))
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
    """A function is its name.

    One without a name that the call was given is its code, what this closes over and its defaults. One that the call
    itself has made cannot be looked into: that of a rewrite may have other code and do the same.
    """
    name = full_name(value.__module__, value.__qualname__, encoder.module_name)
    is_found = encoder.is_found(value)
    if not ("<" in name or "?" in name or (not is_found and _is_made_by_a_call(value.__code__))):
        return encoder.parts("function", name if is_found else name + ANOTHER)
    if not (encoder.looks_into_functions and made_functions.was_given(value)):
        return encoder.opaque_value("function %s" % name)
    if encoder.is_known(value):
        return iter(())
    code = encoder.digest(made_functions.written(value.__code__))
    brought = made_functions.names_used(value) if made_functions.module_of(value) is None else None
    holds = (value.__closure__, value.__defaults__, value.__kwdefaults__, vars(value), brought)
    return encoder.parts("function", name, code, *holds)


def _cell(encoder: Encoder, value: Any) -> Iterator[Any]:
    """A variable that functions close over."""
    return encoder.parts("cell", *made_functions.contents_of(value))


def _is_made_by_a_call(code: types.CodeType) -> bool:
    """Whether it stands inside another function, or in text that was executed; `functools.wraps` hides the first."""
    return bool(code.co_flags & _NESTED) or code.co_filename.startswith("<")


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


def _namespace(encoder: Encoder, value: Any) -> Iterator[Any]:
    held = vars(value)
    named = [(name, held[name]) for name in sorted(name for name in held if type(name) is str)]
    return encoder.items("namespace", named + [(name, held[name]) for name in held if type(name) is not str])


def _memoryview(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("memoryview", value.format, value.shape, value.tobytes())


def _match(encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("match", value.re, value.string, value.regs)


def _random(encoder: Encoder, value: Any) -> Iterator[Any]:
    """Where the sequence of random numbers stands; that of the system's source of chance stands nowhere."""
    if issubclass(type(value), random.SystemRandom):
        return encoder.parts("random", None)
    return encoder.parts("random", encoder.digest(array.array("L", _RANDOM_STATE(value)).tobytes()))


def _array(encoder: Encoder, value: Any) -> Iterator[Any]:
    code, data = value.typecode, value.tobytes()
    if code in _FLOAT_CODES:
        return encoder.parts("array", code, encoder.floats(_FLOAT_CODES[code], data) if encoder.open_floats else data)
    return encoder.parts("array", code, data)


def _text_file(encoder: Encoder, value: Any) -> Iterator[Any]:
    if value.closed:
        return encoder.parts("StringIO", None)
    return encoder.parts("StringIO", value.getvalue(), value.tell())


def _bytes_file(encoder: Encoder, value: Any) -> Iterator[Any]:
    if value.closed:
        return encoder.parts("BytesIO", None)
    return encoder.parts("BytesIO", value.getvalue(), value.tell())


def _open_file(encoder: Encoder, value: Any) -> Iterator[Any]:
    """A file that is open: what is left to be read tells how far it was."""
    if value.closed:
        return encoder.parts("file", value.name, None)
    if not value.readable():
        return encoder.opaque_value(full_name(type(value).__module__, type(value).__name__))
    rest = iter(functools.partial(value.read, _FILE_CHUNK), "" if type(value) is io.TextIOWrapper else b"")
    return encoder.parts("file", value.name, rest)


EXACT: Dict[type, Callable[[Encoder, Any], Iterator[Any]]] = {
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
    array.array: _array,
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
    types.CellType: _cell,
    types.BuiltinFunctionType: _builtin,
    BOUND_IN_C: _builtin,
    types.MethodType: _method,
    types.ModuleType: lambda encoder, value: encoder.parts("module", plain_text(vars(value).get("__name__"))),
    types.SimpleNamespace: _namespace,
    types.MappingProxyType: lambda encoder, _value: encoder.opaque_value("types.MappingProxyType"),
    io.StringIO: _text_file,
    io.BytesIO: _bytes_file,
    io.TextIOWrapper: _open_file,
    io.BufferedReader: _open_file,
    type({}.keys()): lambda encoder, value: encoder.items("dict_keys", value),
    type({}.values()): lambda encoder, value: encoder.items("dict_values", value),
    type({}.items()): lambda encoder, value: encoder.items("dict_items", value),
}

# Builtins that classes are derived from: the most special first.
BASES: Tuple[Tuple[type, Callable[[Encoder, Any], Iterator[Any]]], ...] = (
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
    (_random_state_holder, _random),
)
