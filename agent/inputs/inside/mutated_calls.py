"""Makes inputs that a wrong rewrite may fail on, from real calls and the original alone.

First the edge cases of each part of a call, one at a time, then what Hypothesis draws from the values of all calls:
parts exchanged between calls, changed, joined, made anew. Kept is what the original copes with in little time.
"""

from __future__ import annotations

import base64
import collections
import importlib
import itertools
import os
from itertools import islice
from typing import TYPE_CHECKING, Any, Deque, Iterator, List, NamedTuple, Sequence, Set

from ....sandbox.driver.call_blobs import load_call
from ....sandbox.driver.user_module import resolve
from .assumptions import Assumed
from .branch_meter import Guide
from .call_parts import (
    Place,
    Root,
    Site,
    fields,
    fixed_sites,
    like,
    places,
    root_of,
    with_value,
)
from .call_trial import Trier, limit_memory
from .container_kinds import SEQUENCES
from .drawn_calls import Drawer
from .edge_dates import across_changes, is_dated
from .edge_values import CONFUSABLE, edges, in_turns
from .method_objects import objects_by_methods
from .optional_arguments import Signature, signature_of
from .related_values import Constants, Related, mentioned_values, related_inputs
from .small_pieces import Base, bases_of, piece_of
from .tried_inputs import Attempts, Input
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

_PART = "part of a real call"
EACH_AS_ITERATOR = 3
MOST_OPTIONAL = 4  # calls with an argument more that others start from
MOST_LIKE_LEADING = 40  # inputs like one that takes a new way through the code


class Knowledge(NamedTuple):
    """What the signature allows, where the calls show a fixed form, and what the code mentions."""

    signature: Signature
    fixed: Set[Site]
    constants: Constants
    method: str  # the name of the function itself


