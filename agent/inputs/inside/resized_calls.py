"""Makes the same kind of call at other sizes, from real calls, and keeps what the original copes with in time."""

from __future__ import annotations

import base64
import math
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import Call, NotCopyable, dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve, unwrap
from .array_tiles import is_array, is_square, resize_array
from .call_descriptions import describe_call
from .call_parts import attributes, record_with, slots
from .call_trial import Trier, limit_memory
from .container_kinds import NotBuildableError
from .harness_types import HURRIED
from .iterator_arguments import root_with_lists, with_iterators_again
from .small_pieces import LONGEST_ROW
from .table_rows import names_fields_of
from .user_code import guarded
from .value_copies import DISTINCT, FEW, NATURAL, SIZED, TEXTS, Copies, is_grid

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

SMALLEST = 4  # elements, or the value of an integer, from which something can be scaled,
REPEATED = ", its elements repeated"  # as in "the time does not change with len(text), its elements repeated"
LITTLE = 2  # the same where little is known of the data
BESIDE = 8  # what is smaller than the largest by more than this factor is no part of what is scaled
MAX_SCALED = 4  # values that are scaled together
MAX_BYTES = 3 * 1024 * 1024  # of one call
MAX_TOTAL_BYTES = 24 * 1024 * 1024
NEXT_FACTORS = (2.0, 1.5, 1.25)  # how far to climb from the largest call that went well
ENOUGH = 7  # sizes, with which nothing needs to be put between
FLAT = 3  # doublings, over which a call has to become dearer for larger ones to be of interest
TINY_S = 2e-5  # what varies by more than it grows
BUDGET_SHARE = 0.7  # of the time limit
NEAR = 0.1  # sizes that differ by less than this share tell nothing new
SLACK_S = 0.3  # wall time beyond the CPU time that a call may take: the machine may be busy


class Slot(NamedTuple):
    """A place among the arguments: the argument's index or name, and a key or attribute below it, if any."""

    argument: Any
    below: Optional[str]
    text: str


class Plan(NamedTuple):
    """What of a call is scaled. `numbers` are integers that are sizes: of the slots, or the only sizes there are."""

    slots: Tuple[Slot, ...]
    numbers: Tuple[Slot, ...]
    grids: Tuple[Slot, ...]
    arrays: Tuple[Slot, ...]

    def text(self) -> str:
        """What a size counts: `len(left) + len(right)`; or the integer's name."""
        counted = ["len(%s)" % slot.text for slot in (*self.slots, *self.grids, *self.arrays)]
        return " + ".join(counted or [slot.text for slot in self.numbers])


