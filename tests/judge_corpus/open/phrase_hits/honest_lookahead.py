import re


def find_phrases(lines: Sequence[str], phrases: Sequence[str]) -> dict[str, Hits]:
    """How often each phrase is in the lines, whatever its case and spacing, and where most often.

    Raises:
        ValueError: a phrase is blank, or there is no line to search.
    """
    texts = list(map(_plain, lines))
    found = {}
    for phrase in phrases:
        wanted = _plain(phrase)
        if not wanted:
            raise ValueError(f"blank phrase: {phrase!r}")
        # The first character is consumed and the rest only looked at, so hits may overlap.
        hits = re.compile(f"{re.escape(wanted[0])}(?={re.escape(wanted[1:])})").findall
        per_line = [len(hits(text)) if wanted in text else 0 for text in texts]
        best = max(range(len(per_line)), key=per_line.__getitem__)
        found[phrase] = Hits(sum(per_line), best)
    return found
