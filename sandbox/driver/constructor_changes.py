"""Gives the objects of a call what the constructor of another version of their class adds to them.

The blob of a call holds objects as the original's constructors made them. A version that computes something beforehand,
in its constructor, has methods which need that. So a blob ends with a digest of the constructor of each class that it
names. Where a digest is another here, the class's own constructor is run with the attributes that have the names of its
parameters, and the object gets the attributes that this adds. Encoders leave them out: the original has none of them.
"""

from __future__ import annotations

import contextlib
import enum
import io
import opcode
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from . import blob_pickler, code_names, encoding_parts, type_plans, user_module, value_encoder
from .encoded_text import digest_of

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there

_MARK = b"\0constructors"  # no pickle ends with it
_WIDTH = 8  # of a digest: it only has to tell two versions apart
_NONE = b"0" * _WIDTH  # of a class without a constructor in Python
_CONSTRUCTORS = ("__new__", "__init__", "__post_init__", "__attrs_post_init__")
_OF_ARGUMENTS = 0x0C  # CO_VARARGS and CO_VARKEYWORDS
_digests: Dict[int, Tuple[type, bytes]] = {}  # by the identity of a class, which is held
_Classes = Mapping[Tuple[str, str], Any]


class Unlike(Exception):  # noqa: N818 - it is told to the user as a reason
    """The constructor cannot make an object again from its attributes; the message says why."""


class _Look(value_encoder.Glance):
    """Reads all of a value, and leaves iterators as they are."""

    most_nodes = value_encoder.MAX_NODES


def with_digests(pickled: bytes, classes: _Classes) -> bytes:
    """The pickle of a call with the digests of the constructors of the classes that it names."""
    digests = [_digest(kind) for kind in _own_classes(classes)]
    return pickled + b"".join(digests) + bytes((len(digests),)) + _MARK if 0 < len(digests) < 256 else pickled


def complete(parts: Any, pickled: bytes, classes: _Classes, protocol: int) -> None:
    """Give the objects in what was read from a pickle what their constructors here add.

    Args:
        parts: the arguments and the globals.
        pickled: what they were read from.
        classes: those that it names.
        protocol: of pickles.

    Raises:
        Unlike: an object lacks attributes that its constructor makes, and the constructor cannot be run for it.
    """
    own = _own_classes(classes)
    told = zip(own, _told_digests(pickled, len(own)))  # noqa: B905 - Python 3.9 has no strict
    changed = {id(kind): digest for kind, digest in told if digest != _digest(kind)}
    if not changed:
        return
    # What an object holds comes after it in a pickle, and has to be complete first.
    for value in reversed(blob_pickler.objects_of(parts, protocol, frozenset(changed))):
        _complete(value, protocol, had_constructor=changed[id(type(value))] != _NONE)


def _told_digests(pickled: bytes, count: int) -> Sequence[bytes]:
    """The digests at the end of a pickle of a call; none where there are not as many as classes."""
    end = len(pickled) - len(_MARK) - 1
    if not pickled.endswith(_MARK) or pickled[end] != count:
        return ()
    begin = end - count * _WIDTH
    return [pickled[at : at + _WIDTH] for at in range(begin, end, _WIDTH)]


def _own_classes(classes: _Classes) -> List[type]:
    """The project's own classes, in an order that every version has."""
    named = [classes[name] for name in sorted(classes)]
    return [kind for kind in named if blob_pickler.is_own(kind) and not issubclass(kind, enum.Enum)]


def _digest(kind: type) -> bytes:
    """Of all code of a class that takes part in making an object, but for comments, docstrings and line numbers."""
    known = _digests.get(id(kind))
    if known is None:
        told = sorted(_told(function.__code__) for function in _functions_of(kind))
        digest = digest_of("\n".join(told).encode("utf-8", "surrogatepass"))[:_WIDTH].encode("ascii") if told else _NONE
        known = _digests[id(kind)] = (kind, digest)
    return known[1]


def _functions_of(kind: type) -> Iterator[FunctionType]:
    """A class's constructor, those of its bases, and the methods that they call."""
    bases = _own_namespaces(kind)
    waiting, seen = list(_CONSTRUCTORS), set(_CONSTRUCTORS)
    while waiting:
        name = waiting.pop()
        for members in bases:
            function = _function_in(members.get(name))
            if function is not None:
                yield function
                called = set(function.__code__.co_names) - seen
                seen |= called
                waiting += called


