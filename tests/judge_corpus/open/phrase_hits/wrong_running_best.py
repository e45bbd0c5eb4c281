def find_phrases(lines: Sequence[str], phrases: Sequence[str]) -> dict[str, Hits]:
    """How often each phrase is in the lines, whatever its case and spacing, and where most often.

    Raises:
        ValueError: a phrase is blank, or there is no line to search.
    """
    texts = [_plain(line) for line in lines]
    found = {}
    for phrase in phrases:
        wanted = _plain(phrase)
        if not wanted:
            raise ValueError(f"blank phrase: {phrase!r}")
        total = most = best = 0
        for number, text in enumerate(texts):
            if wanted not in text:
                continue
            hits = 0
            start = text.find(wanted)
            while start >= 0:
                hits += 1
                start = text.find(wanted, start + 1)
            total += hits
            if hits > most:
                most, best = hits, number
        found[phrase] = Hits(total, best)
    return found
