def find_phrases(lines: Sequence[str], phrases: Sequence[str]) -> dict[str, Hits]:
    """How often each phrase is in the lines, whatever its case and spacing, and where most often.

    Raises:
        ValueError: a phrase is blank, or there is no line to search.
    """
    def plain(text: str) -> str:
        return " ".join(text.lower().split())

    texts = [plain(line) for line in lines]
    found = {}
    for phrase in phrases:
        wanted = plain(phrase)
        if not wanted:
            raise ValueError(f"blank phrase: {phrase!r}")
        per_line = []
        for text in texts:
            hits = 0
            position = text.find(wanted)
            while position != -1:
                hits += 1
                position = text.find(wanted, position + 1)
            per_line.append(hits)
        best = max(range(len(per_line)), key=per_line.__getitem__)
        found[phrase] = Hits(sum(per_line), best)
    return found
