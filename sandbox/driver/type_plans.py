"""Plans for encoding the values of a type: made once a type, from the type alone.

Attributes are read through the descriptors of the type that defines them; a class that overrides how it is read, or a
metaclass that lies about names, is not asked. `builtin_values` knows Python's own types.
"""

from __future__ import annotations

import contextlib
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
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Container,
    Dict,
    FrozenSet,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from . import encoding_parts, executed_modules, late_modules
from .builtin_values import ANOTHER, BASES, BOUND_IN_C, EXACT, dict_in_order_of, full_name

if TYPE_CHECKING:
    from .encoder_protocol import Encoder

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


_MRO = type.__dict__["__mro__"].__get__
_NAMESPACE = type.__dict__["__dict__"].__get__
_MODULE = type.__dict__["__module__"].__get__
_FLAGS = type.__dict__["__flags__"].__get__
_QUALNAME = type.__dict__["__qualname__"].__get__
_BASICSIZE = type.__dict__["__basicsize__"].__get__
_ITEMSIZE = type.__dict__["__itemsize__"].__get__
_EXCEPTION_ARGS = BaseException.__dict__["args"].__get__
_EXCEPTION_CAUSE = BaseException.__dict__["__cause__"].__get__
_EXCEPTION_CONTEXT = BaseException.__dict__["__context__"].__get__
_EXCEPTION_SUPPRESSES = BaseException.__dict__["__suppress_context__"].__get__
_MODULE_NAMESPACE: Any = types.ModuleType.__dict__["__dict__"].__get__  # type: ignore[index]
_identity = object.__hash__  # as in `value_encoder`
_left_out: Dict[int, Tuple[type, FrozenSet[str]]] = {}  # attributes, by the identity of a class, which is held
_IN_A_FUNCTION = "<locals>"  # in the name of a class that a function makes
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
    *(type(NotImplemented), types.FunctionType, types.BuiltinFunctionType, BOUND_IN_C),
    *(types.ModuleType, types.MethodType),
    *(dt.date, dt.time, dt.timedelta, dt.tzinfo, decimal.Decimal, enum.Enum, re.Pattern),
    pathlib.PurePath,
)
_FROZEN_BASES = {tuple: True, int: True, float: True, str: True, bytes: True}  # of classes; a table for `_exact`
_IMMUTABLE_BY_NAME = frozenset(("_regex.Pattern", "fractions.Fraction", "uuid.UUID", "zoneinfo.ZoneInfo"))
_FILE: type = io.IOBase.__mro__[1]  # without the abstract base's hooks, which run code of subclasses
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: made at run time, not compiled into the interpreter


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
    known = _exact(_OF_BUILTINS, kind)
    if known is not None:
        plan: Plan = known
        return plan
    return Plan(_is_mutable(kind), is_iterator(kind), _opener(kind, class_name(kind, module_name)))


def _is_mutable(kind: type) -> bool:
    if issubclass(kind, _IMMUTABLE):
        return issubclass(kind, (tuple, frozenset)) and _dict_descriptor(kind) is not None
    if any(module.is_immutable(kind) for module in late_modules.modules()):
        return False
    return class_name(kind) not in _IMMUTABLE_BY_NAME


def is_iterator(kind: type) -> bool:
    """Whether values of this type give their items only once, and no more can be told of them."""
    if issubclass(kind, (_FILE, type)):
        return False
    if _exact(_GENERATORS, kind) is not None:
        return True
    # An iterator that is written in Python shows its state, so there is no need to run it.
    is_in_c = type(_found(kind, "__next__")) is types.WrapperDescriptorType  # those of itertools are small from 3.12 on
    return _has(kind, "__next__") and _has(kind, "__iter__") and (is_in_c or _has_hidden_state(kind))


def class_name(kind: type, module_name: Optional[str] = None) -> str:
    """`module.qualname` as the class was made; `__main__` is called `module_name`."""
    known = _exact(_GENERATORS, kind)
    if known is not None:
        return str(known)
    module, qualname = module_of(kind), qualname_of(kind)
    name = full_name(module, qualname, module_name)
    return name if is_found(kind, module, qualname) is not False else name + ANOTHER


