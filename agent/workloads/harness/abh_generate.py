"""Makes inputs from type hints: small ones drawn by Hypothesis, large ones grown from pools of what it drew.

Hypothesis cannot draw a list of 10,000 elements, and small inputs cannot be timed. So the containers are grown here,
step by step, until the original takes a measurable time. What is drawn depends on the seed and the size alone.
"""

import importlib
import math
import os
import time

from ab_calls import dump_call, load_call
from ab_modules import resolve
from abh_grow import Grower, variants_of
from abh_hints import Unusable, class_shape, parameter_shapes
from abh_run import guarded
from abh_trial import Trier, limit_memory

MEASURABLE_S = 0.01
MAX_SMALL = 8
MAX_SMALL_RAISING = 3
SMALL_DRAWN = 60
SMALL_LIMIT_S = 0.5
GROWN_LIMIT_S = 1.5
FIRST_SIZE = 16
MAX_SIZE = 1_000_000
MAX_BYTES = 4 * 1024 * 1024
LARGE_COPIES = 3  # inputs of the final size, so that some can be held out
BUDGET_S = 8.0


def generate_calls(request, recorder, write):
    """Write small and grown calls of the target; a `failed` record says why there are none."""
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/tmp/hypothesis"  # noqa: S108 - the sandbox's own tmpfs
    module = guarded(write, "import", lambda: importlib.import_module(request["module"]))
    if module is None:
        return
    try:
        import hypothesis  # noqa: F401, PLC0415 - only now is it known whether it is there
    except ImportError:
        write({"kind": "failed", "stage": "no_hypothesis", "reason": "Hypothesis cannot be imported here"})
        return
    with recorder.removed(module):
        guarded(write, "run", lambda: _generate(request, module, recorder, write))


def _generate(request, module, recorder, write):
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

    def copy(args, kwargs):
        state = load_call(fresh)
        return dump_call(args, kwargs, state.globals, state.absent)

    trier = Trier(module, found.function, request, write)
    grower = Grower(shapes, request["seed"])
    _small(grower, trier, copy)
    deadline_s = time.monotonic() + BUDGET_S
    for variant in variants_of(shapes):
        _grow(grower, variant, trier, copy, deadline_s)


def _shapes(found, source):
    """Shapes by parameter name; the empty name stands for `self` or `cls`."""
    takes_owner = found.kind in ("method", "class", "property")
    shapes = {}
    if found.kind == "class":
        shapes[""] = (("constant", found.owner), False, False)
    elif takes_owner:
        shapes[""] = (class_shape(found.owner, source), False, False)
    shapes.update(parameter_shapes(found.function, source, skip_first=takes_owner))
    return shapes


def _small(grower, trier, copy):
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


def _grow(grower, variant, trier, copy, deadline_s):
    """Grow one variant until a call takes a measurable time, then keep a few calls of that size."""

    def attempt(size, index=0):
        args, kwargs = grower.build(variant, size, index)
        blob = copy(args, kwargs)
        if len(blob) > MAX_BYTES or time.monotonic() > deadline_s:
            return None
        cost = trier.cost(blob, GROWN_LIMIT_S)
        return None if cost is None or cost[1] == "raised" else (blob, cost)

    best_size, size, too_large = 0, FIRST_SIZE, None
    while size <= MAX_SIZE and size != best_size:
        result = attempt(size)
        if result is None:
            too_large = size
        else:
            best_size = size
            if result[1][0] >= MEASURABLE_S:
                break
        if too_large is None:
            size *= 2 if variant.numbers_only or result[1][0] > MEASURABLE_S / 10 else 4
        elif best_size == 0 or too_large - best_size <= 1 or time.monotonic() > deadline_s:
            break
        else:
            size = int(math.sqrt(best_size * too_large))
    for index in range(LARGE_COPIES if best_size else 0):
        result = attempt(best_size, index)
        if result is not None:
            trier.keep(result[0], *result[1])
