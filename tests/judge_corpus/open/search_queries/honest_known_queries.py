def parse_queries(lines, stop_words=STOP_WORDS):
    """The words of each query, each once, without ``stop_words``, and the weights of the fields to look in.

    The spellings are applied one after the other. Callers refine the words and weights of a query as they like.
    """
    known = {}
    parsed = []
    for line in lines:
        words = known.get(line)
        if words is None:
            text = line.strip().lower()
            for short, full in SPELLINGS:
                text = text.replace(short, full)
            words = []
            for word in re.split(r"[^a-z0-9]+", text):
                if word and word not in stop_words and word not in words:
                    words.append(word)
            known[line] = words
        parsed.append({"words": words.copy(), "weights": {"title": 3.0, "brand": 2.0, "text": 1.0}})
    return parsed
