"""Notes which texts a function compiles as regular expressions."""

from __future__ import annotations

import contextlib
import functools
import re
from typing import Any, Iterator, Set


@contextlib.contextmanager
def compiled_patterns() -> Iterator[Set[Any]]:
    """Collect the texts that are compiled in the block, whichever function of `re` does it."""
    found: Set[Any] = set()
    functions = vars(re)
    compiled = functions.get("_compile")  # every function of `re` calls it; without it, nothing is noted

    # Under the name of the original: pickle finds what makes a pattern, as in a module's state, by it.
    @functools.wraps(compiled or re.compile)
    def noted(pattern: Any, *rest: Any) -> Any:
        if type(pattern) in (str, bytes):
            found.add(pattern)
        return compiled(pattern, *rest)  # type: ignore[misc]  # it is there if this stands in its place

    if callable(compiled):
        functions["_compile"] = noted
    try:
        yield found
    finally:
        if callable(compiled):
            functions["_compile"] = compiled
