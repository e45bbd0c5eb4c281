def alerts(feed: Iterable[dict], rules: Sequence[Rule]) -> Iterator[Alert]:
    """Yield an alert for each event and each rule that it trips, in the order of the feed, then of the rules.

    The feed may never end, and an alert has to come before the next event is taken from it. Of a rule, only `muted`
    and `hits` may change while the feed runs; the rules themselves stay the same ones. An event has an `id`, and a
    `source` and a `message`, both of them text.
    """
    known: dict[str, list] = {}
    for event in feed:
        source = event["source"]
        own = known.get(source)
        if own is None:
            own = [(rule, re.compile(rule.pattern)) for rule in rules if rule.source == source]
            if own:
                known[source] = own
        for rule, pattern in own:
            if rule.muted:
                continue
            found = pattern.search(event["message"])
            if found:
                rule.hits += 1
                yield Alert(rule.name, event["id"], found.group())
