"""What the code of a function does with its parameters: unpacks them for another function, or calls them.

A tuple that always has three parts in real calls is taken for a record of three. Where the code unpacks it, as in
`Version(*parts)`, it may hold what that other function takes, which may be more or less. And where the code calls a
parameter with arguments by name, a function that tells these shows whether another version gives the same.
"""

from __future__ import annotations

import ast
import collections.abc
import contextlib
from abc import ABCMeta
from functools import partial
from types import CodeType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Set

from ....sandbox.driver.user_module import unwrap
from .call_parts import Root, constructor_parameters, like
from .container_kinds import MAPPINGS, SEQUENCES, NotBuildableError, alike, container_kind, plain_of
from .edge_values import in_turns

MORE = (None, "", "a", 0, 1)  # what a part may be that no real call has
LONGEST = 8  # parts of what is unpacked
MOST_POSITIONAL = 3  # arguments that a function tells


class Uses(NamedTuple):
    """Parameters by what the code does with them in some call."""

    as_sequence: Set[str]  # `*name`
    as_mapping: Set[str]  # `**name`
    called: Dict[str, Set[str]]  # `name(…, this=…)`: by the name of the parameter, those of the arguments
    iterated: Set[str]  # `iter(name)`, which takes an iterator as it is
    abstract: Set[type]  # `Mapping` and its like, which the code names: it asks whether something is of that kind


NO_USES = Uses(set(), set(), {}, set(), set())


def uses_of(function: Callable[..., Any], source: str) -> Uses:
    """How a function uses its parameters, read in the source of its module."""
    plain = unwrap(function)
    if plain is None:
        return NO_USES
    code = plain.__code__
    known = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    found = Uses(set(), set(), {}, set(), _abstract_in(plain.__code__, plain.__globals__))
    for call in _calls_in(source, code.co_name, code.co_firstlineno):
        unpacked = [each.value for each in call.args if isinstance(each, ast.Starred)]
        found.as_sequence.update(_names(unpacked) & known)
        found.as_mapping.update(_names([each.value for each in call.keywords if each.arg is None]) & known)
        if _names([call.func]) == {"iter"} and len(call.args) == 1:
            found.iterated.update(_names(call.args) & known)
        for name in _names([call.func]) & known:
            found.called.setdefault(name, set()).update(each.arg for each in call.keywords if each.arg)
    return found


def _abstract_in(code: CodeType, names: Mapping[str, Any]) -> Set[type]:
    named = {value for name in code.co_names for value in (names.get(name),) if isinstance(value, ABCMeta)}
    found = {each for each in named if each.__module__ == collections.abc.__name__}
    return found.union(*(_abstract_in(each, names) for each in code.co_consts if isinstance(each, CodeType)))


def _names(expressions: Sequence[ast.expr]) -> Set[str]:
    return {each.id for each in expressions if isinstance(each, ast.Name)}


def _calls_in(source: str, name: str, first_line: int) -> Iterator[ast.Call]:
    """The calls in the function of this name that begins in this line, or whose decorators do."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or node.name != name:
            continue
        if first_line in (node.lineno, *(each.lineno for each in node.decorator_list)):
            yield from (each for each in ast.walk(node) if isinstance(each, ast.Call))


def otherwise_used(root: Root, names: Sequence[str], uses: Uses) -> Iterator[Root]:
    """The call with each argument that is unpacked or called as another one, in turns.

    What is unpacked has parts more and fewer. What is called tells its arguments by name in a text.

    Args:
        root: the call.
        names: of the positional parameters.
        uses: what the code does with the parameters.
    """
    args, kwargs = root
    others = [*args, *kwargs.values()]
    made: List[Iterator[Root]] = []
    for at, name in enumerate(names[: len(args)]):
        made.append(_in_place(root, at, _others_for(args[at], name, uses, others)))
    for name, value in kwargs.items():
        made.append(_in_place(root, name, _others_for(value, name, uses, others)))
    return in_turns(made)


def _in_place(root: Root, at: Any, values: Iterator[Any]) -> Iterator[Root]:
    """The call with each of the values for the argument of this index or name."""
    args, kwargs = root
    for value in values:
        if type(at) is int:
            yield [[*args[:at], value, *args[at + 1 :]], kwargs]
        else:
            yield [args, {**kwargs, at: value}]


def _others_for(value: Any, name: str, uses: Uses, others: Sequence[Any]) -> Iterator[Any]:
    kind = container_kind(value)
    if name in uses.as_sequence and kind in SEQUENCES and len(value) <= LONGEST:
        yield from _built(partial(like, value), _other_sequences(list(plain_of(value))))
    if name in uses.as_mapping and kind in MAPPINGS and len(value) <= LONGEST:
        yield from _built(partial(alike, value), _other_mappings(dict(plain_of(value)), others))
    if uses.called.get(name) and callable(value):
        yield from _telling(sorted(uses.called[name]))


def _built(build: Callable[[Any], Any], contents: Iterator[Any]) -> Iterator[Any]:
    """The containers with these contents, as far as their class makes them."""
    for content in contents:
        with contextlib.suppress(NotBuildableError):
            yield build(content)


def _other_sequences(parts: List[Any]) -> Iterator[List[Any]]:
    for more in MORE:
        yield [*parts, more]
    for fewer in range(len(parts)):
        yield parts[:fewer]
    for first in MORE:
        for second in MORE:
            yield [*parts, first, second]


def _other_mappings(content: Dict[Any, Any], others: Sequence[Any]) -> Iterator[Dict[Any, Any]]:
    """With another parameter of a class that an object beside it is of, and without one of its keys."""
    missing: Dict[str, bool] = {}
    for other in others:
        try:
            missing.update(constructor_parameters(type(other)))
        except NotBuildableError:
            continue
    for name in missing:
        if name not in content:
            yield from ({**content, name: more} for more in MORE)
    for key in content:
        yield {other: value for other, value in content.items() if other != key}


def _telling(names: Sequence[str]) -> Iterator[Callable[..., str]]:
    """Functions that return their arguments of these names as a text, and so many positional ones.

    They are methods of texts, which can be copied everywhere.
    """
    by_name = " ".join("%s={%s!r}" % (name, name) for name in names)
    for count in range(MOST_POSITIONAL + 1):
        yield ("{!r} " * count + by_name).format
    for name in names if len(names) > 1 else ():
        yield ("%s={%s!r}" % (name, name)).format
