def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    index = {keyword: [] for keyword in keywords}
    if not index:
        return index
    by_lower = {}
    for keyword in index:
        by_lower.setdefault(keyword.lower(), []).append(keyword)
    longest_first = sorted(index, key=len, reverse=True)
    heads = "".join(sorted({re.escape(c) for k in index for c in (k[:1].lower(), k[:1].upper())}))
    pattern = re.compile(rf"\b(?=[{heads}])(?:{'|'.join(map(re.escape, longest_first))})\b", re.IGNORECASE)
    for number, text in articles.items():
        for found in set(map(str.lower, pattern.findall(text))):
            for keyword in by_lower.get(found, ()):
                index[keyword].append(number)
    return index
