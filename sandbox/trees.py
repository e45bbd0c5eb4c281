"""The trees in which outcomes are told (`driver/value_encoder.py`): whatever JSON can be."""

from __future__ import annotations

import json
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def same(left: Json, right: Json) -> bool:
    """Whether two trees are the same; `==` would take 1 for true."""
    return json.dumps(left) == json.dumps(right)
