"""Thinks of inputs near a call: edge cases of its parts, values that have to do with the code, and other kinds."""

from __future__ import annotations

import contextlib
import itertools
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable, Iterator, List, NamedTuple, Sequence, Set

from ....sandbox.driver.call_blobs import NotCopyable, dump_call, load_call
from .alike_texts import alike_texts
from .argument_uses import otherwise_used
from .call_parts import Place, Root, Site, fields, like, places, with_value
from .container_attributes import instead_of_none, with_other_attributes
from .container_kinds import SEQUENCES
from .edge_dates import across_changes, is_dated
from .edge_values import CONFUSABLE, edges, in_turns, with_special
from .held_functions import WITHIN, with_other_functions
from .iterator_arguments import gives_iterator
from .looked_up_keys import NONE_FOR_ANY, looked_up
from .method_objects import objects_by_methods
from .mixed_elements import MIXED, ElementKinds
from .object_edges import other_classes
from .open_values import (
    NONE,
    OTHER_SEQUENCE,
    UNHASHABLE,
    elements_alone,
    of_other_classes,
    open_edges,
    open_elements,
    other_sequences,
    wrapped,
    wrapped_columns,
)
from .related_values import Constants, Related, inputs_of_lengths, matched_texts, related_inputs
from .returned_objects import RealObjects, objects_of_other_kinds, returned_objects
from .small_pieces import Base
from .tried_inputs import Input

if TYPE_CHECKING:
    from .contract import Contract
    from .open_values import Edge
    from .optional_arguments import Signature

_PART = "part of a real call"
EACH_AS_ITERATOR = 3
_WITHOUT_COPY = (int, float, complex, bool, type(None), object)  # numbers are two objects anyway; others are one
PATTERNS = ("[ab]", "a+")  # they do not match themselves, by `fnmatch` and by `re`
MOST_OPTIONAL = 4  # calls with an argument more that others start from


class Knowledge(NamedTuple):
    """What the signature allows, where the calls show a fixed form, and what the code mentions."""

    signature: Signature
    fixed: Set[Site]
    constants: Constants
    method: str  # the name of the function itself
    contract: Contract
    kinds: ElementKinds
    objects: RealObjects


def with_optional(base: Base, signature: Signature) -> List[Base]:
    """The call with optional arguments that it did without: what they do shows together with other changes."""
    return [Base(root, base.call) for root in islice(signature.with_more(base.root), MOST_OPTIONAL)]


def changed(base: Base, inputs: Iterator[Input]) -> Iterator[Input]:
    """Without those in which nothing could be changed, since a class makes no such object; the base itself first."""
    yield Input(_PART, base.root, base.call)
    yield from (each for each in inputs if each.root is not base.root)


def _edge_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """The edge cases of every part, in turns, so that the first ones are of many parts and kinds.

    All parts of objects take one turn among the others: their classes may not expect such values. Functions that they
    hold stay as they are: a class relies on what its own does.
    """
    known, inner = list(places(base.root)), []
    if any(place.is_data for place in known if place.site != ("0",) or fields(place.value) == {}):
        inner = [place for place in known if not (place.is_data or callable(place.value))]
        known = [place for place in known if place.is_data]
    yield from in_turns(
        [
            _in_two_arguments(base),
            (Input("argument left out", root, base.call) for root in knowledge.signature.with_fewer(base.root)),
            (Input("optional argument given", root, base.call) for root in knowledge.signature.with_more(base.root)),
            (Input("as the code uses it", root, base.call) for root in _otherwise_used(base, knowledge)),
            *(_at_place(base, place, knowledge) for place in _one_of_each(known)),
            in_turns([_at_place(base, place, knowledge) for place in _one_of_each(inner)]),
        ]
    )


def _otherwise_used(base: Base, knowledge: Knowledge) -> Iterator[Root]:
    signature = knowledge.signature
    return otherwise_used(base.root, signature.names, signature.uses)


