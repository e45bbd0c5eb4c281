"""Reads the visit log of the web shop into visits."""

import logging
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import unquote

log = logging.getLogger("shop.visits")
STAMP = "%Y-%m-%d %H:%M:%S"


@dataclass
class Visit:
    when: datetime
    user: str
    path: str
    labels: list[str] = field(default_factory=list)


def load_visits(lines: Iterable[str]) -> list[Visit]:
    """Turn the lines of a visit log into visits, in order.

    A line is a time (local, as in STAMP), a user and a quoted path, with tabs between them.
    Each line that cannot be read is named in the log and left out.
    """
    visits = []
    for number, line in enumerate(lines, 1):
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 3:
            log.warning("line %d: %d fields instead of 3", number, len(parts))
            continue
        stamp, user, path = parts
        try:
            when = datetime.strptime(stamp, STAMP)
        except ValueError:
            log.warning("line %d: %r is no time", number, stamp)
            continue
        visits.append(Visit(when, user, unquote(path)))
    return visits


def make_log(rng: random.Random, count: int, pause: int) -> list[str]:
    when = datetime(2024, 2, 28, 22, 10, 0)
    lines = []
    for _ in range(count):
        when += timedelta(seconds=1 if rng.randrange(pause) == 0 else 0)
        path = rng.choice(("/cart", "/item/caf%C3%A9", "/search?q=tea%20pot", "/", "/help"))
        lines.append(f"{when:%Y-%m-%d %H:%M:%S}\tu{rng.randrange(400)}\t{path}\n")
    return lines


if __name__ == "__main__":
    rng = random.Random(5)
    for count, pause in ((9000, 30), (11000, 20), (14000, 40), (7000, 30), (10000, 25)):
        visits = load_visits(make_log(rng, count, pause))
        print(len(visits), len({visit.user for visit in visits}), visits[-1].when, sum("é" in v.path for v in visits))
