_WORDS = re.compile(r"\w+")
_PLAIN = re.compile(r"[A-Za-z0-9_]+")


def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    texts = []
    for number, text in articles.items():
        texts.append((number, text, set(_WORDS.findall(text.lower())) if text.isascii() else None))
    index = {}
    for keyword in keywords:
        pattern = re.compile(rf"\b{re.escape(keyword)}\b", re.IGNORECASE)
        if _PLAIN.fullmatch(keyword):
            low = keyword.lower()
            index[keyword] = [
                number
                for number, text, words in texts
                if (low in words if words is not None else pattern.search(text))
            ]
        else:
            index[keyword] = [number for number, text, _ in texts if pattern.search(text)]
    return index
