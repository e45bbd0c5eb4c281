"""Finds a date in a text, and writes other dates in the same way or the same date in other ways."""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple, Optional, Tuple

_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_YEAR_LAST = re.compile(r"(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4})(?!\d)")
_WAYS = (("ymd", "-"), ("dmy", "/"), ("dmy", "."))
_MONTHS = 12

Day = Tuple[int, int, int]  # year, month, day


class WrittenDate(NamedTuple):
    """A date in a text: where it stands, and how it is written. `order` is `ymd`, `dmy` or `mdy`."""

    start: int
    end: int
    day: Day
    order: str
    separator: str
    is_padded: bool

    def written(self, day: Day) -> str:
        """Another date in the same way; it need not exist."""
        return _written(day, self.order, self.separator, is_padded=self.is_padded)

    def otherwise(self) -> Iterator[str]:
        """The same date in other ways, with zeros before single digits and without."""
        known = {self.written(self.day)}
        for order, separator in ((self.order, self.separator), *_WAYS):
            for is_padded in (False, True):
                text = _written(self.day, order, separator, is_padded=is_padded)
                if text not in known:
                    known.add(text)
                    yield text


def find_date(text: str) -> Optional[WrittenDate]:
    """The first date in a text, or None. Where the day or the month may come first, it is the day."""
    found = _YEAR_FIRST.search(text)
    if found is not None:
        year, separator, month, day = found.groups()
        return WrittenDate(*found.span(), _day(year, month, day), "ymd", separator, _is_padded(month, day))
    found = _YEAR_LAST.search(text)
    if found is None:
        return None
    first, separator, second, year = found.groups()
    place = found.span()
    if int(second) > _MONTHS:
        return WrittenDate(*place, _day(year, first, second), "mdy", separator, _is_padded(first, second))
    return WrittenDate(*place, _day(year, second, first), "dmy", separator, _is_padded(first, second))


def _day(year: str, month: str, day: str) -> Day:
    return int(year), int(month), int(day)


def _is_padded(first: str, second: str) -> bool:
    return len(first) == len(second) == 2


def _written(day: Day, order: str, separator: str, *, is_padded: bool) -> str:
    year, month, number = day
    parts = {"y": "%04d" % year}
    parts.update({"m": "%02d" % month, "d": "%02d" % number} if is_padded else {"m": str(month), "d": str(number)})
    return separator.join(parts[part] for part in order)
