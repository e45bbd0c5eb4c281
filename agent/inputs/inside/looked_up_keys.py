"""A key of a table in place of another argument, and a value under it that is easily taken for none at all.

Only together they show what `table.get(key) or default` and `table.get(key) is None` do otherwise.
"""

from __future__ import annotations

import contextlib
from itertools import islice
from typing import Any, Dict, Iterator, Mapping

from .call_parts import Place, Root, places, put, substituted, with_value
from .container_kinds import MAPPINGS, NotBuildableError, container_kind, plain_of
from .key_paths import FALSE

MOST_TABLES, MOST_KEYS = 3, 6
NONE_FOR_ANY: Dict[type, Any] = dict.fromkeys((*FALSE, list, tuple, dict))


def looked_up(root: Root, place: Place, instead: Mapping[type, Any]) -> Iterator[Root]:
    """The call with the keys of its tables in place of a text, each with another value under that key.

    Args:
        root: the call.
        place: of the text.
        instead: the other value, by the type of the one that is there; values of other types stay.
    """
    outside = [each for each in places(root) if each.site[: len(place.site)] != place.site]
    tables = [each.value for each in outside if container_kind(each.value) in MAPPINGS]
    for table in tables[:MOST_TABLES]:
        for key, held in islice(plain_of(table).items(), MOST_KEYS):
            if type(key) is not str or type(held) not in instead:
                continue
            with contextlib.suppress(NotBuildableError):
                named = with_value(root, place, key)
                yield substituted(named, table, put(table, key, instead[type(held)]))