def scale_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the given calls at other sizes, as far as the original returns from them in time.

    They keep to the expressions in `assume`. With `from_little`, so few values are taken for names (`value_copies`) as
    they are scaled from. `variety` is one of `value_copies`.
    """
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    limit_memory(request["memory_kib"])
    with recorder.removed(module):
        guarded(write, "run", lambda: _scale(request, module, write))


def _scale(request: Request, module: ModuleType, write: Write) -> None:
    function = resolve(module, request["qualname"]).function
    trier = Trier(module, function, request, write)
    deadline_s = time.monotonic() + BUDGET_SHARE * request["wall_time_s"]
    room = MAX_TOTAL_BYTES
    for base, encoded in enumerate(request["blobs"]):
        blob = base64.b64decode(encoded)
        call = _with_lists(load_call(blob))
        names, smallest = _parameters(function, len(call.args)), LITTLE if request["from_little"] else SMALLEST
        plan = _plan(call, names, smallest)
        if plan is None:
            reason = _why_no_plan(call, names, smallest)
            write({"kind": "skipped", "origin": request["origin"], "reason": reason})
            continue
        plans = list(_fewer_together(call, plan))
        if request["variety"] == DISTINCT and plan.grids:  # rows of which none equals another; else square as before
            plans.insert(0, plan._replace(slots=plan.slots + plan.grids, grids=()))
        ladders = (_Ladder(blob, some, trier, request, deadline_s) for some in plans)
        place = next((place for place, ladder in enumerate(ladders) if len(plans) == 1 or ladder.can_grow()), 0)
        ladder = _Ladder(blob, plans[place], trier, request, deadline_s)
        for made in ladder.climb():
            room -= len(made.blob)
            if room < 0:
                return
            scaled = plans[place].text() + (REPEATED if ladder.is_repeated else "")
            write({"base": base, "scaled": scaled, **made.record(request["qualname"])})
        if ladder.is_hurried:
            write(HURRIED)
        if ladder.reason:
            write({"kind": "skipped", "origin": request["origin"], "reason": ladder.reason})


def _fewer_together(call: Call, plan: Plan) -> Iterator[Plan]:
    """The plan, then, for where all of it cannot grow together, what is no text alone, and the largest part alone.

    Of several texts, one may be a name: the codec of the other.
    """
    yield plan
    tried = [plan]
    plain = tuple(slot for slot in plan.slots if type(_held(call, slot)) not in TEXTS)
    parts = (*plain, *plan.grids, *plan.arrays) or plan.slots
    largest = max(parts, key=lambda slot: len(_held(call, slot)), default=None)
    for kept in (parts, (largest,)):
        fewer = Plan(*(tuple(slot for slot in slots if slot in kept) for slots in plan))._replace(numbers=plan.numbers)
        if parts and fewer not in tried:
            tried.append(fewer)
            yield fewer


class Made(NamedTuple):
    """A call of another size that the original returned from."""

    blob: bytes
    size: int
    factor: float
    cpu_time_s: float

    def record(self, qualname: str) -> Dict[str, Any]:
        """What the host is told."""
        call = load_call(self.blob)
        return {
            "kind": "scaled",
            "size": self.size,
            "factor": float(self.factor),
            "description": describe_call(qualname, call.args, call.kwargs),
            "cpu_time_s": float(self.cpu_time_s),
            "blob": base64.b64encode(self.blob).decode("ascii"),
        }


class _Ladder:
    """The sizes of one call. `reason` says why there are none or why it went no further, if it is worth telling."""

    def __init__(self, blob: bytes, plan: Plan, trier: Trier, request: Request, deadline_s: float) -> None:
        self._blob, self._plan, self._trier = blob, plan, trier
        self._most_s, self._deadline_s = request["most_s"], deadline_s
        self._factors: List[float] = request["factors"]
        self._until_s, self._most_factor = request["climb_until_s"], request["most_factor"]
        self._few, self._variety = LITTLE if request["from_little"] else FEW, request["variety"]
        self._sizes: Dict[int, float] = {}
        self.is_hurried = False
        self._copies: Dict[bool, Copies] = {}
        self._bad = math.inf  # the smallest factor above one that went wrong
        self.reason = ""
        self.raises = False  # whether a call of some size did

    @property
    def is_repeated(self) -> bool:
        """Whether all that larger calls hold are repetitions of the elements of the real one."""
        plan = self._plan
        return bool(plan.slots) and not (plan.grids or plan.arrays) and self._copies[True].is_repeated

    def can_grow(self) -> bool:
        """Whether a larger call does not raise."""
        factor = min((factor for factor in self._factors if factor > 1), default=None)
        return factor is None or self._attempt(factor) is not None or not self.raises

    def climb(self) -> Iterator[Made]:
        """The calls, smaller ones first; then on upwards while they are cheap, and between where it got too dear."""
        made: List[Made] = []
        for factor in self._factors:
            if factor > 1 and (self._bad < math.inf or self._is_too_dear(factor, made)):
                break
            attempt = self._attempt(factor)
            if attempt is not None:
                made.append(attempt)
                yield attempt
        if not made or not self._until_s:
            return
        for step in NEXT_FACTORS:
            while self._wants_more(made, step):
                attempt = self._attempt(made[-1].factor * step)
                if attempt is None:
                    break
                made.append(attempt)
                yield attempt

    def _is_too_dear(self, factor: float, made: Sequence[Made]) -> bool:
        """Whether a call would take too long if its time goes on growing as it did between the last two sizes."""
        if len(made) < 2:
            return False
        before, last = made[-2:]
        slope_s = max(last.cpu_time_s - before.cpu_time_s, 0.0) / (last.factor - before.factor)
        is_too_dear = bool(last.cpu_time_s + slope_s * (factor - last.factor) > self._most_s)
        if is_too_dear:
            self.reason = "a call of %g times the size would take longer than %.2g s" % (factor, self._most_s)
        return is_too_dear

    def _wants_more(self, made: Sequence[Made], step: float) -> bool:
        """In steps of two until it is dear enough; in smaller ones only if there are few sizes to tell a class by."""
        good = made[-1]
        if good.cpu_time_s >= self._until_s or good.factor * step >= min(self._bad, self._most_factor * 1.01):
            return False
        if step < NEXT_FACTORS[0]:
            return len(made) < ENOUGH
        if len(made) <= FLAT or good.cpu_time_s < TINY_S:
            return True
        return good.cpu_time_s > 1.3 * made[-1 - FLAT].cpu_time_s

    def _attempt(self, factor: float) -> Optional[Made]:
        """The call at `factor` times its size: with fresh names in the copies, or else as plain repetitions."""
        may_repeat = factor > 1 and self._plan.slots and self._variety == NATURAL
        for rename in (True, False) if may_repeat else (True,):
            if time.monotonic() > self._deadline_s:
                self.reason = "the time for making inputs was used up"
                self.is_hurried = True
                self._bad = 0.0
            if factor >= self._bad:
                return None
            made = self._try(factor, rename=rename)
            if made is not None:
                return made
        self._bad = min(self._bad, factor) if factor > 1 else self._bad
        return None

    def _try(self, factor: float, *, rename: bool) -> Optional[Made]:
        try:
            blob, size = self._scaled(factor, rename=rename)
        except (NotCopyable, ValueError, TypeError, MemoryError, OverflowError) as error:
            self.reason = "no call of %g times the size can be made: %s" % (factor, error)
            return None
        objection = self._objection(blob, size)
        if objection:
            self.reason = "a call of %g times the size %s" % (factor, objection)
            return None
        cost = self._trier.cost(blob, self._most_s + SLACK_S)
        if cost is None or cost[0] > self._most_s:
            self.reason = "a call of %g times the size takes longer than %.2g s" % (factor, self._most_s)
            self._bad = min(self._bad, factor)
            return None
        if cost[1] == "raised":
            self.reason = "a call of %g times the size raises" % factor
            self.raises = True
            return None
        self._sizes[size] = cost[0]
        return Made(blob, size, factor, cost[0])

    def _objection(self, blob: bytes, size: int) -> str:
        """Why a call of this size is not tried at all, in words; empty if it is."""
        if len(blob) > MAX_BYTES:
            return "is larger than %d MiB" % (MAX_BYTES >> 20)
        if any(abs(size - known) < NEAR * known for known in self._sizes):
            return "is no larger than another: its elements coincide"
        return "" if self._trier.is_assumed(load_call(blob)) else "breaks what is assumed of every input"

    def _scaled(self, factor: float, *, rename: bool) -> Tuple[bytes, int]:
        """The blob at `factor` times the size, and its size."""
        plan = self._plan
        if rename not in self._copies:
            original = _with_lists(load_call(self._blob))
            held = [_held(original, slot) for slot in plan.slots]
            self._copies[rename] = Copies(held, self._few, rename=rename, variety=self._variety)
        copies = self._copies[rename]
        call = load_call(self._blob)
        fresh = _with_lists(call)
        size = 0
        if factor != 1:
            new = [(slot, copies.resize(place, factor)) for place, slot in enumerate(plan.slots)]
            new += [(slot, copies.resize_grid(_held(fresh, slot), factor)) for slot in plan.grids]
            new += [(slot, resize_array(_held(fresh, slot), factor)) for slot in plan.arrays]
            new += [(slot, max(round(_held(fresh, slot) * factor), 1)) for slot in plan.numbers]
            _put(fresh, new)
        for slot in (*plan.slots, *plan.grids, *plan.arrays):
            size += len(_held(fresh, slot))
        size = size or _held(fresh, plan.numbers[0])
        args, kwargs = with_iterators_again([fresh.args, fresh.kwargs], call)
        return dump_call(args, kwargs, call.globals, call.absent), size


def _with_lists(call: Call) -> Call:
    """The call with lists in the place of iterators; its arguments are a list, so that they can be changed."""
    args, kwargs = root_with_lists(call)
    return call._replace(args=args, kwargs=kwargs)


def _plan(call: Call, names: Sequence[str], smallest: int) -> Optional[Plan]:
    """What to scale: the containers and texts that are large beside the others, and integers that are their sizes.

    Without any, it is the largest integer among the arguments themselves: those inside objects are often no sizes.
    """
    found = list(_slots(call, names))
    sized = _sized(found)
    slots = [(slot, value) for slot, value in sized if len(value) >= smallest]
    numbers = [(slot, value) for slot, value in found if type(value) is int and value >= SMALLEST]
    if not slots:
        own = [(slot, value) for slot, value in numbers if slot.below is None or slot.text.startswith("self.")]
        largest = max((value for _, value in own), default=0)
        chosen = tuple(slot for slot, value in own if value == largest)[:MAX_SCALED]
        return Plan((), chosen, (), ()) if chosen else None
    largest = max(len(value) for _, value in slots)
    kept = [(slot, value) for slot, value in slots if len(value) * BESIDE >= largest][:MAX_SCALED]
    arrays = tuple(slot for slot, value in kept if is_array(value))
    grids = tuple(slot for slot, value in kept if is_grid(value))
    sizes = {len(value) for _, value in kept} | {_width(value) for _, value in kept}
    linked = tuple(slot for slot, value in numbers if value in sizes)
    plain = tuple(slot for slot, _ in kept if slot not in grids and slot not in arrays)
    return Plan(plain, linked, grids, arrays)


def _why_no_plan(call: Call, names: Sequence[str], smallest: int) -> str:
    """Why nothing of a call can be scaled, in words: there is nothing that has a size, or too little of it."""
    if not _sized(list(_slots(call, names))):
        fixed = next(filter(None, map(_fixed_class, [*call.args, *call.kwargs.values()])), "")
        if fixed:
            return "no larger %s object can be made: its constructor does not take what it holds" % fixed
        return "nothing among its arguments has a size that can be changed"
    return "what its arguments hold is too small to make more of (fewer than %d elements)" % smallest


def _fixed_class(value: Any) -> str:
    """The class of an object that holds something which nothing larger can replace; empty for another value."""
    if isinstance(value, type) or type(value) in SIZED or is_array(value):
        return ""
    return type(value).__name__ if any(not _can_change(value, part) for part in attributes(value)) else ""


def _sized(found: Sequence[Tuple[Slot, Any]]) -> List[Tuple[Slot, Any]]:
    sized = [(slot, value) for slot, value in found if _is_sized(value) and not _is_record(value)]
    return [part for part in sized if not any(names_fields_of(part[1], table) for _, table in sized)]


def _is_sized(value: Any) -> bool:
    return type(value) in SIZED or is_array(value)


def _is_record(value: Any) -> bool:
    """Whether a dictionary has fields with names and values of several kinds, as options have: it comes in one size."""
    if type(value) is not dict or len(value) > LONGEST_ROW or not all(type(key) is str for key in value):
        return False
    kinds = {complex if type(part) in (int, float) else type(part) for part in value.values()}
    return len(kinds - {type(None)}) > 1


def _width(value: Any) -> int:
    """The length of the rows of what grows in both dimensions; else 0."""
    if is_array(value):
        return int(value.shape[1]) if is_square(value) else 0
    return len(value[0]) if is_grid(value) else 0


def _slots(call: Call, names: Sequence[str]) -> Iterator[Tuple[Slot, Any]]:
    """All arguments, and what small dictionaries and objects among them hold.

    Where an object holds anything in private or in slots, its class may keep one thing in step with another: what it
    holds is there then if its constructor makes it from that.
    """
    arguments: Dict[Any, Any] = {**dict(enumerate(call.args)), **call.kwargs}
    for key, value in arguments.items():
        name = key if isinstance(key, str) else names[key]
        yield Slot(key, None, name), value
        if type(value) is dict and len(value) <= BESIDE and all(type(part) is str for part in value):
            for part, held in value.items():
                yield Slot(key, part, "%s[%r]" % (name, part)), held
        elif not isinstance(value, type) and type(value) not in SIZED:
            for part, held in attributes(value).items():
                if _can_change(value, part):
                    yield Slot(key, part, "%s.%s" % (name, part)), held


def _held(call: Call, slot: Slot) -> Any:
    value = call.kwargs[slot.argument] if isinstance(slot.argument, str) else call.args[slot.argument]
    if slot.below is None:
        return value
    return value[slot.below] if type(value) is dict else attributes(value)[slot.below]


def _put(call: Call, new: Sequence[Tuple[Slot, Any]]) -> None:
    """Puts these values there; `call.args` is a list here."""
    below: Dict[Any, Dict[str, Any]] = {}
    for slot, value in new:
        if slot.below is None:
            _arguments(call, slot.argument)[slot.argument] = value
        else:
            below.setdefault(slot.argument, {})[slot.below] = value
    for argument, parts in below.items():
        arguments = _arguments(call, argument)
        holder = arguments[argument]
        if type(holder) is dict:
            holder.update(parts)
        elif _is_built(holder):
            arguments[argument] = record_with(holder, parts)
        else:
            vars(holder).update(parts)


def _arguments(call: Call, argument: Any) -> Any:
    return call.kwargs if isinstance(argument, str) else call.args


def _can_change(value: Any, part: str) -> bool:
    """Whether there is such an object with something else under this name, as far as its class lets one see."""
    if not _is_built(value):
        return True
    try:
        record_with(value, {part: attributes(value)[part]})
    except NotBuildableError:
        return False
    return True


def _is_built(value: Any) -> bool:
    """Whether another one comes from the constructor; else its dictionary holds all of it, and can be changed."""
    kind: Any = type(value)
    return bool(slots(kind)) or any(name.startswith("_") for name in attributes(value))


def _parameters(function: Callable[..., Any], count: int) -> List[str]:
    """A name for each positional argument."""
    plain = unwrap(function)
    code = plain.__code__ if plain is not None else None
    names = list(code.co_varnames[: code.co_argcount]) if code is not None else []
    return names[:count] + ["argument %d" % (place + 1) for place in range(len(names), count)]
