"""Ranks articles."""


def ranked(articles):
    """Return pairs of names and numbers, the largest number first."""
    return sorted(articles, key=lambda pair: (-pair[1], pair[0]))