def module_of(kind: type) -> Any:
    """Where the class says that it was made."""
    return _MODULE(kind) if not _FLAGS(kind) & _HEAP_TYPE else _NAMESPACE(kind).get("__module__")


def qualname_of(kind: type) -> Any:
    """The name that the class bears in its module."""
    return _QUALNAME(kind)


def is_found(value: Any, module: Any, qualname: Any) -> Optional[bool]:
    """Whether a class or function is what stands under the name that it bears; None if nothing stands there."""
    if type(module) is not str or type(qualname) is not str or "<" in qualname:
        return None
    found: Any = executed_modules.named(module)
    for part in qualname.split("."):
        if issubclass(type(found), types.ModuleType):
            found = _MODULE_NAMESPACE(found).get(part)
        elif issubclass(type(found), type):
            found = _NAMESPACE(found).get(part)
        else:
            return None
    if type(found) in (staticmethod, classmethod):
        found = found.__func__
    return None if found is None else found is value


def own_method(kind: type, name: str) -> Any:
    """A method of a class that is written in C, None if it has none or is not."""
    return None if _FLAGS(kind) & _HEAP_TYPE else _NAMESPACE(kind).get(name)


def _exact(table: Dict[type, Any], kind: type) -> Any:
    """Look a type up, unless its metaclass could answer for it."""
    return table.get(kind) if type(kind) is type else None


def _found(kind: type, name: str) -> Any:
    """What the class has under a name, itself or by a base."""
    return next((_NAMESPACE(base)[name] for base in _MRO(kind) if name in _NAMESPACE(base)), None)


def _has(kind: type, name: str) -> bool:
    return any(name in _NAMESPACE(base) for base in _MRO(kind))


def _opener(kind: type, name: str) -> Callable[[Encoder, Any], Iterator[Any]]:  # noqa: C901, PLR0911 - a table
    handler: Optional[Callable[[Encoder, Any], Iterator[Any]]] = _exact(EXACT, kind)
    if handler is not None:
        return handler
    if issubclass(kind, type):
        return _class
    layout = Layout(kind, name)
    for module in late_modules.modules():
        handler = module.opener(layout)
        if handler is not None:
            return handler
    if issubclass(kind, enum.Enum):
        return functools.partial(_enum, layout)
    if issubclass(kind, BaseException):
        return functools.partial(_exception, layout)
    if issubclass(kind, pathlib.PurePath):
        return lambda encoder, value: encoder.parts("path", name, _PATH_TEXT(value))
    for base, view in BASES:
        if issubclass(kind, base):
            is_in_order = base is dict and kind is _imported(*_IN_ORDER)
            return functools.partial(_sorted_dict if is_in_order else _subclass, layout, view)
    for module, known, attributes in _TOLD_BY_NAME:
        if kind is _imported(module, known):
            return functools.partial(_told_by_name, attributes)
    if _has_hidden_state(kind) or (_IN_A_FUNCTION in name and not _is_of_its_module(kind)):
        return lambda encoder, _value: encoder.opaque_value(name)
    return functools.partial(_instance, layout)


def _class(encoder: Encoder, value: Any) -> Iterator[Any]:
    """A class is its name; what the methods of one that a call has made do, no name tells."""
    name = class_name(value, encoder.module_name)
    if _IN_A_FUNCTION in name and not _is_of_its_module(value):
        return encoder.opaque_value("class %s" % name)
    return encoder.parts("type", name)


def _is_of_its_module(kind: type) -> bool:
    """Whether the module holds the class, or an object of it: importing the module has made it, and no call."""
    module = module_of(kind)
    found: Any = executed_modules.named(module) if type(module) is str else None
    held = vars(found).values() if type(found) is types.ModuleType else ()
    return any(each is kind or type(each) is kind for each in held)


