from bisect import bisect_right
from itertools import accumulate


def find_phrases(lines: Sequence[str], phrases: Sequence[str]) -> dict[str, Hits]:
    """How often each phrase is in the lines, whatever its case and spacing, and where most often.

    Raises:
        ValueError: a phrase is blank, or there is no line to search.
    """
    texts = [_plain(line) for line in lines]
    # No plain text holds a line break, so no hit can reach from one line into the next.
    whole = "\n".join(texts)
    starts = list(accumulate((len(text) + 1 for text in texts[:-1]), initial=0))
    found = {}
    for phrase in phrases:
        wanted = _plain(phrase)
        if not wanted:
            raise ValueError(f"blank phrase: {phrase!r}")
        per_line = [0] * len(texts)
        at = whole.find(wanted)
        while at >= 0:
            per_line[bisect_right(starts, at) - 1] += 1
            at = whole.find(wanted, at + 1)
        most = max(per_line)
        found[phrase] = Hits(sum(per_line), per_line.index(most))
    return found
