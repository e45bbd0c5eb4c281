"""Small parts of large real calls that take the same ways through the code as many elements do.

The first elements of a real call may be such that nothing happens with them: no alert is raised, nothing is filtered
out. What is made of them then tells nothing of the code that does the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from .branch_meter import BranchMeter
from .call_parts import Root, like
from .call_trial import Trier
from .container_kinds import SEQUENCES, NotBuildableError
from .iterator_arguments import root_with_lists
from .line_profiler import Metered
from .small_pieces import KEPT, LIGHT_BYTES, MAX_CALL_BYTES, Base, Fixed, beginning_of, fixed_forms, size_of
from .stopwatch import Stopwatch
from .tried_inputs import blob_of

if TYPE_CHECKING:
    from types import ModuleType

    from ....sandbox.driver.call_blobs import Call
    from .harness_types import Request, Write

TELLING = "part of a real call that takes its ways"
MOST_CALLS = 3  # that parts are taken of, the largest
PIECES_S = 1.0  # for all of them
LIMIT_S = 0.3  # for one call while its ways are looked at
MOST_ELEMENTS = 3_100  # that are looked at, from the first on
MOST_BYTES = 1024 * 1024  # of these
SEVERAL = 2  # times that a step is taken, or items that come out: what happens between two of them shows

Ways = FrozenSet[Tuple[Any, int]]
_Place = Tuple[int, Any]  # 0 and the number of a positional argument, or 1 and the name of another


class WayFinder:
    """Tells which ways through the code a call takes: each step from line to line, and whether items come out."""

    def __init__(self, module: ModuleType, function: Callable[..., Any], request: Request, write: Write) -> None:
        self._meter = BranchMeter(request["path"])
        self._metered = Metered(function, self._meter)
        self._trier = Trier(module, self._metered, request, write)

    def of(self, base: Base) -> Optional[Ways]:
        """The ways; None if it raises or takes too long. To do something several times is one more way.

        Raises:
            NotCopyable: a part of it cannot be pickled.
        """
        self._meter.steps.clear()
        ended = self._trier.cost(blob_of(base.root, base.call), LIMIT_S)
        if ended is None or ended[1] == "raised":
            return None
        taken: Dict[Any, int] = {**self._meter.steps, "items": self._metered.items}
        return frozenset((way, times) for way, often in taken.items() for times in range(1, min(often, SEVERAL) + 1))


def telling_pieces(calls: Sequence[Call], bases: Sequence[Base], finder: WayFinder) -> Iterator[Base]:
    """Parts of the largest of these calls, as small as can be found in the time.

    Each takes a way that no light base does: of a heavy one few parts are changed, and few changes are affordable.

    Raises:
        NotCopyable: a part of a call cannot be pickled.
    """
    watch = Stopwatch()
    known: Set[Any] = set()
    for base in bases:
        if watch.spent_s() > PIECES_S:
            return
        if size_of(base.root) <= LIGHT_BYTES:
            known |= finder.of(base) or set()
    fixed = fixed_forms(calls)
    for call in list(reversed(calls))[:MOST_CALLS]:
        search = _Search(finder, call, watch, fixed)
        found = search.found(known)
        if found is not None:
            known |= search.wanted
            yield found


class _Search:
    """Looks for a small part of one call."""

    def __init__(self, finder: WayFinder, call: Call, watch: Stopwatch, fixed: Fixed) -> None:
        self._finder, self._call, self._watch, self._fixed = finder, call, watch, fixed
        self._whole = root_with_lists(call)
        self.wanted: Ways = frozenset()

    def found(self, known: Set[Any]) -> Optional[Base]:
        """A part that takes all ways that a larger one takes; None if there is none with a way beside the known."""
        root = self._beginning()
        if root is None or self.wanted <= known:
            return None
        for place in _places(root, self._fixed):
            root = self._with_fewer(root, place)
        return Base(root, self._call) if size_of(root) <= MAX_CALL_BYTES else None

    def _beginning(self) -> Optional[Root]:
        """The shortest beginning after which twice as many elements bring no other way."""
        best: Optional[Root] = None
        kept = KEPT[0]
        while kept <= MOST_ELEMENTS and not self._is_late():
            root = beginning_of(self._whole, kept, self._fixed)
            if size_of(root) > MOST_BYTES:
                break
            ways = self._finder.of(Base(root, self._call))
            if ways is not None and not ways <= self.wanted:
                best, self.wanted = root, ways
            kept *= 2
        return best

    def _with_fewer(self, root: Root, place: _Place) -> Root:
        """The call with as few elements in one argument as are needed for all ways that are wanted."""
        step = len(_value_at(root, place)) // 2
        while step and not self._is_late():
            at = 0
            while at < len(_value_at(root, place)) and not self._is_late():
                part = _without(_value_at(root, place), at, at + step)
                fewer = _with_value(root, place, part)
                ways = self._finder.of(Base(fewer, self._call)) if part else None
                if ways is not None and ways >= self.wanted:
                    root = fewer
                else:
                    at += step
            step //= 2
        return root

    def _is_late(self) -> bool:
        return self._watch.spent_s() > PIECES_S


def _places(root: Root, fixed: Fixed) -> List[_Place]:
    """The arguments that are texts, sequences or dictionaries, and longer than a few elements, but for records."""
    args, kwargs = root
    every = [*((0, at) for at in range(len(args))), *((1, name) for name in kwargs)]
    return [
        place
        for place in every
        if type(_value_at(root, place)) in (*SEQUENCES, dict, str)
        and len(_value_at(root, place)) > KEPT[-1]
        and not (type(_value_at(root, place)) is dict and fixed.names.issuperset(_value_at(root, place)))
    ]


def _value_at(root: Root, place: _Place) -> Any:
    part, key = place
    return root[part][key]


def _with_value(root: Root, place: _Place, value: Any) -> Root:
    args, kwargs = list(root[0]), dict(root[1])
    (args, kwargs)[place[0]][place[1]] = value
    return [args, kwargs]


def _without(value: Any, start: int, stop: int) -> Any:
    """The value without these elements; nothing where none of its kind can be made."""
    if type(value) is str:
        return value[:start] + value[stop:]
    if type(value) is dict:
        return {key: item for at, (key, item) in enumerate(value.items()) if not start <= at < stop}
    items = list(value)
    try:
        return like(value, items[:start] + items[stop:])
    except NotBuildableError:
        return ()
