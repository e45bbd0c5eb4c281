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
        per_line = [text.count(wanted) for text in texts]
        best = max(range(len(per_line)), key=per_line.__getitem__)
        found[phrase] = Hits(sum(per_line), best)
    return found
