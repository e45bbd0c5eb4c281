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
        per_line = []
        for text in texts:
            hits = 0
            start = text.find(wanted)
            while start >= 0:
                hits += 1
                start = text.find(wanted, start + 1)
            per_line.append(hits)
        most = max(per_line)
        found[phrase] = Hits(sum(per_line), per_line.index(most))
    return found
