"""Makes inputs that a wrong rewrite may fail on, from real calls and the original alone.

First the edge cases of each part of a call, one at a time, then what Hypothesis draws from the values of all calls:
parts exchanged between calls, changed, joined, made anew. Kept is what the original copes with in little time.
"""

from __future__ import annotations

import base64
import collections
from itertools import islice
from random import Random
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Sequence,
)

from ....sandbox.driver.call_blobs import Call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .assumptions import Assumed
from .branch_meter import Guide
from .broken_contract import Rules
from .call_parts import Root, Site, fixed_sites, root_of
from .call_trial import Trier, limit_memory
from .compiled_patterns import compiled_patterns
from .contract import Contract
from .crossed_calls import CROSSED, arguments, broken_parameters, crossed, mended, surrounded
from .drawn_calls import Allowed, Drawer
from .edge_values import in_turns
from .fitted_values import fitted
from .hinted_values import hinted_values
from .hypothesis_storage import provide_storage
from .input_cases import (
    CASES,
    Knowledge,
    changed,
    later_cases,
    mixed_cases,
    open_cases,
    unhinted_cases,
    with_iterators,
    with_optional,
)
from .iterator_arguments import root_with_lists
from .left_objects import bases_with_left_objects
from .mended_values import Mender
from .mixed_elements import ElementKinds
from .named_values import codes_of, mentioned_values, named_tables
from .optional_arguments import Signature, signature_of
from .pattern_texts import texts_of_patterns
from .related_values import Constants
from .renamed_calls import renamed
from .returned_objects import RealObjects
from .small_pieces import Base, bases_of, fixed_forms, piece_of
from .small_together import TOGETHER, small_together
from .special_characters import special_characters
from .table_texts import texts_of_tables
from .telling_pieces import TELLING, WayFinder, telling_pieces
from .token_changes import CHANGED, token_changes
from .tried_inputs import Attempts, Input
from .user_code import guarded
from .varied_arguments import VariedArguments

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

CASES_FOR_OPEN = 5  # cases for each one of another kind than the real values
TOGETHER_FOR_TOKEN = 2  # draws of several small arguments for each one of another token in a text
MOST_UNHINTED = 200
MOST_LIKE_LEADING = 120  # inputs like one that takes a new way through the code
MOST_AT_LAST = 160  # of these, when all others were made


class _Work(NamedTuple):
    """One job: what is known of the function, what inputs are made from, and what tries them."""

    function: Callable[..., Any]
    calls: Sequence[Call]
    real: Sequence[Call]  # all that were recorded; only compared with
    bases: List[Base]
    knowledge: Knowledge
    trier: Trier
    attempts: Attempts
    assumed: Assumed
    rules: Rules


