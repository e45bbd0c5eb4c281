"""Draws small collections of records that share few values.

Where real records differ in all their parts, two of them seldom meet: the same person, one time within another's, an
end that is the start. With few values to choose from, most of these cases come up among a few records.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Callable, Dict, List, Sequence

from .call_parts import children, put_all
from .container_kinds import NotBuildableError

MOST_RECORDS = 5
MODELS = 2  # records that the values are taken from
_BETWEEN: Dict[type, Callable[[Any, Any], Any]] = {
    int: lambda low, high: (low + high) // 2,
    float: lambda low, high: low + (high - low) / 2,
    dt.date: lambda low, high: low + (high - low) / 2,
    dt.datetime: lambda low, high: low + (high - low) / 2,
    dt.timedelta: lambda low, high: low + (high - low) / 2,
}


def are_records(items: Sequence[Any]) -> bool:
    """Whether elements have parts of which some may be chosen anew, all under the same keys."""
    keys = [key for key, _, _ in children(items[0])] if items else []
    return len(keys) > 1 and all([key for key, _, _ in children(item)] == keys for item in items)


def draw_records(draw: Callable[[Any], Any], st: Any, items: Sequence[Any]) -> List[Any]:
    """A few records like these, as a composite strategy of Hypothesis draws them.

    Each part is one that a model has under the same key. Of numbers and times it may also be one of another key, or
    one between two of them.
    """
    models = draw(st.lists(st.sampled_from(items), min_size=1, max_size=MODELS))
    parts = [_parts(model) for model in models]
    columns = {key: [each[key] for each in parts] for key in parts[0]}
    shared = _shared([part for column in columns.values() for part in column])
    choices = {key: [*column, *shared.get(type(column[0]), ())] for key, column in columns.items()}
    count = draw(st.integers(2, MOST_RECORDS))
    return [_record(draw, st, draw(st.sampled_from(models)), choices) for _ in range(count)]


def _record(draw: Callable[[Any], Any], st: Any, model: Any, choices: Dict[Any, List[Any]]) -> Any:
    """One record; the model itself where its class has none with these parts."""
    chosen = {key: draw(st.sampled_from(values)) for key, values in choices.items()}
    try:
        return put_all(model, chosen)
    except NotBuildableError:
        return model


def _parts(record: Any) -> Dict[Any, Any]:
    return {key: part for key, _, part in children(record)}


def _shared(parts: Sequence[Any]) -> Dict[type, List[Any]]:
    """The numbers and times among all parts by their type, and one between the smallest and the largest of each."""
    shared: Dict[type, List[Any]] = {}
    for part in parts:
        if type(part) in _BETWEEN:
            shared.setdefault(type(part), []).append(part)
    for kind, values in shared.items():
        try:
            values.append(_BETWEEN[kind](min(values), max(values)))
        except (TypeError, OverflowError):  # times with a zone and without have no order
            continue
    return shared
