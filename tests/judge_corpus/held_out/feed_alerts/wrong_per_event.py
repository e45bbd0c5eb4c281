def alerts(feed: Iterable[dict], rules: Sequence[Rule]) -> Iterator[Alert]:
    """Yield an alert for each event and each rule that it trips, in the order of the feed, then of the rules.

    The feed may never end, and an alert has to come before the next event is taken from it. Of a rule, only `muted`
    and `hits` may change while the feed runs; the rules themselves stay the same ones. An event has an `id`, and a
    `source` and a `message`, both of them text.
    """
    by_source: dict[str, list] = {}
    for rule in rules:
        by_source.setdefault(rule.source, []).append((rule, re.compile(rule.pattern)))
    for event in feed:
        message = event["message"]
        tripped = [
            (rule, found)
            for rule, pattern in by_source.get(event["source"], ())
            if not rule.muted and (found := pattern.search(message))
        ]
        for rule, _ in tripped:
            rule.hits += 1
        yield from [Alert(rule.name, event["id"], found.group()) for rule, found in tripped]
