"""Finds the articles of the archive in which the editors' keywords occur."""

import random
import re
from collections.abc import Iterable


def keyword_index(articles: dict[int, str], keywords: Iterable[str]) -> dict[str, list[int]]:
    """For each keyword, the ids of the articles that contain it, in the order of the articles.

    A keyword is a word or a phrase of several words, as "New York" or "e-mail". It counts where it stands as
    a whole (word boundaries at both ends) in upper or lower case, also within a longer keyword.
    """
    index = {}
    for keyword in keywords:
        pattern = re.compile(rf"\b{re.escape(keyword)}\b", re.IGNORECASE)
        index[keyword] = [number for number, text in articles.items() if pattern.search(text)]
    return index


def make_archive(rng: random.Random, count: int) -> dict[int, str]:
    syllables = ("ka", "lo", "mi", "ter", "sun", "ro", "pel", "da", "vin", "go")
    words = ["".join(rng.choice(syllables) for _ in range(rng.randrange(2, 4))) for _ in range(900)]
    return {
        1000 + number: ", ".join(
            " ".join(rng.choice(words) for _ in range(rng.randrange(3, 8))).capitalize() for _ in range(8)
        ) + "."
        for number in range(count)
    }


if __name__ == "__main__":
    rng = random.Random(41)
    for count, wanted in ((160, 120), (220, 110), (130, 170), (260, 90), (190, 120)):
        archive = make_archive(rng, count)
        texts = list(archive.values())
        keywords = {}
        for _ in range(wanted):
            keywords[rng.choice(re.findall(r"\w+", rng.choice(texts))).lower()] = None
        index = keyword_index(archive, keywords)
        longest = max(index, key=lambda keyword: len(index[keyword]))
        print(count, len(index), sum(map(len, index.values())), longest, index[longest][:4])