def mutate_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write inputs near the calls in the request.

    `cases` are `edge`, `related` (to the code, and to one another), `later` (both), `constant` (of `constants`,
    another version's), `fitted` (the calls in `given` as type hints allow them: `fitted_values`), `crossed` (those with
    real arguments where they break what `assume` states, the others as they are: `crossed_calls`), `unhinted` (elements
    of kinds that neither a hint nor a real call has) or `broken`: then nothing is made, but told what each call in
    `given` breaks of the contract.
    `bounds` are the numbers of the first of the cases and of the one after the last; `together` is how many draw
    several small arguments at once; `draws` is how many Hypothesis draws, from the calls in `leading`, too. What takes
    a new way through the code is varied at once. Inputs keep to the expressions in `assume`; the contract is told from
    the calls in `real`. They start from parts of real calls: those of the first job are told as `telling`, and later
    ones get them. `wanted` bounds what is written, `budget_s` the time for all of it, and `most_s` what the original
    may take for one. `chains_s` is the time after which no more inputs are tried that are long by nature.
    """
    provide_storage()
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _mutate(request, module, write))


def _mutate(request: Request, module: ModuleType, write: Write) -> None:
    work = _begun(request, module, write)
    if request["cases"] == "broken":
        work.rules.tell_broken(request, work.trier, write)
        return
    if request["cases"] == "fitted":
        _make_fitted(request, work)
        return
    if request["cases"] == "crossed":
        _make_crossed(request, module, work)
        return
    if request["cases"] == "unhinted":
        _make_unhinted(work)
        return
    attempts, knowledge = work.attempts, work.knowledge
    if request["cases"] == "later":
        work.bases.extend(with_optional(work.bases[0], knowledge.signature))
    attempts.learn(work.bases)
    bases = [*work.bases, *(Base(root_with_lists(call), call) for call in work.calls)]
    varied = VariedArguments(work.assumed, bases, work.real)
    if request["cases"] == "edge":
        finder = WayFinder(module, work.function, request, write)
        attempts.start_from(TELLING, telling_pieces(work.calls, work.bases, finder), knowledge.contract, varied)
    like_leading = _LikeLeading(attempts.leading, knowledge)
    cases = like_leading.between(_cases(request, work))
    made = (_together(request, work), _with_other_tokens(request, work), _open_cases(request, work))
    for inputs in (cases, *made, _drawn(request, work, write), like_leading.rest()):
        attempts.make_all(with_iterators(inputs, knowledge.signature), knowledge.contract, varied)
    attempts.make_put_off(varied)
    attempts.tell(write, varied)


def _begun(request: Request, module: ModuleType, write: Write) -> _Work:
    target = resolve(module, request["qualname"])
    calls = [load_call(base64.b64decode(blob)) for blob in request["blobs"]]
    real = [load_call(base64.b64decode(blob)) for blob in request["real"]]
    method = request["qualname"].rpartition(".")[2]
    trier = Trier(module, target.function, request, write)
    left = list(bases_with_left_objects(calls, trier, request["most_s"]))
    shown = [*(root_of(call.args, call.kwargs) for call in real), *(base.root for base in left)]
    contract = Contract(target.function, request["source"], shown)
    fixed = fixed_sites(map(root_with_lists, calls))
    roots = [root_with_lists(call) for call in (*calls, *real)]
    attempts = Attempts(trier, Guide(module, target.function, request, write), request)
    with compiled_patterns() as compiled:
        telling = [load_call(base64.b64decode(blob)) for blob in request.get("telling", ())]
        found = [*bases_of(calls, method), *left, *(Base(root_with_lists(call), call) for call in telling)]
        bases = attempts.affordable(found)
    for base in bases:
        contract.learn_patterns(base.root, compiled)
    mentioned = request.get("mentioned")
    constants = constants_in(mentioned) if mentioned else constants_of(module, target.function, compiled)
    signature = signature_of(target, request["source"])
    knowledge = Knowledge(signature, fixed, constants, method, contract, ElementKinds(roots), RealObjects(roots))
    return _Work(
        target.function,
        calls,
        real,
        bases,
        knowledge,
        trier,
        attempts,
        Assumed(module, target.function, request["assume"]),
        Rules(module, target.function, contract, real),
    )


def constants_of(module: ModuleType, function: Callable[..., Any], compiled: Collection[Any]) -> Constants:
    """What the code mentions; `compiled` are texts of regular expressions."""
    named = named_tables(module, function)
    codes = list(codes_of(module, function))
    of_code = [value for code in codes for value in code.co_consts]
    patterns = [value for value in (*of_code, *named) if type(value) is not str or value in compiled]
    special = special_characters((name for code in codes for name in code.co_names), patterns)
    values = mentioned_values(module, function)
    return Constants(values, texts_of_tables(named), texts_of_patterns(patterns), special)


def constants_in(mentioned: Mapping[str, Sequence[Any]]) -> Constants:
    """What a rewrite alone mentions: its literals, names, and regular expressions."""
    patterns = mentioned["patterns"]
    special = special_characters(mentioned["names"], patterns)
    return Constants(mentioned["literals"], (), texts_of_patterns(patterns), special)


def _make_fitted(request: Request, work: _Work) -> None:
    for encoded in request["given"]:
        call = load_call(base64.b64decode(encoded))
        made = fitted(root_with_lists(call), work.knowledge.contract)
        work.attempts.make_given(Input("fits the type hints", root, call) for root in made)


def _make_crossed(request: Request, module: ModuleType, work: _Work) -> None:
    """Real arguments as they are come first: mending them takes its time."""
    others, names = [base.root for base in work.bases], work.knowledge.signature.names
    to_mend = []
    for encoded in request["given"]:
        call = load_call(base64.b64decode(encoded))
        broken, root = broken_parameters(module, work.function, request["assume"], call), root_with_lists(call)
        made = list(crossed(root, broken, names, others)) if broken else [root]
        work.attempts.make_given(_crossed_inputs(made, call))
        own = {name: value for name, value in arguments(root, names).items() if name in broken}
        theirs = [value for other in others for name, value in arguments(other, names).items() if name in broken]
        work.attempts.make_given(_crossed_inputs(renamed(root, own.values(), theirs), call))
        work.attempts.make_given(_crossed_inputs(surrounded(root, broken, names, others), call))
        to_mend += [(call, each, own) for each in made if own]
    mender = Mender()
    for call, root, own in reversed(to_mend):  # what was found last asks for it most
        parts = mended(root, own, names, lambda root: work.assumed.hold(*root), mender)
        work.attempts.make_given(_crossed_inputs(parts, call))


def _crossed_inputs(roots: Iterable[Root], call: Call) -> Iterator[Input]:
    return (Input(CROSSED, root, call) for root in roots)


def _make_unhinted(work: _Work) -> None:
    opened = in_turns([unhinted_cases(base, work.knowledge) for base in work.bases])
    work.attempts.make_given(islice(opened, MOST_UNHINTED))


def _cases(request: Request, work: _Work) -> Iterator[Input]:
    think_of = CASES[request["cases"]]
    cases = in_turns([changed(base, think_of(base, work.knowledge)) for base in work.bases])
    return islice(cases, *request["bounds"])


def _together(request: Request, work: _Work) -> Iterator[Input]:
    random = Random(request["seed"])  # noqa: S311 - no secret
    others = [root_with_lists(call) for call in work.calls]
    drawn = [
        (Input(TOGETHER, root, base.call) for root in small_together(base.root, others, work.knowledge, random))
        for base in work.bases
    ]
    yield from islice(in_turns(drawn), request["together"])


def _with_other_tokens(request: Request, work: _Work) -> Iterator[Input]:
    random = Random(request["seed"])  # noqa: S311 - no secret
    changes = token_changes([root_with_lists(call) for call in work.real], random)
    for number, root in islice(changes, request["together"] // TOGETHER_FOR_TOKEN):
        yield Input(CHANGED, root, work.real[number])


def _open_cases(request: Request, work: _Work) -> Iterator[Input]:
    if request["cases"] in ("edge", "later"):
        mixed = [mixed_cases(base, work.knowledge, work.attempts.returns) for base in work.bases]
        opened = in_turns([*mixed, *(changed(base, open_cases(base, work.knowledge)) for base in work.bases)])
        yield from islice(opened, *(bound // CASES_FOR_OPEN for bound in request["bounds"]))


def _drawn(request: Request, work: _Work, write: Write) -> Iterator[Input]:
    """What Hypothesis draws from the calls, and from those that lead to new ways."""
    if not request["draws"]:
        return
    knowledge = work.knowledge
    leading = [load_call(base64.b64decode(blob)) for blob in request["leading"]]
    bases = [*work.bases, *work.attempts.learn([Base(root_with_lists(call), call) for call in leading])]
    try:
        hinted = _by_place(hinted_values(work.function, request["source"], request["seed"]), knowledge.signature)
        allowed = Allowed(knowledge.signature.may_be_none, knowledge.fixed, hinted)
        fixed = fixed_forms(work.calls)
        pieces = [piece_of(call, fixed) for call in work.calls]
        drawer = Drawer([base.root for base in bases], pieces, allowed, knowledge.constants)
    except ImportError:
        write({"kind": "failed", "stage": "no_hypothesis", "reason": "Hypothesis cannot be imported here"})
        return
    for kind, root, number in drawer.draw(request["seed"], request["draws"]):
        yield Input(kind, root, bases[number].call)


def _by_place(values: Dict[str, List[Any]], signature: Signature) -> Dict[Site, List[Any]]:
    """Values of parameters by the places where these may be given: by name and by position."""
    found: Dict[Site, List[Any]] = {(name,): of_name for name, of_name in values.items()}
    found.update({(str(at),): values[name] for at, name in enumerate(signature.names) if name in values})
    return found


class _LikeLeading:
    """Inputs like those that took a new way; there may come more of these at any time."""

    def __init__(self, leading: Sequence[Base], knowledge: Knowledge) -> None:
        self._leading, self._knowledge = leading, knowledge
        self._known = 0
        self._waiting: Deque[Iterator[Input]] = collections.deque()

    def between(self, inputs: Iterator[Input]) -> Iterator[Input]:
        """The inputs, with one such after each."""
        for each in inputs:
            yield each
            yield from islice(self._varied(), 1)

    def rest(self) -> Iterator[Input]:
        """What is left of them, in turns."""
        return islice(self._varied(), MOST_AT_LAST)

    def _varied(self) -> Iterator[Input]:
        while True:
            for base in self._leading[self._known :]:
                self._waiting.append(islice(changed(base, later_cases(base, self._knowledge)), MOST_LIKE_LEADING))
            self._known = len(self._leading)
            if not self._waiting:
                return
            varied = next(self._waiting[0], None)
            if varied is None:
                self._waiting.popleft()
            else:
                self._waiting.rotate(-1)
                yield varied