class Layout:
    """Where the instances of a class written in Python keep their attributes."""

    def __init__(self, kind: type, name: str) -> None:
        self.kind = kind
        self.name = name
        self._dictionary = _dict_descriptor(kind)
        self._slots: Dict[str, Any] = {}
        self._left_out = _left_out.get(_identity(kind), (kind, frozenset()))[1]
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

    def slots(self, value: Any) -> List[Any]:
        """What its slots hold, each with the descriptor in front of it; nothing for one that was never assigned."""
        held: List[Any] = []
        for member in self._slots.values():
            with contextlib.suppress(AttributeError):
                held += (member, member.__get__(value))
        return held

    def field(self, value: Any, name: str, default: Any = None) -> Any:
        """A field that a class written in C gives its instances; properties in Python are not asked."""
        for base in _MRO(self.kind):
            found = _NAMESPACE(base).get(name)
            if type(found) in (types.GetSetDescriptorType, types.MemberDescriptorType):
                return found.__get__(value)
        return default

    def of(self, kind: type) -> Layout:
        """The layout of another class."""
        return Layout(kind, class_name(kind))

    def state(self, encoder: Encoder, value: Any) -> Any:
        """The attributes of an instance, from its dictionary and its slots, by name."""
        return encoder.wrap(self.pairs(value))

    def pairs(self, value: Any, left_out: Container[str] = ()) -> List[Any]:
        """Names and values of the attributes in turn."""
        state = self.attributes(value)
        if self._left_out:
            state = {name: each for name, each in state.items() if name not in self._left_out}
        return named_pairs(state, left_out)

    def attributes(self, value: Any) -> Dict[Any, Any]:
        """What its dictionary (itself, if there are no slots) and its slots hold; also what encoders leave out."""
        state = self.dictionary(value)
        if self._slots:
            state = dict(state)
            for name, member in self._slots.items():
                try:
                    state.setdefault(name, member.__get__(value))
                except AttributeError:  # never assigned
                    continue
        return state


def leave_out(kind: type, names: FrozenSet[str]) -> None:
    """Let encoders leave out these attributes of the instances of a class: only one version has them."""
    known = _left_out.get(_identity(kind))
    _left_out[_identity(kind)] = kind, names | known[1] if known else names


def named_pairs(state: Dict[Any, Any], left_out: Container[str] = ()) -> List[Any]:
    """Names and values in turn, by name; what is under a key that is no plain text comes last, in its own order."""
    pairs: List[Any] = []
    for name in sorted(name for name in state if type(name) is str and name not in left_out):
        pairs += (name, state[name])
    for name, value in state.items():
        if type(name) is not str:
            pairs += (name, value)
    return pairs


def _dict_descriptor(kind: type) -> Any:
    """The descriptor behind `__dict__` if it is the interpreter's own, not one that the class made up."""
    for base in _MRO(kind):
        found = _NAMESPACE(base).get("__dict__")
        if found is not None:
            return found if type(found) is types.GetSetDescriptorType else None
    return None


def reader_of_all(kind: type) -> Optional[Callable[[Any], Tuple[Any, ...]]]:
    """Reads all that may change in an instance of a class in Python, and the items of one that is a kind of tuple.

    None for classes whose instances hold more than that shows.
    """
    bases = [base for base in _MRO(kind) if not _FLAGS(base) & _HEAP_TYPE and base is not object]
    if any(_exact(_FROZEN_BASES, base) is None for base in bases) or (not bases and _has_hidden_state(kind)):
        return None
    layout = Layout(kind, "")

    def read(value: Any) -> Tuple[Any, ...]:
        state = layout.dictionary(value)
        items = tuple.__iter__(value) if bases == [tuple] else ()
        return (*state, *state.values(), *layout.slots(value), *items)

    return read


def _has_hidden_state(kind: type) -> bool:
    """Whether an instance is larger than its slots, its dictionary and its weak references account for."""
    slots = 0
    for base in _MRO(kind):
        slots += sum(type(member) is types.MemberDescriptorType for member in _NAMESPACE(base).values())
    room = _PLAIN_SIZE + _POINTER * (slots + 2)
    is_static = not _FLAGS(kind) & _HEAP_TYPE and kind is not object
    return is_static or _ITEMSIZE(kind) != 0 or _BASICSIZE(kind) > room


def _method_in_c(encoder: Encoder, value: Any) -> Iterator[Any]:
    """A method such as `str.lower`: nobody else can make one, so it is its name in its class."""
    owner, name = value.__objclass__, value.__name__
    if own_method(owner, name) is not value:
        return encoder.opaque_value("%s of %s" % (name, class_name(owner)))
    return encoder.parts("function", "%s.%s" % (class_name(owner), name))


