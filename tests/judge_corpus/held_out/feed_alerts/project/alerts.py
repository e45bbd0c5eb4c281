"""Watches the event feed and raises alerts."""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from rules import Rule


@dataclass(frozen=True)
class Alert:
    rule: str
    event: int
    text: str


def alerts(feed: Iterable[dict], rules: Sequence[Rule]) -> Iterator[Alert]:
    """Yield an alert for each event and each rule that it trips, in the order of the feed, then of the rules.

    The feed may never end, and an alert has to come before the next event is taken from it. Of a rule, only `muted`
    and `hits` may change while the feed runs; the rules themselves stay the same ones. An event has an `id`, and a
    `source` and a `message`, both of them text.
    """
    for event in feed:
        for rule in rules:
            if rule.source != event["source"]:
                continue
            found = re.search(rule.pattern, event["message"])
            if found and not rule.muted:
                rule.hits += 1
                yield Alert(rule.name, event["id"], found.group())


def make_rules(rng: random.Random, count: int) -> list[Rule]:
    words = ("timeout", "refused", "retry", "disk", "quota", "login")
    return [
        Rule(f"r{n}", f"host{rng.randrange(count // 6)}", rf"\b{rng.choice(words)}\b.*\b{n % 7}\d+\b", muted=n % 9 == 0)
        for n in range(count)
    ]


def event_feed(rng: random.Random, hosts: int) -> Iterator[dict]:
    words = ("timeout after", "refused by", "retry of", "disk at", "quota of", "login from")
    number = 0
    while True:
        number += 1
        text = f"{rng.choice(words)} {rng.randrange(100)} units on {rng.randrange(900)}"
        yield {"id": number, "source": f"host{rng.randrange(hosts)}", "message": text}


if __name__ == "__main__":
    rng = random.Random(17)
    for count, events in ((240, 6000), (300, 6000), (180, 10000), (360, 5000), (270, 6400)):
        rules = make_rules(rng, count)
        raised = list(alerts(islice(event_feed(rng, count // 6), events), rules))
        print(count, events, len(raised), raised[-1].rule, sum(rule.hits for rule in rules), max(r.hits for r in rules))
