from collections import defaultdict


def alerts(feed: Iterable[dict], rules: Sequence[Rule]) -> Iterator[Alert]:
    """Yield an alert for each event and each rule that it trips, in the order of the feed, then of the rules.

    The feed may never end, and an alert has to come before the next event is taken from it. Of a rule, only `muted`
    and `hits` may change while the feed runs; the rules themselves stay the same ones. An event has an `id`, and a
    `source` and a `message`, both of them text.
    """
    active = defaultdict(list)
    for rule in rules:
        if not rule.muted:
            active[rule.source].append((rule, re.compile(rule.pattern).search))
    for event in feed:
        message = event["message"]
        for rule, search in active.get(event["source"], ()):
            found = search(message)
            if found:
                rule.hits += 1
                yield Alert(rule.name, event["id"], found.group())