def open_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Values of other kinds than the real ones in every place whose kind a hint leaves open, in turns.

    A bare `list` promises callers any elements. Without a hint, an argument promises as much if its elements are of
    several kinds in real calls; of the others, the kinds of the real calls are all there is to go by. An argument that
    is a list here and a text there promises other sequences, as far as the original copes with them.
    """
    contract, known = knowledge.contract, _open_to_change(base, knowledge)
    opened = [_opened(base.root, place, open_edges) for place in known if contract.is_open(place.site)]
    opened += [
        _opened(base.root, place, other_sequences)
        for place in known
        if len(place.site) == 1 and (contract.takes_several_holders(place.site) or contract.is_hinted(place.site))
    ]
    opened += [
        _of_other_kinds(base.root, place, knowledge)
        for place in known
        if knowledge.objects.takes_several_kinds(place.value)
    ]
    for kind, root in in_turns(opened):
        if not contract.contradicts(root):
            yield Input(kind, root, base.call, is_data=kind != OTHER_SEQUENCE)


def mixed_cases(base: Base, knowledge: Knowledge, returns: Callable[[Input], bool]) -> Iterator[Input]:
    """Elements of the kinds of real calls beside one another, in arguments that take several, in turns."""
    contract = knowledge.contract

    def is_taken(root: Root) -> bool:
        return not contract.contradicts(root) and returns(Input(MIXED, root, base.call))

    known = [place for place in _open_to_change(base, knowledge) if len(place.site) == 1]
    made = [knowledge.kinds.mixed(base.root, each, is_taken) for each in known if contract.is_open(each.site)]
    for kind, root in in_turns(made):
        yield Input(kind, root, base.call, is_data=False)


def unhinted_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Elements of other kinds than the real ones in every place that no hint says anything of, in turns."""
    unhinted = [place for place in places(base.root) if not knowledge.contract.is_hinted(place.site)]
    known = _one_of_each([each for each in unhinted if each.site not in knowledge.fixed])
    columns = ((UNHASHABLE, root) for root in wrapped_columns(base.root, unhinted))
    abstract = partial(of_other_classes, abstract=knowledge.signature.uses.abstract)
    opened = [_opened(base.root, place, open_elements if len(place.site) > 1 else elements_alone) for place in known]
    opened += [_opened(base.root, place, abstract) for place in known]
    opened += [_of_other_kinds(base.root, place, knowledge) for place in known]
    opened += [_none_under_its_key(base.root, place) for place in known if type(place.value) is str]
    open_ended = _open_ended(base.root, knowledge.signature)
    for kind, root in in_turns([_wrapped(base.root, knowledge.contract), columns, open_ended, *opened]):
        if root is not base.root:
            yield Input(kind, root, base.call)


def _of_other_kinds(root: Root, place: Place, knowledge: Knowledge) -> Iterator[Related]:
    for kind, made in objects_of_other_kinds(place.value, knowledge.objects, without=knowledge.method):
        yield kind, with_value(root, place, made)


def _none_under_its_key(root: Root, place: Place) -> Iterator[Related]:
    return ((NONE, changed) for changed in looked_up(root, place, NONE_FOR_ANY))


def _wrapped(root: Root, contract: Contract) -> Iterator[Related]:
    """With all numbers in lists of their own, or all texts: what is equal stays so, in all arguments."""
    args, kwargs = root
    for kind in (int, str, float):
        changed = [each if contract.is_hinted((str(at),)) else wrapped(each, kind) for at, each in enumerate(args)]
        named = {name: each if contract.is_hinted((name,)) else wrapped(each, kind) for name, each in kwargs.items()}
        before, after = [*args, *kwargs.values()], [*changed, *named.values()]
        if list(map(id, before)) != list(map(id, after)):
            yield UNHASHABLE, [changed, named]


