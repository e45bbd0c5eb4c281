"""What is wrong with data from outside, in one line that is safe to print: for all that pydantic reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from afterburner.sandbox.scrubbing import scrub_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import ValidationError

_OF_PYDANTIC = re.compile(r"\bValue error, |, unable to parse string as an? \w+")
_MOST_PARTS = 12
_LONGEST_PART = 60
_LONGEST_MESSAGE = 300
_PLAINLY = {  # what pydantic says of common mistakes, in the words of this project
    "missing": "this has to be given",
    "extra_forbidden": "there is no such key",
    "too_short": "this is empty, or has too few parts",
}


def plainly(message: str) -> str:
    """What pydantic says of a value, without its words about itself."""
    return _OF_PYDANTIC.sub("", message)


def first_mistake(error: ValidationError, whole: str = "the whole text") -> str:
    """Where the first mistake is, and what it is, as `inputs[0].data: …`, without the wrong value itself.

    Args:
        error: of a model or a type adapter.
        whole: what the place is called if it is not a part.
    """
    return describe_mistake(error.errors(include_url=False, include_context=False, include_input=False)[0], whole)


def describe_mistake(mistake: Mapping[str, object], whole: str = "the whole text") -> str:
    """One of pydantic's mistakes; a value may be hostile and long, and so may be the name of a key."""
    found = mistake.get("loc", ())
    parts = found[:_MOST_PARTS] if isinstance(found, tuple) else ()
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{str(part)[:_LONGEST_PART]}" for part in parts)
    message = _PLAINLY.get(str(mistake.get("type")), plainly(str(mistake.get("msg"))))
    line = f"{place.lstrip('.') or whole}: {message[:_LONGEST_MESSAGE]}".replace("\n", " ")
    return scrub_bytes(line.encode("utf-8", "replace"))
