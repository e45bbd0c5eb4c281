"""Edge cases near a date or a time, and near a text that holds one."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Iterator, Tuple

from .written_dates import Day, find_date

Edge = Tuple[str, Any]  # kind, value

_TIME = re.compile(r"\b(\d{1,2}):(\d\d)(:\d\d)?")
_DAYS = ((2024, 2, 29), (2023, 12, 31), (2024, 12, 30), (2000, 1, 1), (1999, 1, 3))  # week 1 of a year, and week 53
# Hours around the changes of clocks in Europe and in the United States, in UTC.
_CHANGES = ((2024, 3, 31, 0, 30), (2024, 3, 31, 1, 30), (2024, 10, 27, 0, 30), (2024, 10, 27, 1, 30),
            (2024, 3, 10, 6, 30), (2024, 3, 10, 7, 30), (2024, 11, 3, 5, 30), (2024, 11, 3, 6, 30))  # fmt: skip
# Days on which clocks change: in Europe, in the United States, and in the south of Australia.
_CHANGE_DAYS = ((2024, 3, 31), (2024, 10, 27), (2024, 3, 10), (2024, 11, 3), (2024, 4, 7), (2024, 10, 6))
_BEFORE, _WITHIN, _AFTER = 0, 2, 9  # hours of the wall clock: they change between the first and the last
_NO_DAYS = ((2024, 2, 30), (2023, 2, 29), (2024, 4, 31), (2024, 13, 1))
_ZONES = (dt.timezone.utc, dt.timezone(dt.timedelta(hours=5, minutes=30)), dt.timezone(dt.timedelta(hours=-8)))


def date_edges(value: dt.date) -> Iterator[Edge]:
    """Leap days, ends of years, days on which clocks change, and the days around."""
    for kind, days_of_kind in (("odd date", _DAYS), ("around a change of clocks", _CHANGE_DAYS[:2])):
        for parts in days_of_kind:
            yield kind, value.replace(year=parts[0], month=parts[1], day=parts[2])
    for days in (1, -1, 7, 31, 365):
        yield "date moved", _moved(value, dt.timedelta(days=days))


def datetime_edges(value: dt.datetime) -> Iterator[Edge]:
    """Those of a date; times around changes of clocks; another zone, where there is one; fractions of a second."""
    for parts in _CHANGES:
        moment = dt.datetime(*parts, tzinfo=dt.timezone.utc)
        if value.tzinfo is None:
            yield "around a change of clocks", moment.replace(tzinfo=None)
        else:
            yield "around a change of clocks", moment.astimezone(value.tzinfo)
    yield "midnight", value.replace(hour=0, minute=0, second=0, microsecond=0)
    yield "end of a day", value.replace(hour=23, minute=59, second=59, microsecond=999_999)
    yield "fold", value.replace(fold=1)
    if value.tzinfo is not None:
        for zone in _ZONES:
            yield "another time zone", value.astimezone(zone)
    yield from date_edges(value)


def timedelta_edges(value: dt.timedelta) -> Iterator[Edge]:
    """None, a negative one, less than a second, more than a day."""
    for changed in (dt.timedelta(), -value, value + dt.timedelta(days=1), dt.timedelta(microseconds=1)):
        yield "other length of time", changed


def dated_text_edges(value: str) -> Iterator[Edge]:
    """The same text with its date or its time written otherwise, as some parsers take it and others do not.

    Then other dates in the same way: odd ones, such as clocks change on, and some that do not exist.
    """
    date = find_date(value)
    if date is not None:
        year, month, day = date.day
        others = (f"{year}{month:02d}{day:02d}", f"{year}-W09-4", f"{year}/{month:02d}/{day:02d}")
        for other in (*date.otherwise(), *others, f" {date.written(date.day)} "):
            yield "date written otherwise", value[: date.start] + other + value[date.end :]
        if date.end == len(value):
            yield "date written otherwise", value + "T00:00"
        for kind, days in (
            ("odd date", (*_NO_DAYS[:2], *_DAYS, *_NO_DAYS[2:])),
            ("around a change of clocks", _CHANGE_DAYS),
        ):
            for other_day in days:
                yield kind, _on(value, other_day, _WITHIN)
    time = _TIME.search(value)
    if time is not None:
        hour, minute, _ = time.groups()
        padded = f"{int(hour)}:{minute}" if len(hour) == 2 else f"0{hour}:{minute}"
        for other in (padded, f"24:{minute}", f"{hour}:{minute}:60", f"{hour}:{minute}:00.5", hour):
            yield "time written otherwise", value[: time.start()] + other + value[time.end() :]
        if time.end() == len(value):
            for zone in ("Z", "+00:00", "+0530"):
                yield "time written otherwise", value + zone


def is_dated(value: Any) -> bool:
    """Whether it is a time of a day, or a text with a date."""
    return type(value) is dt.datetime or (type(value) is str and find_date(value) is not None)


def across_changes(first: Any, last: Any) -> Iterator[Tuple[Any, Any]]:
    """Two times, or texts with times, as they are before and after clocks change on the same day."""
    for day in _CHANGE_DAYS:
        yield _on(first, day, _BEFORE), _on(last, day, _AFTER)


def _on(value: Any, day: Day, hour: int) -> Any:
    """A time, or a text with a date and perhaps a time, on another day at this hour."""
    if type(value) is not str:
        return value.replace(year=day[0], month=day[1], day=day[2], hour=hour)
    date = find_date(value)
    dated = value[: date.start] + date.written(day) + value[date.end :] if date else value
    return _TIME.sub(lambda found: f"{hour:02d}:{found.group(2)}{found.group(3) or ''}", dated)


def _moved(value: dt.date, by: dt.timedelta) -> dt.date:
    try:
        return value + by
    except OverflowError:
        return value
