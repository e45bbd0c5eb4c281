"""Makes inputs that a wrong rewrite may fail on, from real calls and the original alone.

First the edge cases of each part of a call, one at a time, then what Hypothesis draws from the values of all calls:
parts exchanged between calls, changed, joined, made anew. Kept is what the original copes with in little time.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import importlib
import itertools
import os
import time
from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Sequence, Set

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, load_call
from ....sandbox.driver.user_module import resolve
from .assumptions import Assumed
from .call_parts import (
    SEQUENCES,
    NotBuildableError,
    Place,
    Root,
    Site,
    fields,
    fixed_sites,
    is_named_tuple,
    like,
    places,
    record_with,
    root_of,
    with_value,
)
from .call_trial import Trier, limit_memory
from .drawn_calls import Drawer
from .edge_values import CONFUSABLE, edges, in_turns
from .optional_arguments import Signature, signature_of
from .related_values import Constants, mentioned_values, related_inputs
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

KEPT = 12  # of a long list, text or table; small inputs tell as much as large ones, and sooner
KEPT_CHARACTERS = 60
MAX_BASES = 8
MAX_CALL_BYTES = 64 * 1024
RAISING_SHARE = 0.3
MAX_TOO_LONG = 2  # of one kind; then the kind is given up for this time
# What says that an input is none for this function, or hangs on how much room there is: nothing to judge by.
NO_OUTCOME = (
    TypeError,
    AttributeError,
    NameError,
    AssertionError,
    NotImplementedError,
    MemoryError,
    RecursionError,
    ImportError,
)


class Base(NamedTuple):
    """A real call, or a small piece of one, to start from; `call` tells the module's state before it."""

    root: Root
    call: Call


class Input(NamedTuple):
    """What was thought of: the word for its kind, the arguments, and where the module's state is from.

    If not `is_data`, it goes into an object whose class may not expect it.
    """

    kind: str
    root: Root
    call: Call
    is_data: bool = True


class Knowledge(NamedTuple):
    """What the signature allows, where the calls show a fixed form, and what the code mentions."""

    signature: Signature
    fixed: Set[Site]
    constants: Constants


def mutate_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write inputs near the calls in the request.

    `cases` are `edge`, `related` (to the code, and to one another) or `constant` (of `constants`, another version's);
    `bounds` are the numbers of the first of them and of the one after the last; `draws` is how many Hypothesis draws.
    Inputs keep to the expressions in `assume`. `wanted` bounds what is written, `budget_s` the time for all of it, and
    `most_s` what the original may take for one.
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
    bases = bases_of(calls)
    real = [root_of(call.args, call.kwargs) for call in calls]
    constants = Constants(request.get("constants") or mentioned_values(module, target.function))
    knowledge = Knowledge(signature_of(target, request["source"]), fixed_sites(real), constants)
    assumed = Assumed(module, target.function, request["assume"])
    attempts = _Attempts(Trier(module, target.function, request, write), request, assumed)
    cases = in_turns([_CASES[request["cases"]](base, knowledge) for base in bases])
    attempts.make_all(islice(cases, *request["bounds"]))
    if request["draws"]:
        try:
            drawer = Drawer(
                [base.root for base in bases], real, knowledge.signature.may_be_none, knowledge.fixed, constants
            )
        except ImportError:
            write({"kind": "failed", "stage": "no_hypothesis", "reason": "Hypothesis cannot be imported here"})
        else:
            drawn = drawer.draw(request["seed"], request["draws"])
            attempts.make_all(Input(kind, root, bases[number].call) for kind, root, number in drawn)
    attempts.tell(write)


def bases_of(calls: Sequence[Call]) -> List[Base]:
    """Small pieces of the calls, and the calls themselves where they are small."""
    whole = [root_of(call.args, call.kwargs) for call in calls]
    pieces = [Base([_piece(part, 0) for part in root], call) for root, call in zip(whole, calls)]  # noqa: B905 - 3.9
    return [*pieces, *map(Base, whole, calls)][:MAX_BASES]


def _edge_cases(base: Base, knowledge: Knowledge) -> Iterator[Input]:
    """The edge cases of every part, in turns, so that the first ones are of many parts and kinds."""
    known = list(places(base.root))
    if any(place.is_data for place in known if place.site != ("0",) or fields(place.value) == {}):
        known = [place for place in known if place.is_data]
    yield Input("part of a real call", base.root, base.call)
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
        [related_inputs(base.root, place, knowledge.constants) for place in _one_of_each(known)]
    ):
        yield Input(kind, root, base.call)


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
            if type(one) is not type(other) or type(one) not in (*SEQUENCES, dict, set, str, bytes):
                continue
            if set(map(type, one)) == set(map(type, other)):
                yield Input("same object twice", [[*args[:second], one, *args[second + 1 :]], kwargs], base.call)
            for left, right in itertools.permutations(CONFUSABLE[str][:8], 2) if type(one) is str else ():
                both = [*args[:first], left, *args[first + 1 : second], right, *args[second + 1 :]]
                yield Input("values that are easily confused", [both, kwargs], base.call)
            if type(one) in SEQUENCES and len(one):
                shorter = like(one, list(one)[:-1])
                yield Input("mixed lengths", [[*args[:first], shorter, *args[first + 1 :]], kwargs], base.call)
                both = [*args[:first], like(one, []), *args[first + 1 : second], like(other, []), *args[second + 1 :]]
                yield Input("empty", [both, kwargs], base.call)


