def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    # Outside ASCII the pattern's idea of case is wider than lower(), so other texts are left to the pattern alone.
    texts = [(number, text, text.lower() if text.isascii() else None) for number, text in articles.items()]
    index = {}
    for keyword in keywords:
        search = re.compile(rf"\b{re.escape(keyword)}\b", re.IGNORECASE).search
        if keyword.isascii():
            low = keyword.lower()
            index[keyword] = [
                number for number, text, lowered in texts if (lowered is None or low in lowered) and search(text)
            ]
        else:
            index[keyword] = [number for number, text, _ in texts if search(text)]
    return index