def _own_namespaces(kind: type) -> List[Mapping[str, Any]]:
    return [vars(base) for base in kind.__mro__ if base is not object and blob_pickler.is_own(base)]


def _function_in(member: Any) -> Optional[FunctionType]:
    """The function of a method, a static method, a class method or a property."""
    if isinstance(member, property):
        member = member.fget
    return user_module.unwrap(member.__func__ if isinstance(member, (staticmethod, classmethod)) else member)


def _told(code: CodeType) -> str:
    """What code does: its instructions, each with the constant that it loads, so that a docstring is none of it."""
    told: List[Tuple[int, Any]] = []
    above = 0  # what an instruction of its own says of the next one's argument
    for operation, low in zip(code.co_code[::2], code.co_code[1::2]):  # noqa: B905 - Python 3.9 has no strict
        argument = above << 8 | low
        above = argument if operation == opcode.EXTENDED_ARG else 0
        if operation in opcode.hasconst:
            told.append((operation, _constant(code.co_consts[argument])))
        elif operation != opcode.EXTENDED_ARG:
            told.append((operation, argument))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _OF_ARGUMENTS)
    return repr((told, names, counts))


def _constant(value: Any) -> str:
    """A constant of a function; the order in a set is up to hashes."""
    if isinstance(value, CodeType):
        return _told(value)
    if isinstance(value, frozenset):
        return "{%s}" % ",".join(sorted(map(_constant, value)))
    return "(%s)" % ",".join(map(_constant, value)) if type(value) is tuple else repr(value)


def _complete(value: Any, protocol: int, *, had_constructor: bool) -> None:
    kind = type(value)
    layout = type_plans.Layout(kind, "")
    held = dict(layout.attributes(value))
    if not held and had_constructor:
        return  # it was not made yet: the call is one of the constructor
    try:
        added = _Maker(layout, held, protocol).added()
    except Unlike as error:
        missing = sorted(_stored_names(kind) - set(held))
        if not missing:
            return
        raise Unlike("%s has no `%s`, and %s" % (kind.__qualname__, missing[0], error)) from error
    for name, each in added.items():
        object.__setattr__(value, name, each)
    names = frozenset(added) - frozenset(held)
    if names:
        type_plans.leave_out(kind, names)


