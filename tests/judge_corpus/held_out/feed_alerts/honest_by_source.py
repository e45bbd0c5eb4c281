def alerts(feed: Iterable[dict], rules: Sequence[Rule]) -> Iterator[Alert]:
    """Yield an alert for each event and each rule that it trips, in the order of the feed, then of the rules.

    The feed may never end, and an alert has to come before the next event is taken from it. Of a rule, only `muted`
    and `hits` may change while the feed runs; the rules themselves stay the same ones. An event has an `id`, and a
    `source` and a `message`, both of them text.
    """
    by_source: dict[str, list] = {}
    for rule in rules:
        by_source.setdefault(rule.source, []).append((rule, re.compile(rule.pattern).search))
    for event in feed:
        for rule, search in by_source.get(event["source"], ()):
            found = search(event["message"])
            if found and not rule.muted:
                rule.hits += 1
                yield Alert(rule.name, event["id"], found.group())