def _instance(layout: Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    return encoder.parts("object", layout.name, layout.state(encoder, value))


def _enum(layout: Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    state = layout.dictionary(value)
    return encoder.parts("enum", layout.name, state.get("_name_"), state.get("_value_"))


def _subclass(
    layout: Layout, view: Callable[[Encoder, Any], Iterator[Any]], encoder: Encoder, value: Any
) -> Iterator[Any]:
    """An instance of a subclass of a builtin: its class, what the builtin part holds, its own attributes."""
    encoder.write('["sub",%s,' % quote(layout.name))
    yield from view(encoder, value)
    encoder.write(",")
    yield layout.state(encoder, value)
    encoder.write("]")


def _sorted_dict(
    layout: Layout, _view: Callable[[Encoder, Any], Iterator[Any]], encoder: Encoder, value: Any
) -> Iterator[Any]:
    """A `SortedDict`: its items in the order of its keys, and what puts these in order.

    How it was filled, and into which lists its keys are cut, shows nowhere.
    """
    own = layout.dictionary(value)
    cut = object.__getattribute__(own["_list"], "__dict__").get("_lists") if "_list" in own else None
    lists = cut if type(cut) is list and all(type(each) is list for each in cut) else []
    encoder.write('["sub",%s,' % quote(layout.name))
    yield from dict_in_order_of(encoder, value, [key for each in lists for key in each])
    encoder.write(",")
    yield own.get("_key")
    encoder.write("]")


def _exception(layout: Layout, encoder: Encoder, value: Any) -> Iterator[Any]:
    arguments = _EXCEPTION_ARGS(value)
    if issubclass(layout.kind, RecursionError):
        arguments = ("maximum recursion depth exceeded",)  # what follows depends on where the stack ended
    extra: List[Any] = []
    for base, names in _EXCEPTION_FIELDS:
        if issubclass(layout.kind, base):
            extra = [base.__dict__[name].__get__(value) for name in names]
    state = layout.state(encoder, value)
    return encoder.parts("exception", layout.name, arguments, encoder.wrap(extra), state, *_chain(value))


def _chain(value: Any) -> Iterator[Any]:
    """What a traceback shows above the exception: its cause, or the class of what was being handled."""
    cause = _EXCEPTION_CAUSE(value)
    if cause is not None:
        yield encoding_parts.Tree("from", cause)
    elif not _EXCEPTION_SUPPRESSES(value) and _EXCEPTION_CONTEXT(value) is not None:
        yield encoding_parts.Tree("while", type(_EXCEPTION_CONTEXT(value)))


_EXCEPTION_FIELDS: Tuple[Tuple[type, Tuple[str, ...]], ...] = (
    (OSError, ("filename", "filename2")),
    (ImportError, ("name", "path")),
    (SyntaxError, ("msg", "filename", "lineno", "offset", "text")),
)


_IN_ORDER = ("sortedcontainers.sorteddict", "SortedDict")  # the dictionary whose keys come in their own order
_TOLD_BY_NAME = (
    ("logging", "Logger", ("name",)),
    ("zoneinfo", "ZoneInfo", ("key",)),
    ("regex", "Pattern", ("pattern", "flags", "named_lists")),
    *(("typing", kind, ("_name",)) for kind in ("_SpecialForm", "_LiteralSpecialForm", "_TypedCacheSpecialForm")),
)


def _told_by_name(attributes: Sequence[str], encoder: Encoder, value: Any) -> Iterator[Any]:
    """An object of which there is one, or as good as one, for each name."""
    told = (object.__getattribute__(value, attribute) for attribute in attributes)
    return encoder.parts("named", type(value).__name__, *told)


def _imported(module: str, name: str) -> Any:
    """A class of a module that the program has imported itself."""
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) else None


_OF_BUILTINS: Dict[type, Plan] = {
    **{kind: Plan(_is_mutable(kind), is_iterator(kind), handler) for kind, handler in EXACT.items()},
    **{
        kind: Plan(is_mutable=False, is_iterator=False, open=_method_in_c)
        for kind in (types.MethodDescriptorType, types.WrapperDescriptorType)
    },
}