def _open_ended(root: Root, signature: Signature) -> Iterator[Related]:
    """None for what `**kwargs` takes, under its name and under another: nobody says what there may be."""
    args, kwargs = root
    for name in kwargs:
        if name not in (*signature.names, *signature.keyword_only):
            yield NONE, [args, {**kwargs, name: None}]
            yield NONE, [args, {**{other: value for other, value in kwargs.items() if other != name}, name + "_": None}]


def _open_to_change(base: Base, knowledge: Knowledge) -> List[Place]:
    """The first place of each site that holds data and is of no fixed form."""
    return _one_of_each([each for each in places(base.root) if each.is_data and each.site not in knowledge.fixed])


def _opened(root: Root, place: Place, edges_of: Callable[[Any], Iterator[Edge]]) -> Iterator[Related]:
    for kind, value in edges_of(place.value):
        yield kind, with_value(root, place, value)


def _related_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Values that have to do with the code or with other parts, in every part in turns."""
    known = [place for place in places(base.root) if place.is_data and place.site not in knowledge.fixed]
    for kind, root in in_turns(
        [
            alike_texts(base.root),
            with_other_functions(base.root),
            *(_made_by_methods(base.root, place, knowledge.method) for place in _one_of_each(known)),
            *(_made_by_class(base.root, place, knowledge) for place in _one_of_each(known)),
            *(related_inputs(base.root, place, knowledge.constants) for place in _one_of_each(known)),
        ]
    ):
        # Where the original raises, the object may have relied on its function.
        yield Input(kind, root, base.call, is_data=not kind.startswith(WITHIN))


def _made_by_methods(root: Root, place: Place, method: str) -> Iterator[Related]:
    for kind, made in objects_by_methods(place.value, without=method):
        yield kind, with_value(root, place, made)


def _made_by_class(root: Root, place: Place, knowledge: Knowledge) -> Iterator[Related]:
    for kind, made in returned_objects(place.value, knowledge.objects, without=knowledge.method):
        yield kind, with_value(root, place, made)


def _one_of_each(known: Sequence[Place]) -> List[Place]:
    """The first place of each site."""
    return list({place.site: place for place in reversed(known)}.values())[::-1]


def _with_mentioned(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Each data place with as many elements as a rewrite mentions, and with its constants, patterns and characters."""
    known, constants = [place for place in places(base.root) if place.is_data], knowledge.constants
    alone = _one_of_each(known)
    lengths = (found for place in alone for found in inputs_of_lengths(base.root, place, constants))
    texts = (
        (kind, with_value(base.root, place, text))
        for place in alone
        if type(place.value) is str
        for kind, text in (*matched_texts(place, constants), *with_special(place.value, constants.special_characters))
    )
    near = (
        ("constant of the code", with_value(base.root, place, value))
        for place in known
        for value in constants.near(place.value)
    )
    yield from (Input(kind, root, base.call) for kind, root in in_turns([lengths, texts, near]))


def _edges_at(place: Place, special: Sequence[str]) -> List[Edge]:
    """Edge cases of a value; other classes where one stands among others. One that is an argument makes something."""
    others = other_classes(place.value) if len(place.site) > 1 else ()
    return [*edges(place.value, special), *others]


def _at_place(base: Base, place: Place, knowledge: Knowledge) -> Iterator[Input]:
    if place.site in knowledge.signature.may_be_none:
        yield Input("None", with_value(base.root, place, None), base.call, place.is_data)
    allowed = [*knowledge.signature.instead_of_none(place.site), *instead_of_none(place)] if place.value is None else ()
    for value in allowed:
        yield Input("value that a hint allows", with_value(base.root, place, value), base.call, place.is_data)
    special = knowledge.constants.special_characters
    for kind, value in () if place.site in knowledge.fixed else _edges_at(place, special):
        yield Input(kind, with_value(base.root, place, value), base.call, place.is_data)
    for kind, root in with_other_attributes(base.root, place):
        yield Input(kind, root, base.call, place.is_data)


