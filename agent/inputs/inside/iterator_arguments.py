"""Iterators among the arguments of recorded calls, as lists while inputs are made from them.

The blob of a call that was given a generator holds a list's iterator (`given_iterators`). Nothing can be varied in it
that would not use it up. So inputs are made from the call with a list in that place, and an iterator is put back there
when they are tried.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Dict, Iterable, List

from .call_parts import Root, root_of
from .container_kinds import SEQUENCES
from .list_iterators import LIST_ITERATOR, items_left

if TYPE_CHECKING:
    import inspect

    from ....sandbox.driver.call_blobs import Call


_GIVEN = re.compile(r"\b(?:from|of|over|in|any|given|takes?)\s+(?:an?\s+|any\s+|the\s+)?iterables?\b", re.IGNORECASE)
# "rows: an iterable of", "rows (iterable)", "`rows` may be any iterable"; not "rows: list of iterables".
_TOLD = r"\b%s`*(?: ?[:(]| +(?:is|are|may be|can be)) ?(?:an? |any |the )?(?:iterables?|iterators?|generators?)\b"
_NAMED = re.compile(r"(?:(?!n_|max_|min_|num_)\w+_)?(?:iterables?|iterators?|iter|it)")


def promises_iterators(parameter: inspect.Parameter, doc: str, *, is_sole: bool, is_iterated: bool = False) -> bool:
    """Whether a parameter without a hint says by its name, or the docstring of it, that it takes any iterable.

    `is_sole`: it is the only one that has to be given, so that the docstring need not name it. `is_iterated`: the code
    asks for its iterator, as who needs a sequence does not.

    That is a word of the Python glossary: who reads it may give a generator. `*iterables` are left alone.
    """
    if parameter.annotation is not parameter.empty or parameter.kind in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    ):
        return False
    told = re.search(_TOLD % re.escape(parameter.name), doc, re.IGNORECASE)
    is_told = told or (is_sole and _GIVEN.search(doc))
    return bool(_NAMED.fullmatch(parameter.name) or is_told or is_iterated)


def needed(parameters: Iterable[inspect.Parameter]) -> List[str]:
    """The parameters that have to be given, without the object of a method."""
    return [each.name for each in parameters if each.default is each.empty and each.name not in ("self", "cls")]


def root_with_lists(call: Call) -> Root:
    """The arguments of a call, with lists of what is left in the place of iterators.

    An iterator that is given twice becomes one list.
    """
    lists: Dict[int, List[Any]] = {}

    def listed(value: Any) -> Any:
        if type(value) is not LIST_ITERATOR:
            return value
        return lists.setdefault(id(value), items_left(value))

    return root_of([listed(value) for value in call.args], {name: listed(value) for name, value in call.kwargs.items()})


def with_iterators_again(root: Root, call: Call) -> Root:
    """A root made from that of a call: where the call was given an iterator, a sequence becomes one again."""
    iterators: Dict[int, Any] = {}

    def again(value: Any, given: Any) -> Any:
        if type(given) is not LIST_ITERATOR or type(value) not in SEQUENCES:
            return value
        return iterators.setdefault(id(value), iter(list(value)))

    args = [again(value, call.args[at] if at < len(call.args) else None) for at, value in enumerate(root[0])]
    return [args, {name: again(value, call.kwargs.get(name)) for name, value in root[1].items()}]


def gives_iterator(call: Call, site: str) -> bool:
    """Whether the argument at a site (its index as text, or its name) is such an iterator."""
    given = call.args[int(site)] if site.isdigit() and int(site) < len(call.args) else call.kwargs.get(site)
    return type(given) is LIST_ITERATOR
