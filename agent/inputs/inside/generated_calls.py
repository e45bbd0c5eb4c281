"""Makes inputs from type hints: small ones drawn by Hypothesis, large ones grown from pools of what it drew.

Hypothesis cannot draw a list of 10,000 elements, and small inputs cannot be timed. So the containers are grown here,
step by step, until the original takes a measurable time. What is drawn depends on the seed and the size alone.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional, Sequence, Tuple

from ....sandbox.driver.call_blobs import dump_call, load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import Resolved, resolve
from .call_trial import Trier, limit_memory
from .grown_values import Grower, Variant, variants_of
from .harness_types import HURRIED
from .hypothesis_storage import import_hypothesis, provide_storage
from .type_hints import Shapes, Unusable, class_shape, parameter_shapes
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Copy, Request, Write

MEASURABLE_S = 0.01
MAX_SMALL = 8
MAX_SMALL_RAISING = 3
SMALL_DRAWN = 60
SMALL_LIMIT_S = 0.5
TOO_LONG_S = 0.2  # wall time; an input that takes longer is too large to be made again and again
FIRST_SIZE = 16
MAX_SIZE = 1_000_000
MAX_BYTES = 128 * 1024  # every call is copied and encoded again and again
LARGE_COPIES = 4  # inputs of the final size over all variants, so that some can be held out; two of each at least
BUDGET_SHARE = 0.6  # of the time limit


def generate_calls(request: Request, recorder: Recorder, write: Write) -> None:
    """Write small and grown calls of the target; a `failed` record says why there are none."""
    provide_storage()
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    try:
        import_hypothesis()
    except ImportError:
        write({"kind": "failed", "stage": "no_hypothesis", "reason": "Hypothesis cannot be imported here"})
        return
    with recorder.removed(module):
        guarded(write, "run", lambda: _generate(request, module, recorder, write))


def _generate(request: Request, module: ModuleType, recorder: Recorder, write: Write) -> None:
    found = resolve(module, request["qualname"])
    try:
        shapes = _shapes(found, request["source"])
    except Unusable as reason:
        write({"kind": "failed", "stage": "no_hints", "reason": str(reason)})
        return
    if not shapes:
        write({"kind": "failed", "stage": "no_hints", "reason": "it has no parameters that inputs could be made for"})
        return
    limit_memory(request["memory_kib"])
    fresh = recorder.copy((), {})  # every input starts from the module's state as importing it left it

    def copy(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bytes:
        state = load_call(fresh)
        return dump_call(args, kwargs, state.globals, state.absent)

    trier = Trier(module, found.function, request, write)
    grower = Grower(shapes, request["seed"])
    _small(grower, trier, copy)
    deadline_s = time.monotonic() + BUDGET_SHARE * request["wall_time_s"]
    variants = variants_of(shapes)
    for variant in variants:
        _Growth(grower, variant, trier, copy, write, deadline_s).run(max(LARGE_COPIES // len(variants), 2))


def _shapes(found: Resolved, source: str) -> Shapes:
    """Shapes by parameter name; the empty name stands for `self` or `cls`."""
    takes_owner = found.kind in ("method", "class", "property")
    shapes: Shapes = {}
    if found.kind == "class":
        shapes[""] = (("constant", found.owner), False, False)
    elif takes_owner:
        shapes[""] = (class_shape(found.owner, source), False, False)
    shapes.update(parameter_shapes(found.function, source, skip_first=takes_owner))
    return shapes


def _small(grower: Grower, trier: Trier, copy: Copy) -> None:
    """Keep a few small calls, mostly such that return."""
    raising = 0
    for args, kwargs in grower.draw(SMALL_DRAWN):
        if trier.written >= MAX_SMALL:
            return
        blob = copy(args, kwargs)
        cost = trier.cost(blob, SMALL_LIMIT_S)
        if cost is None or (cost[1] == "raised" and raising >= MAX_SMALL_RAISING):
            continue
        if trier.keep(blob, *cost):
            raising += cost[1] == "raised"


class _Growth(NamedTuple):
    """Grows one variant until a call takes a measurable time."""

    grower: Grower
    variant: Variant
    trier: Trier
    copy: Copy
    write: Write
    deadline_s: float

    def run(self, copies: int) -> None:
        """Find the size, then keep a few calls of it."""
        good, bad, size = 0, 0, FIRST_SIZE
        while 0 < size <= MAX_SIZE:
            result = self._attempt(size)
            if result is None:
                bad = size
            else:
                good = size
                if result[1][0] >= MEASURABLE_S:
                    break
            is_quick = result is not None and result[1][0] < MEASURABLE_S / 10 and not self.variant.numbers_only
            size = _next_size(good, bad, 4 if is_quick else 2)
        for index in range(copies if good else 0):
            result = self._attempt(good, index)
            if result is not None:
                self.trier.keep(result[0], *result[1])

    def _attempt(self, size: int, index: int = 0) -> Optional[Tuple[bytes, Tuple[float, str]]]:
        """The call of that size and its cost; None if it is too large, takes too long or raises."""
        if time.monotonic() > self.deadline_s:
            self.write(HURRIED)
            return None
        args, kwargs = self.grower.build(self.variant, size, index)
        blob = self.copy(args, kwargs)
        cost = self.trier.cost(blob, TOO_LONG_S) if len(blob) <= MAX_BYTES else None
        return None if cost is None or cost[1] == "raised" else (blob, cost)


def _next_size(good: int, bad: int, factor: int) -> int:
    """The size to try next: larger, or between the largest that went well and one that did not. 0: none is left."""
    if not bad:
        return good * factor
    if not good:
        return bad // 2
    middle = int(math.sqrt(good * bad))
    return middle if middle > good and middle * 4 > good * 5 else 0
