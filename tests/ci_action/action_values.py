"""The values of GitHub's expressions: how they are compared, written, looked into, and what the functions do to them.

https://docs.github.com/actions/reference/workflows-and-actions/expressions
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ExpressionError(Exception):
    """An expression that GitHub would refuse, too; what is wrong with it."""


class Exact(dict[str, Any]):
    """A mapping whose keys are compared as they are: environment variables. Those of all others ignore case."""


class Several(list[Any]):
    """What `.*` gives: a further `.name` is asked of each."""


def text_of(value: Any) -> str:
    """Write a value as GitHub writes it into a text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number_text(value)
    if isinstance(value, str):
        return value
    return "Array" if isinstance(value, list) else "Object"


def truth_of(value: Any) -> bool:
    """Say whether a value counts as true."""
    if isinstance(value, int | float):
        return value != 0 and not math.isnan(value)
    return isinstance(value, list | dict) or bool(value)


def are_equal(left: Any, right: Any) -> bool:
    """Compare as `==` does: texts without regard to case, and values of two kinds as numbers."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() == right.casefold()
    if isinstance(left, list | dict) or isinstance(right, list | dict):
        return left is right
    if left is None and right is None:
        return True
    return _number(left) == _number(right)


def is_less(left: Any, right: Any) -> bool:
    """Compare as `<` does."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold() < right.casefold()
    return _number(left) < _number(right)


def looked_up(value: Any, key: Any) -> Any:
    """Give what is in a value under a name or a number; null where there is nothing."""
    if isinstance(value, Several):
        return Several(found for each in value if (found := looked_up(each, key)) is not None)
    if isinstance(value, Exact):
        return value.get(text_of(key))
    if isinstance(value, dict):
        wanted = text_of(key).casefold()
        return next((found for name, found in value.items() if name.casefold() == wanted), None)
    if isinstance(value, list) and isinstance(key, int | float) and 0 <= key < len(value):
        return value[int(key)]
    return None


def all_of(value: Any) -> Several:
    """Give what `.*` gives."""
    if isinstance(value, dict):
        return Several(value.values())
    return Several(value if isinstance(value, list) else ())


def _number(value: Any) -> float:
    if value is None or value == "":
        return 0
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value) if isinstance(value, str) and value.strip() == value else math.nan
    except ValueError:
        return math.nan


def _number_text(value: float) -> str:
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("-" if value < 0 else "") + "Infinity"
    return format(value, ".15g")


def _contains(search: Any, item: Any) -> bool:
    if isinstance(search, list):
        return any(are_equal(each, item) for each in search)
    return text_of(item).casefold() in text_of(search).casefold()


def _starts_with(text: Any, start: Any) -> bool:
    return text_of(text).casefold().startswith(text_of(start).casefold())


def _ends_with(text: Any, end: Any) -> bool:
    return text_of(text).casefold().endswith(text_of(end).casefold())


def _format(text: Any, *values: Any) -> str:
    def fill(found: re.Match[str]) -> str:
        if found[0] in {"{{", "}}"}:
            return found[0][0]
        if found[1] is None or int(found[1]) >= len(values):
            raise ExpressionError(f"The following format string is invalid: {text_of(text)}")
        return text_of(values[int(found[1])])

    return re.sub(r"\{\{|\}\}|\{(\d+)\}|[{}]", fill, text_of(text))


def _join(values: Any, separator: Any = ",") -> str:
    items = values if isinstance(values, list) else [values]
    return text_of(separator).join(text_of(each) for each in items)


def _to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


def _from_json(text: Any) -> Any:
    try:
        return json.loads(text_of(text))
    except ValueError as error:
        raise ExpressionError(f"fromJSON: {error}") from error


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "contains": _contains,
    "startswith": _starts_with,
    "endswith": _ends_with,
    "format": _format,
    "join": _join,
    "tojson": _to_json,
    "fromjson": _from_json,
}