def mutate_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write inputs near the calls in the request.

    `cases` are `edge`, `related` (to the code, and to one another), `later` (both) or `constant` (of `constants`,
    another version's); `bounds` are the numbers of the first of them and of the one after the last; `draws` is how many
    Hypothesis draws, from the calls in `leading`, too. What takes a new way through the code is varied at
    once. Inputs keep to the expressions in `assume`. `wanted` bounds what is written, `budget_s` the time
    for all of it, and `most_s` what the original may take for one.
    """
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"  # noqa: S108 - the sandbox's own tmpfs
    module = guarded(write, "import", lambda: importlib.import_module(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _mutate(request, module, write))


def _mutate(request: Request, module: ModuleType, write: Write) -> None:
    target = resolve(module, request["qualname"])
    calls = [load_call(base64.b64decode(blob)) for blob in request["blobs"]]
    method = request["qualname"].rpartition(".")[2]
    bases = bases_of(calls, method)
    real = [root_of(call.args, call.kwargs) for call in calls]
    constants = Constants(request.get("constants") or mentioned_values(module, target.function))
    knowledge = Knowledge(signature_of(target, request["source"]), fixed_sites(real), constants, method)
    assumed = Assumed(module, target.function, request["assume"])
    guide = Guide(module, target.function, request, write)
    attempts = Attempts(Trier(module, target.function, request, write), guide, request, assumed)
    bases = attempts.affordable(bases)
    if request["cases"] == "later":
        bases += _with_optional(bases[0], knowledge.signature)
    attempts.learn(bases)
    cases = in_turns([_changed(base, _CASES[request["cases"]](base, knowledge)) for base in bases])
    guided = _guided(islice(cases, *request["bounds"]), attempts.leading, knowledge)
    attempts.make_all(_with_iterators(guided, knowledge.signature))
    if request["draws"]:
        leading = [load_call(base64.b64decode(blob)) for blob in request["leading"]]
        bases += attempts.learn([Base(root_of(call.args, call.kwargs), call) for call in leading])
        try:
            pieces = [piece_of(call) for call in calls]
            drawer = Drawer(
                [base.root for base in bases], pieces, knowledge.signature.may_be_none, knowledge.fixed, constants
            )
        except ImportError:
            write({"kind": "failed", "stage": "no_hypothesis", "reason": "Hypothesis cannot be imported here"})
        else:
            drawn = drawer.draw(request["seed"], request["draws"])
            inputs = (Input(kind, root, bases[number].call) for kind, root, number in drawn)
            attempts.make_all(_with_iterators(inputs, knowledge.signature))
    attempts.tell(write)


def _guided(inputs: Iterator[Input], leading: Sequence[Base], knowledge: Knowledge) -> Iterator[Input]:
    """The inputs, and between them others like those that took a new way: `leading` grows meanwhile."""
    known = 0
    waiting: Deque[Iterator[Input]] = collections.deque()
    for each in inputs:
        yield each
        for base in leading[known:]:
            waiting.append(islice(_changed(base, _later_cases(base, knowledge)), MOST_LIKE_LEADING))
        known = len(leading)
        while waiting:
            varied = next(waiting[0], None)
            if varied is not None:
                waiting.rotate(-1)
                yield varied
                break
            waiting.popleft()


def _with_optional(base: Base, signature: Signature) -> List[Base]:
    """The call with optional arguments that it did without: what they do shows together with other changes."""
    return [Base(root, base.call) for root in islice(signature.with_more(base.root), MOST_OPTIONAL)]


def _changed(base: Base, inputs: Iterator[Input]) -> Iterator[Input]:
    """Without those in which nothing could be changed, since a class makes no such object; the base itself first."""
    yield Input(_PART, base.root, base.call)
    yield from (each for each in inputs if each.root is not base.root)


def _edge_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """The edge cases of every part, in turns, so that the first ones are of many parts and kinds."""
    known = list(places(base.root))
    if any(place.is_data for place in known if place.site != ("0",) or fields(place.value) == {}):
        known = [place for place in known if place.is_data]
    yield from in_turns(
        [
            _in_two_arguments(base),
            (Input("argument left out", root, base.call) for root in knowledge.signature.with_fewer(base.root)),
            (Input("optional argument given", root, base.call) for root in knowledge.signature.with_more(base.root)),
            *(_at_place(base, place, knowledge) for place in _one_of_each(known)),
        ]
    )


def _related_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Values that have to do with the code or with other parts, in every part in turns."""
    known = [place for place in places(base.root) if place.is_data and place.site not in knowledge.fixed]
    for kind, root in in_turns(
        [
            *(_made_by_methods(base.root, place, knowledge.method) for place in _one_of_each(known)),
            *(related_inputs(base.root, place, knowledge.constants) for place in _one_of_each(known)),
        ]
    ):
        yield Input(kind, root, base.call)


def _made_by_methods(root: Root, place: Place, method: str) -> Iterator[Related]:
    for kind, made in objects_by_methods(place.value, without=method):
        yield kind, with_value(root, place, made)


def _one_of_each(known: Sequence[Place]) -> List[Place]:
    """The first place of each site."""
    return list({place.site: place for place in reversed(known)}.values())[::-1]


def _with_constants(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """Each data place with a constant of the code in it."""
    for place in places(base.root):
        for value in knowledge.constants.near(place.value) if place.is_data else ():
            yield Input("constant of the code", with_value(base.root, place, value), base.call)


def _at_place(base: Base, place: Place, knowledge: Knowledge) -> Iterator[Input]:
    if place.site in knowledge.signature.may_be_none:
        yield Input("None", with_value(base.root, place, None), base.call, place.is_data)
    for kind, value in () if place.site in knowledge.fixed else edges(place.value):
        yield Input(kind, with_value(base.root, place, value), base.call, place.is_data)


def _in_two_arguments(base: Base) -> Iterator[Input]:
    """The same object for two arguments of the same type, and arguments of the same length made different."""
    args, kwargs = base.root
    for first in range(len(args)):
        for second in range(first + 1, len(args)):
            one, other = args[first], args[second]
            for before, after in across_changes(one, other) if is_dated(one) and is_dated(other) else ():
                both = [*args[:first], before, *args[first + 1 : second], after, *args[second + 1 :]]
                yield Input("across a change of clocks", [both, kwargs], base.call)
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


def _of_texts(value: Any) -> bool:
    """Whether it is a text, or a sequence of texts."""
    return type(value) is str or (
        type(value) in SEQUENCES and len(value) > 0 and all(type(each) is str for each in value)
    )


def _with_iterators(inputs: Iterator[Input], signature: Signature) -> Iterator[Input]:
    """Some of the inputs once more with iterators in the place of sequences, where the hint allows them."""
    for number, each in enumerate(inputs):
        yield each
        for place in places(each.root) if signature.iterables and number % EACH_AS_ITERATOR == 0 else ():
            if place.site in signature.iterables and type(place.value) in SEQUENCES:
                root = with_value(each.root, place, iter(list(place.value)))
                yield each._replace(kind="iterator", root=root)


def _later_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """What the first rounds left, of both kinds in turns."""
    yield from in_turns([_edge_cases(base, knowledge), _related_cases(base, knowledge)])


_CASES = {"edge": _edge_cases, "related": _related_cases, "later": _later_cases, "constant": _with_constants}
