def load_visits(lines: Iterable[str]) -> list[Visit]:
    """Turn the lines of a visit log into visits, in order.

    A line is a time (local, as in STAMP), a user and a quoted path, with tabs between them.
    Each line that cannot be read is named in the log and left out.
    """
    visits = []
    known: dict[str, Visit] = {}
    times: dict[str, datetime] = {}
    for number, line in enumerate(lines, 1):
        visit = known.get(line)
        if visit is None:
            parts = line.rstrip("\n").split("\t")
            if len(parts) != 3:
                log.warning("line %d: %d fields instead of 3", number, len(parts))
                continue
            stamp, user, path = parts
            when = times.get(stamp)
            if when is None:
                try:
                    when = times[stamp] = datetime.strptime(stamp, STAMP)
                except ValueError:
                    log.warning("line %d: %r is no time", number, stamp)
                    continue
            visit = known[line] = Visit(when, user, unquote(path))
        visits.append(visit)
    return visits