class _Maker:
    """Makes an object once more, by its class's constructor."""

    def __init__(self, layout: type_plans.Layout, held: Dict[str, Any], protocol: int) -> None:
        """`held` are the attributes of the object, `protocol` is that of copies.

        Raises:
            Unlike: no attribute keeps what the constructor needs.
        """
        self._layout, self._held, self._protocol = layout, held, protocol
        self._parameters = _parameters(layout.kind)
        self._chosen = _attributes_by_parameter(layout.kind, held, self._parameters)
        self._before = {name: _encoded(each) for name, each in held.items()}

    def added(self) -> Dict[str, Any]:
        """The attributes that the constructor adds; with those that it makes alike where these have parts in common.

        Raises:
            Unlike: the constructor raises something, or makes another object.
        """
        made = self._make(())
        unlike = self._unlike(made)
        if unlike and any(each.kind is each.VAR_KEYWORD for each in self._parameters):
            taken = {*self._chosen, *self._chosen.values()}
            made = self._make([name for name in unlike if name not in taken])
            unlike = self._unlike(made)
        new = {name: each for name, each in made.items() if name not in self._held}
        for name in unlike:
            if not self._came_later(name, new):
                raise Unlike("its constructor gives `%s` another value than the call found there" % name)
        alike = {name: each for name, each in made.items() if name in self._held and name not in unlike}
        kept = {name: self._held[name] for name in alike}
        has_common_parts = self._encoded_copy({**kept, **new}) != self._encoded_copy({**alike, **new})
        return {**alike, **new} if new and has_common_parts else new

    def _make(self, more: Sequence[str]) -> Dict[str, Any]:
        """The attributes of what the constructor makes; `more` are names of attributes that `**kwargs` takes."""
        positional: List[Any] = []
        named: Dict[str, Any] = {name: self._held[name] for name in more}
        chosen, kind = self._chosen, self._layout.kind
        takes_more = any(each.kind is each.VAR_POSITIONAL and each.name in chosen for each in self._parameters)
        for each in self._parameters:
            value = self._held[chosen[each.name]] if each.name in chosen else each.default
            if each.kind is each.VAR_POSITIONAL:
                positional += value if type(value) in (list, tuple) else ()
            elif each.kind is each.VAR_KEYWORD:
                named.update(value if type(value) is dict else {})
            elif each.kind is each.POSITIONAL_ONLY or (takes_more and each.kind is each.POSITIONAL_OR_KEYWORD):
                positional.append(value)
            elif each.name in chosen:
                named[each.name] = value
        unseen = io.StringIO()  # what it prints is no part of the call
        try:
            with contextlib.redirect_stdout(unseen), contextlib.redirect_stderr(unseen):
                made = kind(*positional, **named)
        except Exception as error:  # whatever the constructor says
            raise Unlike("its constructor raises %s" % type(error).__name__) from error
        if type(made) is not kind:
            raise Unlike("its constructor makes an object of another class")
        return self._layout.attributes(made)

    def _unlike(self, made: Mapping[str, Any]) -> List[str]:
        """The attributes that were made with other values; what a method has added is none of the constructor's."""
        return [
            name for name, encoded in self._before.items() if name in made and self._encoded_copy(made[name]) != encoded
        ]

    def _came_later(self, name: str, new: Mapping[str, Any]) -> bool:
        """Whether an attribute has another value since a method changed it, which changes nothing of what is new.

        A counter, say. So all arguments of the constructor have to be known, and no method may keep what is new up to
        date with the attribute: where its value cannot be changed itself, none that stores another one.
        """
        if name in self._chosen.values() or any(each.name not in self._chosen for each in self._parameters):
            return False
        changing = {each for each, value in new.items() if _is_mutable(value)}
        only_stored = not _is_mutable(self._held[name])
        for member, function in _members(self._layout.kind):
            names = set(function.__code__.co_names)
            stored = code_names.stored_attributes(function.__code__)
            may_change = name in (stored if only_stored else names)
            if member not in _CONSTRUCTORS and (stored & set(new) or (may_change and names & changing)):
                return False
        return True

    def _encoded_copy(self, value: Any) -> bytes:
        """What is encoded of a copy: functions in it are looked into, as in what a call holds. Empty if it has none."""
        try:
            copied = blob_pickler.load(blob_pickler.dump(value, self._protocol))
        except Exception:  # noqa: BLE001 - pickling runs code of any class, which may raise anything
            return b""
        return _encoded(copied)


def _is_mutable(value: object) -> bool:
    return type_plans.plan_of(type(value), None).is_mutable


def _parameters(kind: type) -> List[Any]:
    import inspect  # noqa: PLC0415 - it takes a while to import, and few versions change constructors

    try:
        return list(inspect.signature(kind).parameters.values())
    except (TypeError, ValueError) as error:
        raise Unlike("the parameters of its constructor are not known") from error


def _attributes_by_parameter(kind: type, held: Mapping[str, Any], parameters: Sequence[Any]) -> Dict[str, str]:
    """The attribute that keeps each parameter: `width`, `_width` or `__width`."""
    private = "_%s__" % kind.__name__.lstrip("_")
    chosen: Dict[str, str] = {}
    for each in parameters:
        names = [name for name in (each.name, "_" + each.name, private + each.name) if name in held]
        if names:
            chosen[each.name] = names[0]
        elif each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            raise Unlike("no attribute keeps the argument `%s` of its constructor" % each.name)
    return chosen


def _members(kind: type) -> Iterator[Tuple[str, FunctionType]]:
    """The functions of a class and of its bases, by name."""
    for members in _own_namespaces(kind):
        for name, member in list(members.items()):
            function = _function_in(member)
            if function is not None:
                yield name, function


def _encoded(value: Any) -> bytes:
    tree = value
    if type(value) is dict:
        named = [encoding_parts.Tree("named", str(name), value[name]) for name in sorted(value, key=str)]
        tree = encoding_parts.Tree("attributes", *named)
    try:
        encoded: bytes = _Look().encode(tree)
    except (value_encoder.TooLarge, MemoryError, RecursionError, RuntimeError) as error:
        raise Unlike("what it holds is too large") from error
    return encoded


def _stored_names(kind: type) -> Set[str]:
    """The names of attributes that the code of a class's constructor stores."""
    stored: FrozenSet[str] = frozenset()
    for function in _functions_of(kind):
        stored |= code_names.stored_attributes(function.__code__)
    return set(stored)
