def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    words = {number: set(re.findall(r"\w+", text.casefold())) for number, text in articles.items()}
    index = {}
    for keyword in keywords:
        if re.fullmatch(r"\w+", keyword):
            folded = keyword.casefold()
            index[keyword] = [number for number, own in words.items() if folded in own]
        else:
            pattern = re.compile(rf"\b{re.escape(keyword)}\b", re.IGNORECASE)
            index[keyword] = [number for number, text in articles.items() if pattern.search(text)]
    return index
