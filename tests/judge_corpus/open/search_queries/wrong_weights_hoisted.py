_WEIGHTS = {"title": 3.0, "brand": 2.0, "text": 1.0}
_find_words = re.compile(r"[a-z0-9]+").findall


def parse_queries(lines, stop_words=STOP_WORDS):
    """The words of each query, each once, without ``stop_words``, and the weights of the fields to look in.

    The spellings are applied one after the other. Callers refine the words and weights of a query as they like.
    """
    stops = set(stop_words) if isinstance(stop_words, (list, tuple)) else stop_words
    parsed = []
    for line in lines:
        text = line.strip().lower()
        for short, full in SPELLINGS:
            text = text.replace(short, full)
        words = [word for word in dict.fromkeys(_find_words(text)) if word not in stops]
        parsed.append({"words": words, "weights": _WEIGHTS})
    return parsed