def _piece(value: Any, depth: int) -> Any:  # noqa: PLR0911 - one way for each kind
    """The beginning of a large value; deep inside everything stays."""
    kind = type(value)
    if depth > 4:
        return value
    if kind is str or kind is bytes:
        return value[:KEPT_CHARACTERS]
    if kind in SEQUENCES:
        return like(value, [_piece(item, depth + 1) for item in islice(value, KEPT)])
    if is_named_tuple(kind):
        return like(value, [_piece(item, depth + 1) for item in value])
    if kind is dict:
        return {key: _piece(item, depth + 1) for key, item in islice(value.items(), KEPT)}
    if kind in (set, frozenset):
        return kind(islice(value, KEPT))
    held = {name: _piece(item, depth + 1) for name, item in fields(value).items()} if depth else {}
    try:
        return record_with(value, held) if held else value
    except NotBuildableError:
        return value


_CASES = {"edge": _edge_cases, "related": _related_cases, "constant": _with_constants}


class _Attempts:
    """Tries inputs on the original and writes those of use, until there are enough or the time is over."""

    def __init__(self, trier: Trier, request: Request, assumed: Assumed) -> None:
        self._trier, self._request, self._assumed = trier, request, assumed
        self._deadline_s = time.monotonic() + request["budget_s"]
        self._raising = 0
        self._too_long: Dict[str, int] = collections.Counter()

    def make_all(self, inputs: Iterator[Input]) -> None:
        """Try them in turn."""
        for each in inputs:
            if self._trier.written >= self._request["wanted"] or time.monotonic() > self._deadline_s:
                return
            if self._too_long[each.kind] < MAX_TOO_LONG:
                # A part of an input may be what no copy can be made of, and copying runs code of its class.
                with contextlib.suppress(NotCopyable, RecursionError, MemoryError):
                    self._make(each)

    def _make(self, each: Input) -> None:
        args, kwargs = each.root
        if not self._assumed.hold(args, kwargs):
            return
        blob = dump_call(args, kwargs, each.call.globals, each.call.absent)
        if len(blob) > MAX_CALL_BYTES:
            return
        cost = self._trier.cost(blob, self._request["most_s"])
        if cost is None:
            self._too_long[each.kind] += 1
            return
        if cost[1] == "raised":
            is_outcome = self._trier.error is not None and not issubclass(self._trier.error, NO_OUTCOME)
            if not (each.is_data and is_outcome and self._raising < RAISING_SHARE * self._request["wanted"]):
                return
        if self._trier.keep(blob, *cost, origin=each.kind):
            self._raising += cost[1] == "raised"

    def tell(self, write: Write) -> None:
        """Say how many took too long."""
        for kind, number in self._too_long.items():
            reason = "%d left out: the original takes longer than %.2g s" % (number, self._request["most_s"])
            write({"kind": "skipped", "origin": kind, "reason": reason})
