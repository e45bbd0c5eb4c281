_split_words = re.compile(r"[^a-z0-9]+").split


def parse_queries(lines, stop_words=STOP_WORDS):
    """The words of each query, each once, without ``stop_words``, and the weights of the fields to look in.

    The spellings are applied one after the other. Callers refine the words and weights of a query as they like.
    """
    keep = {"": False}
    parsed = []
    for line in lines:
        text = line.strip().lower()
        for short, full in SPELLINGS:
            if short in text:
                text = text.replace(short, full)
        words = []
        for word in _split_words(text):
            kept = keep.get(word)
            if kept is None:
                kept = keep[word] = word not in stop_words
            if kept and word not in words:
                words.append(word)
        parsed.append({"words": words, "weights": {"title": 3.0, "brand": 2.0, "text": 1.0}})
    return parsed
