"""Functions that calls give back: a comparison of the calls does not see what these do, or how long they take."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from afterburner.sandbox.rendering import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.agent.types import WorkloadCall

_HIDDEN = " (another of this name)"  # as the encoder names what a decorator has taken the place of


def unseen_function(calls: Iterable[WorkloadCall]) -> str:
    """The name of a function that one of the calls gives back and that is found nowhere else; empty: there is none.

    One that stands in its module under its own name is code like any other: a comparison of its own sees what it does.
    """
    for call in calls:
        match json.loads(call.expected):
            case ["outcome", _, ["returned", value], *_] if name := _hidden_in(value):
                return name
    return ""


def _hidden_in(tree: Any) -> str:
    waiting = [tree]
    while waiting:
        match waiting.pop():
            case ["function", str(name)] if name.endswith(_HIDDEN):
                return short_name(name.removesuffix(_HIDDEN))
            case [*parts]:
                waiting += parts
    return ""
