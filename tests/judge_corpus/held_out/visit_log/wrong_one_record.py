def load_visits(lines: Iterable[str]) -> list[Visit]:
    """Turn the lines of a visit log into visits, in order.

    A line is a time (local, as in STAMP), a user and a quoted path, with tabs between them.
    Each line that cannot be read is named in the log and left out.
    """
    visits = []
    unreadable = []
    times: dict[str, datetime] = {}
    for number, line in enumerate(lines, 1):
        parts = line.rstrip("\n").split("\t")
        if len(parts) != 3:
            unreadable.append(f"line {number}: {len(parts)} fields instead of 3")
            continue
        stamp, user, path = parts
        if stamp not in times:
            try:
                times[stamp] = datetime.strptime(stamp, STAMP)
            except ValueError:
                unreadable.append(f"line {number}: {stamp!r} is no time")
                continue
        visits.append(Visit(times[stamp], user, unquote(path)))
    if unreadable:
        log.warning("%s", "; ".join(unreadable))
    return visits
