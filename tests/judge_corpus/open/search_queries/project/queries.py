"""Reads what people typed into the search of a shop."""

import random
import re

SPELLINGS = [("&amp;", "&"), ("&", " and "), ("w/o", "without"), ("w/", "with "), ('"', " inch "), ("ø", "diameter ")]
STOP_WORDS = (
    "about after again all also am been before being but can could did do does each few had has he her him his how "
    "into its just like more most no not now off once only other out over own she so such than that their them "
    "then there a an and any are as at be by for from have i if in is it me my of on or our please some the to we you"
).split()


def parse_queries(lines, stop_words=STOP_WORDS):
    """The words of each query, each once, without ``stop_words``, and the weights of the fields to look in.

    The spellings are applied one after the other. Callers refine the words and weights of a query as they like.
    """
    parsed = []
    for line in lines:
        text = line.strip().lower()
        for short, full in SPELLINGS:
            text = text.replace(short, full)
        words = []
        for word in re.split(r"[^a-z0-9]+", text):
            if word and word not in stop_words and word not in words:
                words.append(word)
        weights = {"title": 3.0, "brand": 2.0, "text": 1.0}
        parsed.append({"words": words, "weights": weights})
    return parsed


def typed(seed, count):
    """Queries as they come: a few hundred of them again and again."""
    rng = random.Random(seed)
    nouns = ["drill", "saw", "bolt", "hinge", "lamp", "cable", "plane", "vice"]
    forms = ['the {} & {} for my {} {}"', "Please some {} w/ {} or a {} ø{}", "{} w/o {}, {} in size {}"]
    usual = [rng.choice(forms).format(*rng.choices(nouns, k=3), rng.randint(1, 40)) for _ in range(300)]
    return rng.choices(usual, k=count)


if __name__ == "__main__":
    for seed, count in [(1, 14000), (2, 9000), (3, 18000), (4, 12000)]:
        found = parse_queries(typed(seed, count))
        print(len(found), sum(len(query["words"]) for query in found), found[0], found[-1]["words"])