def _in_two_arguments(base: Base) -> Iterator[Input]:
    """The same object for two arguments of the same type, and arguments of the same length made different."""
    args, kwargs = base.root
    for first in range(len(args)):
        for second in range(first + 1, len(args)):
            one, other = args[first], args[second]
            for before, after in across_changes(one, other) if is_dated(one) and is_dated(other) else ():
                both = [*args[:first], before, *args[first + 1 : second], after, *args[second + 1 :]]
                yield Input("across a change of clocks", [both, kwargs], base.call)
            for copied in _equal_copies(one) if _hold_alike(one, other) else ():
                both = [*args[:second], copied, *args[second + 1 :]]
                yield Input("equal objects", [both, kwargs], base.call)
            for text in PATTERNS if _of_texts(one) and _of_texts(other) else ():
                changed = [text if type(each) is str else like(each, [text]) for each in (one, other)]
                both = [*args[:first], changed[0], *args[first + 1 : second], changed[1], *args[second + 1 :]]
                yield Input("the same pattern twice", [both, kwargs], base.call)
            if type(one) is not type(other) or type(one) not in (*SEQUENCES, dict, set, str, bytes):
                continue
            if set(map(type, one)) == set(map(type, other)):
                yield Input("same object twice", [[*args[:second], one, *args[second + 1 :]], kwargs], base.call)
            pairs = itertools.permutations(CONFUSABLE[str][:8], 2) if _of_texts(one) and _of_texts(other) else ()
            for left, right in pairs:
                changed = [left, right] if type(one) is str else [like(one, [left]), like(other, [right])]
                both = [*args[:first], changed[0], *args[first + 1 : second], changed[1], *args[second + 1 :]]
                yield Input("values that are easily confused", [both, kwargs], base.call)
            if type(one) in SEQUENCES and len(one):
                shorter = like(one, list(one)[:-1])
                yield Input("mixed lengths", [[*args[:first], shorter, *args[first + 1 :]], kwargs], base.call)
                both = [*args[:first], like(one, []), *args[first + 1 : second], like(other, []), *args[second + 1 :]]
                yield Input("empty", [both, kwargs], base.call)


def _hold_alike(one: Any, other: Any) -> bool:
    """Whether two values are of one type, and the elements of sequences and sets are: else one cannot be the other."""
    if type(one) is not type(other):
        return False
    return type(one) not in (*SEQUENCES, set, frozenset) or set(map(type, one)) == set(map(type, other))


def _equal_copies(value: Any) -> Iterator[Any]:
    """An object that is equal and another one, down to its texts: real calls often pass one object twice."""
    if type(value) not in _WITHOUT_COPY and not callable(value):
        with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
            yield load_call(dump_call((value,), {}, {}), lay_out=False).args[0]


def _of_texts(value: Any) -> bool:
    """Whether it is a text, or a sequence of texts."""
    return type(value) is str or (
        type(value) in SEQUENCES and len(value) > 0 and all(type(each) is str for each in value)
    )


def with_iterators(inputs: Iterator[Input], signature: Signature) -> Iterator[Input]:
    """Some of the inputs once more with iterators in the place of sequences and texts, where they are allowed."""
    for number, each in enumerate(inputs):
        yield each
        for place in places(each.root) if signature.iterables and number % EACH_AS_ITERATOR == 0 else ():
            if (
                place.site in signature.iterables
                and type(place.value) in (*SEQUENCES, str)
                and not gives_iterator(each.call, place.site[0])  # it becomes one anyway
            ):
                root = with_value(each.root, place, iter(list(place.value)))
                yield each._replace(kind="iterator", root=root)


def later_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """What the first rounds left, of both kinds in turns."""
    yield from in_turns([_edge_cases(base, knowledge), _related_cases(base, knowledge)])


CASES = {"edge": _edge_cases, "related": _related_cases, "later": later_cases, "mentioned": _with_mentioned}
