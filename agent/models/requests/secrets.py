"""Keeps the values of secret environment variables out of whatever is sent, stored or told.

Code is sent with a stand-in for each value, since a secret may be an ordinary word (`POSTGRES_PASSWORD=postgres`); in
the code of an answer the values are put back that the user's own file holds. What people read has `…` instead.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_SECRET = re.compile(
    r"(KEY|KEY_ID|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|CREDS?|JWT|(^|_)(PASS|PAT|AUTH))S?(_?\d+)?$",
    re.IGNORECASE,
)
_SHORTEST = 8  # what is shorter is no secret, and would be found in any text
_MARK = "HIDDEN_VALUE_"  # part of a name in every language, since a value may be part of a name
_DIGITS = 10
_STAND_IN = re.compile(f"{_MARK}[0-9a-f]{{{_DIGITS}}}")
_MARKED = re.compile(rf"{_MARK}\w*")
_DAMAGED = re.compile(r"hidden[\W_]{0,2}value\w*", re.IGNORECASE)
HIDDEN = "…"


class Scrubber:
    """Replaces secret values. They are read once, so that a text is scrubbed alike at all times of a run."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        """Take the values of variables that are named like secrets, and passwords in addresses."""
        variables = os.environ if environment is None else environment
        self._stand_ins: dict[str, str] = {}
        for name in sorted(variables):
            for what, value in _secrets_of(name, variables[name]):
                for form, text in _forms(value).items():
                    if len(value) >= _SHORTEST:
                        self._stand_ins.setdefault(text, _stand_in(f"{name} {what}{form}"))
        self._values = {stand_in: value for value, stand_in in self._stand_ins.items()}
        longest_first = sorted(self._stand_ins, key=len, reverse=True)
        self._any = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def __call__(self, text: str) -> str:
        """Give the text for people: `…` instead of each value."""
        return self._any.sub(HIDDEN, self._without_pieces(text))

    def hide(self, text: str) -> str:
        """Give the text for a model: a stand-in of its own instead of each value.

        It follows from the variable's name and from nothing else, so that a recording can be replayed elsewhere.
        """
        return self._any.sub(lambda found: self._stand_ins[found[0]], self._without_pieces(text))

    def hide_all(self, messages: Iterable[Mapping[str, str]]) -> tuple[dict[str, str], ...]:
        """Give the messages for a model."""
        return tuple({key: self.hide(text) for key, text in message.items()} for message in messages)

    def restore(self, text: str, own: str) -> str:
        """Put back the values that are in `own`, the user's text, and no others: an answer is not to fetch a secret."""

        def value_of(found: re.Match[str]) -> str:
            value = self._values.get(found[0])
            return value if value is not None and value in own else found[0]

        return _STAND_IN.sub(value_of, text)

    def _without_pieces(self, text: str) -> str:
        """Take out what is left of a value that was cut off at `…` before it came here."""
        pieces = []
        for cut in re.finditer(HIDDEN, text):
            before = text[max(cut.start() - _SHORTEST, 0) : cut.start()]
            after = text[cut.end() : cut.end() + _SHORTEST]
            for value in self._stand_ins:
                lengths = range(len(value) - 1, _SHORTEST - 1, -1)
                if before in value:
                    kept = next((n for n in lengths if text.endswith(value[:n], 0, cut.start())), 0)
                    pieces.append((cut.start() - kept, cut.start()))
                if after in value:
                    kept = next((n for n in lengths if text.startswith(value[-n:], cut.end())), 0)
                    pieces.append((cut.end(), cut.end() + kept))
        for start, stop in sorted(set(pieces), reverse=True):
            text = text[:start] + text[stop:]
        return text

    def held(self, text: str) -> list[str]:
        """Give the values that are in a text."""
        return sorted(set(self._any.findall(text)))


def _forms(value: str) -> dict[str, str]:
    """The value as it is, and as it stands in the literals of source code, in what `repr` shows, and in JSON."""
    forms = {"": value}
    for form, text in (("repr", repr(value)), ("ascii", ascii(value)), ("json", json.dumps(value))):
        if text[1:-1] not in forms.values():
            forms[f" {form}"] = text[1:-1]
    return forms


def has_stand_in(text: str) -> bool:
    """Whether something is hidden in a text."""
    return _STAND_IN.search(text) is not None


def damaged(code: str, own: str, *, hidden: bool) -> bool:
    """Whether restored code still has a stand-in, or what became of one, that is not the user's own text.

    Where nothing was `hidden` in what a model was asked, names like `hidden_values` are its own.
    """
    return any(found not in own for found in (_DAMAGED if hidden else _MARKED).findall(code))


def _stand_in(key: str) -> str:
    return _MARK + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _secrets_of(name: str, value: str) -> Iterator[tuple[str, str]]:
    """What is secret of a variable, each with a word that tells it from the others."""
    if _SECRET.search(name):
        yield "value", value.strip()
        for number, part in enumerate(re.split(r"[,;\s]+", value.strip())):
            yield f"part {number}", part
    for what, part in _in_address(value):
        yield what, part


def _in_address(value: str) -> Iterator[tuple[str, str]]:
    """The password of an address, and a name without one in a web address, which is a token."""
    if "://" not in value:
        return
    try:
        parts = urlsplit(value.strip())
    except ValueError:
        return
    if parts.password:
        yield "password", parts.password
    elif parts.username and parts.scheme in {"http", "https"}:
        yield "user", parts.username
