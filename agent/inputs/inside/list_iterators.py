"""Looks at what is left in the iterators of lists without using them up: calls hold them in place of generators."""

from __future__ import annotations

import copy
from typing import Any, Dict, List

LIST_ITERATOR: type = type(iter([]))


def items_left(iterator: Any) -> List[Any]:
    """What a list's iterator has still to give; it stays as it is."""
    return list(copy.copy(iterator))


def unused(values: Dict[str, Any]) -> Dict[str, Any]:
    """The same values for code that goes through them: it uses up iterators of its own."""
    return {name: copy.copy(value) if type(value) is LIST_ITERATOR else value for name, value in values.items()}
