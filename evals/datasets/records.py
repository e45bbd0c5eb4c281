"""One record of a dataset, whose fields are read by what they have to be, and refused by name where they are not."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from afterburner.evals.errors import RecordError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_NAMES = ("problem_id", "question_id", "task_id", "slug_name", "id", "problem_idx", "name", "title")
LONGEST_NAME = 80  # characters of what messages call a record
_DIGITS = 4000  # from about here on, `int` refuses to read a decimal
_LARGEST_ID = 2**63  # an integer that is larger is no id, and Python does not even write all of them as text


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one record.

    Each getter raises a `RecordError` that names the field if it is missing, null, or of another type; `default`
    stands in for what is missing or null.

    Attributes:
        values: the fields as they were read.
        place: where it is from, for messages: "test.jsonl, record 17".
        prefix: what stands before the names of fields in messages, for a record within a record.
    """

    values: Mapping[str, Any]
    place: str = ""
    prefix: str = ""

    @property
    def name(self) -> str:
        """How the dataset calls the record, as far as can be told; a long name is cut. Empty: it does not say."""
        found = (self.values.get(name) for name in _NAMES)
        usable = (each for each in found if isinstance(each, str) or (isinstance(each, int) and _is_id(each)))
        return next((text[:LONGEST_NAME] for text in map(str, usable) if text), "")

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.values.get(name) is not None

    def field(self, name: str) -> str:
        """What messages call a field."""
        return f"{self.prefix}{name}"

    def error(self, name: str, reason: str) -> RecordError:
        """The error that says what is wrong with a field."""
        return RecordError(self.field(name), reason)

    def text(self, name: str, default: str | None = None) -> str:
        """A text, which may be empty; one that no file can hold (lone surrogates) is refused."""
        if default is not None and not self.has(name):
            return default
        return self._text(name, self._get(name, str, "a text"))

    def filled(self, name: str) -> str:
        """A text that says something."""
        found = self.text(name)
        if not found.strip():
            raise self.error(name, "it is empty")
        return found

    def identity(self, name: str) -> str:
        """A text that is not empty, or an integer, as text."""
        found = self._get(name, str | int, "a text or an integer")
        if isinstance(found, str):
            return self.filled(name)
        if not _is_id(found):
            raise self.error(name, "this integer is too large to be an id")
        return str(found)

    def number(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        if default is not None and not self.has(name):
            return default
        found = self._float(name, "a number")
        if not math.isfinite(found):
            raise self.error(name, f"this has to be a finite number, and it is {found}")
        return found

    def measured(self, name: str) -> float | None:
        """A number that somebody measured; None: nobody did, which datasets also write as infinity or not-a-number."""
        if not self.has(name):
            return None
        found = self._float(name, "a number or null")
        if math.isfinite(found) and found < 0:
            raise self.error(name, f"this has to be a measurement, and it is {found:g}")
        return found if math.isfinite(found) else None

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false."""
        if default is not None and not self.has(name):
            return default
        return bool(self._get(name, bool, "true or false"))

    def items(self, name: str, default: list[Any] | None = None) -> list[Any]:
        """A list of anything."""
        if default is not None and not self.has(name):
            return default
        return list(self._get(name, list | tuple, "a list"))

    def texts(self, name: str, default: list[str] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        found = self.items(name, default)
        for place, each in enumerate(found):
            if not isinstance(each, str):
                raise self.error(f"{name}[{place}]", f"this has to be a text, and it is {_kind(each)}")
            self._text(f"{name}[{place}]", each)
        return tuple(found)

    def part(self, name: str) -> Record:
        """A record within the record."""
        return replace(self, values=self._get(name, dict, "an object"), prefix=f"{self.field(name)}.")

    def parts(self, name: str) -> Iterator[Record]:
        """A list of records within the record."""
        yield from self.parts_of(name, self.items(name))

    def json_text(self, name: str) -> Any:
        """What a text of JSON holds."""
        return self.loads(name, self.filled(name))

    def json_parts(self, name: str) -> Iterator[Record]:
        """The records of a text of JSON that is a list of them; a list itself will do."""
        found = self.items(name) if isinstance(self.values.get(name), list | tuple) else self.json_text(name)
        yield from self.parts_of(name, found)

    def loads(self, name: str, text: str | bytes) -> Any:
        """Read JSON that was found in a field."""
        try:
            return parse_json(text)
        except (ValueError, RecursionError) as error:
            raise self.error(name, f"this is no JSON: {error}") from None

    def parts_of(self, name: str, found: Any) -> Iterator[Record]:
        """The records of a list that was found in a field."""
        if not isinstance(found, list | tuple):
            raise self.error(name, f"this has to be a list, and it is {_kind(found)}")
        for place, each in enumerate(found):
            if not isinstance(each, dict):
                raise self.error(f"{name}[{place}]", f"this has to be an object, and it is {_kind(each)}")
            yield replace(self, values=each, prefix=f"{self.field(name)}[{place}].")

    def _float(self, name: str, described: str) -> float:
        try:
            return float(self._get(name, int | float, described))
        except OverflowError:
            raise self.error(name, "this number is too large") from None

    def _get(self, name: str, kind: Any, described: str) -> Any:
        if not self.has(name):
            raise self.error(name, "it is null" if name in self.values else "it is missing")
        found = self.values[name]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.error(name, f"this has to be {described}, and it is {_kind(found)}")
        return found

    def _text(self, name: str, found: str) -> str:
        try:
            found.encode()
        except UnicodeEncodeError:
            raise self.error(name, "this holds half a character (a lone surrogate)") from None
        return found


def parse_json(text: str | bytes) -> Any:
    """Read JSON, whose integers may be of any length.

    Raises:
        ValueError: it is none.
        RecursionError: it is nested too deeply.
    """
    return json.loads(text, parse_int=_integer)


def _integer(digits: str) -> int:
    """An integer of any length, in less than quadratic time, which `int` has a limit for."""
    return int(digits) if len(digits) < _DIGITS else int(Decimal(digits))


def _is_id(number: int) -> bool:
    return -_LARGEST_ID < number < _LARGEST_ID


def _kind(value: Any) -> str:
    """What a value is, in the words of JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isnan(value):
        return "not a number (NaN)"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", tuple: "a list", dict: "an object"}
    return kinds.get(type(value), f"of the type {type(value).__name__}")
