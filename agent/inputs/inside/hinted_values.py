"""Values that the type hints of a function's parameters allow, beside those that its calls show."""

from __future__ import annotations

import contextlib
import inspect
from typing import Any, Callable, Dict, List

from .alarm import interrupted_after
from .grown_values import Grower
from .harness_types import Interrupted
from .hint_kinds import ITERATOR_HINTS, MAPPING_HINTS, SEQUENCE_HINTS, UNSAID, Hints
from .hypothesis_storage import import_hypothesis
from .type_hints import Shape, hint_namespace, shape_of

DRAWN = 40  # values of each parameter
DRAWING_S = 1.0  # for all of them, and for those of each where they cannot be drawn together


def hinted_values(function: Callable[..., Any], source: str, seed: int) -> Dict[str, List[Any]]:
    """Values by parameter, as Hypothesis draws them from the hints; none for a parameter whose hint leaves it open.

    Raises:
        ImportError: there is no Hypothesis.
    """
    shapes = _shapes(function, source)
    together = _drawn(shapes, seed) if shapes else {}
    if together or len(shapes) < 2:
        return together
    # A class may refuse what is drawn for its constructor: the others are drawn without it.
    return {name: values for each in shapes for name, values in _drawn({each: shapes[each]}, seed).items()}


def _shapes(function: Callable[..., Any], source: str) -> Dict[str, Shape]:
    hints = Hints(hint_namespace(function, source))
    shapes: Dict[str, Shape] = {}
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return shapes
    for each in parameters:
        hint = hints.bare(each.annotation)
        is_open = hint in UNSAID or hint in SEQUENCE_HINTS or hint in MAPPING_HINTS or hint in ITERATOR_HINTS
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) and not is_open:
            with contextlib.suppress(Exception):  # evaluating a hint runs any expression
                shapes[each.name] = shape_of(hint, hints.namespace)
    return shapes


def _drawn(shapes: Dict[str, Shape], seed: int) -> Dict[str, List[Any]]:
    """What is drawn of these parameters together; nothing if anything goes wrong."""
    import_hypothesis()
    drawn: Dict[str, List[Any]] = {}
    grower = Grower({name: (shape, False, False) for name, shape in shapes.items()}, seed)
    try:
        with interrupted_after(DRAWING_S):
            for args, _ in grower.draw(DRAWN):
                for name, value in zip(shapes, args):  # noqa: B905 - Python 3.9 has no strict
                    drawn.setdefault(name, []).append(value)
    except (Exception, Interrupted):  # noqa: BLE001 - constructors of the user's run
        return {}
    return drawn
