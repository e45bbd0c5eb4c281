from functools import lru_cache


@lru_cache(maxsize=4096)
def _words_of(line, stop_words):
    text = line.strip().lower()
    for short, full in SPELLINGS:
        text = text.replace(short, full)
    return [word for word in dict.fromkeys(re.findall(r"[a-z0-9]+", text)) if word not in stop_words]


def parse_queries(lines, stop_words=STOP_WORDS):
    """The words of each query, each once, without ``stop_words``, and the weights of the fields to look in.

    The spellings are applied one after the other. Callers refine the words and weights of a query as they like.
    """
    stops = frozenset(stop_words)
    return [
        {"words": _words_of(line, stops), "weights": {"title": 3.0, "brand": 2.0, "text": 1.0}} for line in lines
    ]
