"""Under which licences our dependencies come, and whether a program under Apache-2.0 may use them."""

from __future__ import annotations

import re
from importlib import metadata
from typing import TYPE_CHECKING, Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from afterburner.sandbox.extras import DISTRIBUTION
from scripts.release.errors import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# SPDX identifiers. LGPL and MPL bind changes to the library itself, which we do not make.
ALLOWED = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC"),
        *("LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"),
    }
)
# How packages without an SPDX expression name theirs, in the field `License` or in a classifier.
_OLD_NAMES = {
    "3-clause bsd license": "BSD-3-Clause",
    "apache": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "isc license": "ISC",
    "isc license (iscl)": "ISC",
    "mit": "MIT",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "python software foundation license": "PSF-2.0",
}
# Packages whose metadata is no expression and no known name; looked up in their sources.
_LOOKED_UP = {"sqlite-vec": "MIT OR Apache-2.0"}
_EXCEPTION = re.compile(r"\bWITH [\w.-]+")  # as in `Apache-2.0 WITH LLVM-exception`, which permits more


def dependencies(but: Iterable[str] = ("dev",)) -> Iterator[metadata.Distribution]:
    """What our distribution and its extras need, directly or not, as far as it is installed here."""
    left_out = frozenset(but)
    seen: set[str] = set()
    extras = set(metadata.metadata(DISTRIBUTION).get_all("Provides-Extra") or ()) - left_out
    waiting = [(DISTRIBUTION, frozenset(extras))]
    while waiting:
        name, wanted = waiting.pop()
        try:
            found = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        if canonicalize_name(name) not in seen and name != DISTRIBUTION:
            yield found
        seen.add(canonicalize_name(name))
        for text in found.requires or ():
            needed = Requirement(text)
            holds = needed.marker is None or any(needed.marker.evaluate({"extra": each}) for each in {"", *wanted})
            if holds and canonicalize_name(needed.name) not in seen:
                waiting.append((needed.name, frozenset(needed.extras)))


def licence_of(found: metadata.Distribution) -> str:
    """An SPDX expression; empty if the metadata does not tell."""
    said: Any = found.metadata  # `get` is missing from its type
    expression = said.get("License-Expression")
    if expression:
        return str(expression)
    if found.name in _LOOKED_UP:
        return _LOOKED_UP[found.name]
    classifiers = [each for each in said.get_all("Classifier") or () if each.startswith("License ::")]
    names = [each.rpartition(" :: ")[2] for each in classifiers]
    names += str(said.get("License") or "").strip().splitlines()[:1]  # some give the whole text
    known = (_OLD_NAMES.get(name.lower(), name) for name in names)
    return next(filter(is_allowed, known), "")


def is_allowed(expression: str) -> bool:
    """Whether all parts of an SPDX expression that bind us are allowed: each of an AND, one of an OR."""
    text = _EXCEPTION.sub("", expression).strip()
    if text.startswith("(") and text.endswith(")") and ")" not in text[1:-1]:
        text = text[1:-1]
    for operator, decide in ((" AND ", all), (" OR ", any)):
        parts = _split(text, operator)
        if len(parts) > 1:
            return decide(is_allowed(part) for part in parts)
    return text in ALLOWED


def _split(text: str, operator: str) -> list[str]:
    """The operands of an operator that is in no parentheses."""
    parts, depth, start = [], 0, 0
    for at, mark in enumerate(text):
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if depth == 0 and text.startswith(operator, at):
            parts.append(text[start:at])
            start = at + len(operator)
    return [*parts, text[start:]]


def check_licences() -> str:
    """How many dependencies come under each licence.

    Raises:
        ReleaseError: of one, the licence is unknown or not allowed.
    """
    found = {each.name: licence_of(each) for each in dependencies()}
    wrong = [f"{name} ({licence or 'unknown'})" for name, licence in sorted(found.items()) if not is_allowed(licence)]
    if wrong:
        raise ReleaseError(
            f"Not allowed, or not known: {', '.join(wrong)}. Replace the package, or add its licence in "
            "scripts/release/licences.py after a look at its sources."
        )
    return f"{len(found)} dependencies, all under licences that Apache-2.0 may use"
