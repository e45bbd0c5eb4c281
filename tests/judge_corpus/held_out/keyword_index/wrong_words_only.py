def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    where: dict[str, list[int]] = {}
    for number, text in articles.items():
        for word in set(re.findall(r"\w+", text.lower())):
            where.setdefault(word, []).append(number)
    return {keyword: list(where.get(keyword.lower(), ())) for keyword in keywords}
