"""What a written test has at its top: what it observes of a call, and when two values are the same."""

import contextlib
import io
import itertools
from collections.abc import Callable
from typing import Any


class Ending(contextlib.AbstractContextManager[Any]):
    """How a call ends: with what it returned, the first items that it gave, or what it raised."""

    told: Any = ("returned", None)

    def __exit__(self, kind: object, error: object, traceback: object) -> bool:
        """Keep the exception as the ending of the call."""
        if not isinstance(error, (Exception, SystemExit)):
            return False
        self.told = ("raised", type(error).__name__, error.args)
        return True


def observed(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """What a call does: how it ends, with what, and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), Ending() as ending:
        result = function(*arguments, **named)
        is_iterator = hasattr(result, "__next__")
        ending.told = ("gave", list(itertools.islice(result, 1000))) if is_iterator else ("returned", result)
    return (*ending.told, printed.getvalue())


def made(kind: Any, **attributes: Any) -> Any:
    """An object with these attributes; its constructor does not run."""
    value = object.__new__(kind)
    for name, held in attributes.items():
        object.__setattr__(value, name, held)
    return value


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of the same types, all the way down; NaN is the same as NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (dict, list, tuple)):
        items, others = (one.items(), other.items()) if isinstance(one, dict) else (one, other)
        return len(items) == len(others) and all(map(same, items, others))
    if isinstance(one, (float, complex, set, frozenset)):  # -0.0 is not 0.0, and {1} is not {1.0}
        return bool(_texts(one) == _texts(other))
    if type(one).__module__.partition(".")[0] in {"numpy", "pandas"}:
        return same(_parts(one), _parts(other))
    attributes = getattr(one, "__dict__", None)
    return same(attributes, other.__dict__) if attributes else bool(one == other)


def linked(value: Any) -> list[int]:
    """Which objects inside are the same ones: their numbers, in the order in which they are met."""
    numbers: dict[int, int] = {}
    met: list[int] = []

    def visit(part: Any) -> None:
        held = getattr(part, "__dict__", None)
        is_plain = isinstance(part, (list, dict, set)) or (isinstance(held, dict) and not callable(part))
        known = id(part) in numbers
        if is_plain:
            met.append(numbers.setdefault(id(part), len(numbers)))
        if isinstance(part, (list, tuple, dict)) and not known:
            for inner in part.values() if isinstance(part, dict) else part:
                visit(inner)
        elif is_plain and not known:
            visit(tuple((held or {}).values()))

    visit(value)
    return met


def _texts(value: Any) -> Any:
    return repr(value) if isinstance(value, (float, complex)) else sorted(map(repr, value))


def _parts(value: Any) -> Any:
    """What tells a value of numpy or pandas from another."""
    if hasattr(value, "columns"):
        columns = [_parts(value.iloc[:, place]) for place in range(len(value.columns))]
        return [_parts(value.columns), _parts(value.index), columns]
    if hasattr(value, "index") and hasattr(value, "name"):
        return [_parts(value.index), value.name, str(value.dtype), value.tolist()]
    if hasattr(value, "tolist"):
        return [str(value.dtype), getattr(value, "shape", ()), value.tolist(), str(getattr(value, "name", ""))]
    return repr(value)
