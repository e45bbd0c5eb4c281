"""Puts the arguments of real calls in the place of those that break an assumption, and beside them.

Where two versions differ on a call that breaks one, this may have another cause. Then they differ on the same call with
a real argument, too, or with one into which as much of the other is put as the assumption allows: it is of no use.
Arguments that are equal are changed together, too: that they are may be the cause.
"""

from __future__ import annotations

import ast
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Sequence, Set

from .assumptions import Assumed
from .call_parts import like
from .edge_values import in_turns

if TYPE_CHECKING:
    from types import ModuleType
    from typing import Callable

    from ....sandbox.driver.call_blobs import Call
    from .call_parts import Root
    from .mended_values import Mender

CROSSED = "a difference with arguments of real calls"
MOST_CROSSED = 24  # calls that arguments are taken from
MOST_BESIDE = 6  # other calls whose arguments are put beside one
LONGEST_BESIDE = 12  # characters or elements of these
MOST_COMPARED = 60  # elements of these, of which some are put beside one alone
_SEQUENCES = (list, tuple)


def broken_parameters(
    module: ModuleType, function: Callable[..., Any], expressions: Sequence[str], call: Call
) -> List[str]:
    """The parameters that are named in those of these assumptions that a call breaks."""
    broken = [each for each in expressions if not Assumed(module, function, [each]).hold(call.args, call.kwargs)]
    known = Assumed(module, function, []).arguments(call.args, call.kwargs)
    named = {name for each in broken for name in _free_names(each)}
    return [name for name in known if name in named]


def _free_names(expression: str) -> Set[str]:
    names = [node for node in ast.walk(ast.parse(expression.strip(), mode="eval")) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}  # by a comprehension
    return {node.id for node in names} - bound


def crossed(root: Root, parameters: Sequence[str], names: Sequence[str], others: Sequence[Root]) -> Iterator[Root]:
    """The call with the arguments that other calls give for some parameters, as far as each gives all of these.

    Args:
        root: of the call.
        parameters: the names of those to replace.
        names: those of all parameters that can be given by position, in their order.
        others: the other calls.
    """
    for other in others[:MOST_CROSSED] if parameters else ():
        given = arguments(other, names)
        if all(name in given for name in parameters):
            made = root
            for name in parameters:
                made = _with_argument(made, name, given[name], names)
            yield made
            yield from _with_twins(root, {name: given[name] for name in parameters}, names)


def surrounded(root: Root, parameters: Sequence[str], names: Sequence[str], others: Sequence[Root]) -> Iterator[Root]:
    """The call with what other calls give, and with single elements of it, beside its own texts and lists.

    It stands after each, before it, and around it.

    Where a difference needs a tab, and tabs stood at the end only, "has no blanks around it" is not the reason.

    Args:
        root: of the call.
        parameters: the names of those of which this is made, one at a time.
        names: those of all parameters that can be given by position, in their order.
        others: the other calls.
    """
    own = arguments(root, names)
    for name in parameters:
        value = own.get(name)
        if type(value) not in (str, *_SEQUENCES) or not value:
            continue
        beside = [given[name] for other in others if type((given := arguments(other, names)).get(name)) is type(value)]
        parts = [] if type(value) is str else [_single_elements(each) for each in beside]
        for each in [*list(filter(None, beside))[:MOST_BESIDE], *_unlike(in_turns(parts))[:MOST_BESIDE]]:
            part = each[:LONGEST_BESIDE]
            # The ends of a list are two parts of the other: the same object twice may differ for its own reason.
            head, tail = (part, part) if type(value) is str else (part[: len(part) // 2], part[len(part) // 2 :])
            for made in (value + part, part + value, head + value + tail):
                yield _with_argument(root, name, made, names)
                yield from _with_twins(root, {name: made}, names)


def _with_twins(root: Root, changes: Mapping[str, Any], names: Sequence[str]) -> Iterator[Root]:
    """The call with these arguments, and each one that was equal to one of them equal to it again; nothing if none was.

    Where a version asks whether two arguments are equal, this is the reason, and not what they hold.
    """
    own = arguments(root, names)
    twins = {
        other: like(own[other], list(value)) if type(value) in _SEQUENCES else value
        for name, value in changes.items()
        for other in own
        if other not in changes and name in own and _are_equal(own[name], own[other])
    }
    made = root
    for name, value in {**changes, **twins}.items():
        made = _with_argument(made, name, value, names)
    if twins:
        yield made


def _single_elements(items: Any) -> Iterator[Any]:
    return (items[at : at + 1] for at in range(len(items)))


def _unlike(parts: Iterator[Any]) -> List[Any]:
    """One of each that are equal, among the first few."""
    found: List[Any] = []
    for part in islice(parts, MOST_COMPARED):
        if not any(_are_equal(part, known) for known in found):
            found.append(part)
    return found


def _are_equal(one: Any, other: Any) -> bool:
    """Whether two texts, or two lists or tuples, hold the same."""
    try:
        if type(one) is str or type(other) is str:
            return type(one) is type(other) and one == other
        return type(one) in _SEQUENCES and type(other) in _SEQUENCES and bool(list(one) == list(other))
    except Exception:  # noqa: BLE001 - the elements may be of classes of the user's, and compare as they like
        return False


def mended(
    root: Root, own: Mapping[str, Any], names: Sequence[str], holds: Callable[[Root], bool], mender: Mender
) -> Iterator[Root]:
    """A crossed call with as much of the call's own arguments as may be; nothing if that is none of them.

    Args:
        root: what `crossed` made of the call.
        own: the call's own arguments that were replaced, by the names of their parameters.
        names: those of all parameters that can be given by position, in their order.
        holds: whether a call keeps to the assumptions.
        mender: of the job.
    """
    made = root
    for name, value in own.items() if holds(root) else ():
        if not mender.begin():
            break
        whole = _with_argument(made, name, value, names)
        if holds(whole):
            made = whole
            continue
        given = arguments(made, names)[name]
        part = mender.nearest(given, value, partial(_holds_with, holds, made, name, names))
        if part is not given:
            made = _with_argument(made, name, part, names)
    if made is not root:
        yield made


def arguments(root: Root, names: Sequence[str]) -> Dict[str, Any]:
    """What a call gives, by the names of the parameters."""
    args, kwargs = root
    return {**dict(zip(names, args)), **kwargs}  # noqa: B905 - for Python 3.9


def _holds_with(holds: Callable[[Root], bool], root: Root, name: str, names: Sequence[str], value: Any) -> bool:
    return holds(_with_argument(root, name, value, names))


def _with_argument(root: Root, name: str, value: Any, names: Sequence[str]) -> Root:
    args, kwargs = list(root[0]), dict(root[1])
    at = names.index(name) if name in names else len(args)
    if at < len(args):
        args[at] = value
    else:
        kwargs[name] = value
    return [args, kwargs]
