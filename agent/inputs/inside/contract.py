"""What a function takes, as its type hints say it or as its real calls show it: values of other kinds are no input.

Exact types count: True is no int here, for a function of angles that gets it need not do anything in particular. Where
hints are silent about a part of an argument, the kinds of values that real calls hold in that place count.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from .argument_uses import uses_of
from .container_kinds import MAPPINGS, SEQUENCES, SETS, container_kind, plain_of
from .hint_kinds import Hints, takes
from .iterator_arguments import needed, promises_iterators
from .list_iterators import LIST_ITERATOR
from .type_hints import hint_namespace
from .value_kinds import MOST_DEPTH, NOTHING, Observed, Step, observe, steps

if typing.TYPE_CHECKING:
    from .call_parts import Root, Site

MOST_NAMED = 6  # keys of a record
MOST_ITEMS = 200  # of one container of a made call that are looked at
_HOLDERS = {*SEQUENCES, *SETS, str, bytes, range, LIST_ITERATOR}  # of elements
_NUMBERS = {int, float, complex, None, type(None)}
_VARIADIC: Dict[Any, Callable[[Any], Any]] = {
    inspect.Parameter.VAR_POSITIONAL: lambda hint: types.GenericAlias(tuple, (hint, ...)),
    inspect.Parameter.VAR_KEYWORD: lambda hint: types.GenericAlias(dict, (str, hint)),
}


class Way(NamedTuple):
    """One step of the way to a value: from which container or object, and how."""

    step: Step
    holder: Any


class Breach(NamedTuple):
    """What a call holds that the contract does not allow: where, and which rule says so.

    `rule` is one of: `kinds` (of these types), `length` (so many elements), `needed` (it has these keys), `keys` (it
    has no others), `empty`, `pattern` (a valid regular expression). `by_hint`: a type hint says so itself.
    """

    parameter: str
    ways: Tuple[Way, ...]
    value: Any
    rule: str
    allowed: Any = None
    by_hint: bool = False


class Contract:
    """Tells whether a call keeps to the hints of a function, and where they say nothing, to the kinds of real calls.

    Without `by_hints` it tells whether all of it keeps to the kinds of real calls.
    """

    def __init__(
        self, function: Callable[..., Any], source: str, real: Sequence[Root], *, by_hints: bool = True
    ) -> None:
        self._by_hints = by_hints
        self._hints = Hints(hint_namespace(function, source))
        self._names_bool = "bool" in getattr(getattr(function, "__code__", None), "co_names", ())
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = inspect.Signature()
        values: Dict[str, List[Any]] = {}
        for root in real:
            for name, value in (self._arguments(root) or {}).items():
                values.setdefault(name, []).append(value)
        self._seen = {name: observe(known) for name, known in values.items()}
        iterated = uses_of(function, source).iterated
        for name, parameter in self._signature.parameters.items():
            if parameter.default is not parameter.empty:
                known = self._seen.get(name) or observe([parameter.default])
                self._seen[name] = known.with_kind(type(parameter.default))
            is_sole = needed(self._signature.parameters.values()) == [name]
            doc = getattr(function, "__doc__", None) or ""
            is_iterated = name in iterated
            if name in self._seen and promises_iterators(parameter, doc, is_sole=is_sole, is_iterated=is_iterated):
                self._seen[name] = self._seen[name].as_iterable()
        self._patterns: Set[Tuple[str, Tuple[Step, ...]]] = set()  # places of regular expressions

    def admits(self, root: Root) -> bool:
        """Whether every argument is of a kind that the function takes."""
        return self._arguments(root) is not None and next(self.breaches(root), None) is None

    def breaches(self, root: Root) -> Iterator[Breach]:
        """What in a call is beyond the contract."""
        for name, value in (self._arguments(root) or {}).items():
            hint = self._hint_of(name) if self._by_hints else Any
            yield from self._breaches(value, hint, self._seen.get(name, NOTHING), name, ())

    def is_ruled_out(self, root: Root) -> bool:
        """Whether a call holds what the type hints themselves do not allow."""
        return any(breach.by_hint for breach in self.breaches(root))

    def contradicts(self, root: Root) -> bool:
        """Whether the function takes no such call, or a hint that names plain types alone says otherwise."""
        known = self._arguments(root)
        if known is None:
            return True
        plain = ((name, value) for name, value in known.items() if self._hints.names_plain(self._hint_of(name)))
        return any(any(self._breaches(value, self._hint_of(name), NOTHING, name, ())) for name, value in plain)

    def is_hinted(self, site: Site) -> bool:
        """Whether the argument at a place, or the one that holds it, has a type hint."""
        parameter = self._signature.parameters.get(self._parameter_at(site))
        return parameter is not None and parameter.annotation is not parameter.empty

    def is_open(self, site: Site) -> bool:
        """Whether a place is hinted, or is an argument whose elements are of several kinds in real calls.

        A function that is called with numbers here and with texts there takes whatever elements it is given.
        """
        if self.is_hinted(site):
            return True
        elements = (self._seen.get(self._parameter_at(site), NOTHING).parts or {}).get(("item", None), NOTHING)
        kinds = {complex if kind in _NUMBERS else kind for kind in elements.kinds - {type(None)}}
        return len(site) == 1 and len(kinds) > 1

    def takes_several_holders(self, site: Site) -> bool:
        """Whether a place is an argument that is a list in one real call and a text, say, in another."""
        return len(site) == 1 and len(self._seen.get(self._parameter_at(site), NOTHING).kinds & _HOLDERS) > 1

    def _parameter_at(self, site: Site) -> str:
        names = list(self._signature.parameters)
        return names[int(site[0])] if site[0].isdigit() and int(site[0]) < len(names) else site[0]

    def learn_patterns(self, root: Root, compiled: Set[Any]) -> None:
        """Remember where a call gives texts that its function compiled as regular expressions: only valid ones fit."""
        for name, value in (self._arguments(root) or {}).items():
            for ways, part in self._texts(value, self._seen.get(name, NOTHING), ()):
                if part in compiled:
                    self._patterns.add((name, _steps_of(ways)))

    def invalid_patterns(self, root: Root) -> Iterator[Breach]:
        """The texts in a call that are no valid regular expressions, wherever they stand."""
        for name, value in (self._arguments(root) or {}).items():
            for ways, part in self._texts(value, self._seen.get(name, NOTHING), ()):
                if not _is_pattern(part):
                    yield Breach(name, ways, part, "pattern")

    def _arguments(self, root: Root) -> Optional[Dict[str, Any]]:
        """The arguments that are given, by their parameters; None if the function takes no such call."""
        try:
            return dict(self._signature.bind(*root[0], **root[1]).arguments)
        except TypeError:
            return None

    def _hint_of(self, name: str) -> Any:
        parameter = self._signature.parameters[name]
        hint = self._hints.bare(parameter.annotation)
        return _VARIADIC[parameter.kind](hint) if parameter.kind in _VARIADIC else hint

    def _breaches(self, value: Any, hint: Any, seen: Observed, name: str, ways: Tuple[Way, ...]) -> Iterator[Breach]:
        """What one value breaks that stands where `seen` stood in real calls and `hint` says what may stand."""
        choices = self._hints.choices(hint)
        named = self._hints.plain_types(choices)
        kinds = seen.kinds.union(named)
        broken = []
        for choice in choices:
            said = self._hints.fits(value, choice)
            if not said and not seen.has(value):
                continue
            found = next(self._inside(value, choice if said else Any, seen, name, ways), None)
            if found is None:
                return
            broken.append(found)
        if broken:
            yield broken[0]
            return
        is_kept = not named or seen.kinds.issubset(named)  # else real calls contradict the hint
        yield Breach(name, ways, value, "kinds", kinds, by_hint=is_kept and self._is_ruled_out(value, choices))

    def _is_ruled_out(self, value: Any, choices: Sequence[Any]) -> bool:
        """Whether hints rule a value out; True for a number, too, if nothing else is hinted and the code asks for none.

        The rules of types take True for an `int`, and hardly anybody who writes `int` means it.
        """
        if type(value) is bool and not self._names_bool and set(choices) <= _NUMBERS:
            return True
        return all(self._hints.fits(value, each) is False and not takes(each, value) for each in choices)

    def _inside(self, value: Any, hint: Any, seen: Observed, name: str, ways: Tuple[Way, ...]) -> Iterator[Breach]:
        """The same for a value of the right type: its form, and what it holds."""
        if type(value) in (str, bytes) and (name, _steps_of(ways)) in self._patterns and not _is_pattern(value):
            yield Breach(name, ways, value, "pattern")
        if not self._hints.says_form(hint):
            yield from (Breach(name, ways, value, rule, allowed) for rule, allowed in _broken_form(value, seen))
        if seen.parts is None or len(ways) > MOST_DEPTH:
            return
        for step, part in steps(value, seen.form, MOST_ITEMS):
            inner = self._hints.bare(self._hints.inside(value, hint, step))
            known = seen.parts.get(step)
            if known is None and inner is Any and step[0] in ("item", "key", "value"):
                yield Breach(name, ways, value, "empty")
            elif (known is not None or inner is not Any) and not _is_private(step):
                yield from self._breaches(part, inner, known or NOTHING, name, (*ways, Way(step, value)))

    def _texts(self, value: Any, seen: Observed, ways: Tuple[Way, ...]) -> Iterator[Tuple[Tuple[Way, ...], Any]]:
        if type(value) in (str, bytes):
            yield ways, value
        elif len(ways) <= MOST_DEPTH:
            for step, part in steps(value, seen.form, MOST_ITEMS):
                yield from self._texts(part, (seen.parts or {}).get(step, NOTHING), (*ways, Way(step, value)))


def _broken_form(value: Any, seen: Observed) -> Iterator[Tuple[str, Any]]:
    """The rules of the form of rows and records that a value breaks."""
    form = seen.form
    if isinstance(value, (list, tuple)) and type(value) is form.row and len(value) != form.length:
        yield "length", form.length
    if container_kind(value) in MAPPINGS:
        names = plain_of(value)
        missing = sorted(form.keys - names.keys())
        if missing:
            yield "needed", sorted([*missing, *sorted(form.keys & names.keys())][:MOST_NAMED])
        if form.is_closed and names.keys() - form.keys:
            yield "keys", sorted(form.keys)


def _steps_of(ways: Sequence[Way]) -> Tuple[Step, ...]:
    return tuple(way.step for way in ways)


def _is_private(step: Step) -> bool:
    """Whether it is an attribute that is its class's own business."""
    return step[0] == "attribute" and step[1].startswith("_")


def _is_pattern(text: Any) -> bool:
    try:
        re.compile(text)
    except (re.error, RecursionError, OverflowError):
        return False
    return True
