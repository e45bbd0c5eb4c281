"""What a function's signature allows beside what the calls show: None in a place, an argument more or less."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Set, Tuple

from .argument_uses import NO_USES, Uses, uses_of
from .edge_values import edges, in_turns
from .iterator_arguments import needed, promises_iterators
from .type_hints import CONTAINERS, Shape, Unusable, parameter_shapes, scalars_in

if TYPE_CHECKING:
    from ....sandbox.driver.user_module import Resolved
    from .call_parts import Root, Site

_ITERABLE = re.compile(r"(typing\.|abc\.|collections\.abc\.)?(Iterable|Iterator)\b")
MOST_NEAR = 4  # values near a default
_NONE: Shape = ("leaf", type(None))


class Signature(NamedTuple):
    """`may_be_none`: the places where None is allowed; `defaults`: what the parameters that have one default to."""

    names: List[str]
    defaults: Dict[str, Any]
    keyword_only: Set[str]
    may_be_none: Set[Site]
    iterables: Set[Site]  # arguments that may be an iterator, which can be gone through only once
    scalars: Dict[str, List[Any]]  # by parameter: an empty text, a zero and their like, as the hint names their types
    uses: Uses = NO_USES

    def with_fewer(self, root: Root) -> Iterator[Root]:
        """The call without one of the arguments that may be left out: those of `**kwargs`, too."""
        args, kwargs = root
        if args and len(args) <= len(self.names) and self.names[len(args) - 1] in self.defaults:
            yield [args[:-1], kwargs]
        for name in kwargs:
            if name in self.defaults or name not in (*self.names, *self.keyword_only):
                yield [args, {other: value for other, value in kwargs.items() if other != name}]

    def with_more(self, root: Root) -> Iterator[Root]:
        """The call with one argument more than it gave: something near the parameter's default."""
        args, kwargs = root
        given = set(self.names[: len(args)]) | set(kwargs)
        others = [(name, default) for name, default in self.defaults.items() if name not in given]
        yield from in_turns([self._given(root, name, default) for name, default in others])

    def _given(self, root: Root, name: str, default: Any) -> Iterator[Root]:
        """The call with something near its default for one parameter."""
        args, kwargs = root
        near = [value for _, value in edges(default)[:MOST_NEAR]]
        for value in (*self.scalars.get(name, ()), *near) if default is None else near:
            yield [args, {**kwargs, name: value}]

    def instead_of_none(self, site: Site) -> Iterator[Any]:
        """What the hint allows in the place of an argument that is None."""
        name = self.names[int(site[0])] if site[0].isdecimal() and int(site[0]) < len(self.names) else site[0]
        for value in self.scalars.get(name, ()) if len(site) == 1 else ():
            yield value
            yield from (near for _, near in edges(value)[:MOST_NEAR])


def signature_of(target: Resolved, source: str) -> Signature:
    """Read the signature; an empty one if that cannot be done."""
    try:
        parameters = list(inspect.signature(target.function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [each for each in parameters if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
    names = [each.name for each in positional]
    by_keyword = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    defaults = {each.name: each.default for each in by_keyword if each.default is not each.empty}
    keyword_only = {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
    allowed: Set[Site] = set()
    for name, default in defaults.items():
        if default is None:
            allowed |= _sites(name, names, ())
    try:
        shapes = parameter_shapes(target.function, source, skip_first=target.kind in ("method", "class", "property"))
    except Unusable:
        shapes = {}
    for name, (shape, _, _) in shapes.items():
        for below in _where_none(shape, ()):
            allowed |= _sites(name, names, below)
    iterables: Set[Site] = set()
    uses = uses_of(target.function, source)
    doc, sole = getattr(target.function, "__doc__", None) or "", needed(parameters)
    for each in by_keyword:
        is_iterated = each.name in uses.iterated
        is_promised = promises_iterators(each, doc, is_sole=sole == [each.name], is_iterated=is_iterated)
        if _ITERABLE.match(str(each.annotation)) or is_promised:
            iterables |= _sites(each.name, names, ())
    scalars = {name: list(scalars_in(shape)) for name, (shape, _, _) in shapes.items()}
    return Signature(names, defaults, keyword_only, allowed, iterables, scalars, uses)


def _sites(name: str, names: List[str], below: Site) -> Set[Site]:
    """A place in a parameter: it may be given by position or by name."""
    by_name: Tuple[str, ...] = (name, *below)
    return {by_name, (str(names.index(name)), *below)} if name in names else {by_name}


def _where_none(shape: Shape, site: Site) -> Iterator[Site]:
    """The places inside a value of this shape where None is allowed."""
    kind = shape[0]
    if kind == "union":
        if _NONE in shape[1]:
            yield site
        for part in shape[1]:
            yield from _where_none(part, site)
    elif kind in CONTAINERS:
        yield from _where_none(shape[1], (*site, "*"))
    elif kind == "dict":
        yield from _where_none(shape[2], (*site, "*"))
    elif kind == "fixed":
        for index, part in enumerate(shape[1]):
            yield from _where_none(part, (*site, str(index)))
    elif kind == "record":
        for name, part in shape[2].items():
            yield from _where_none(part, (*site, "." + name))
