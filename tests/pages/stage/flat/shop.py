"""Ranks articles."""


def ranked(articles):
    """Return pairs of names and numbers, the largest number first; equal ones stay in their order."""
    rest = list(articles)
    result = []
    while rest:
        best = max(rest, key=lambda pair: pair[1])
        rest.remove(best)
        result.append(best)
    return result


if __name__ == "__main__":
    print(ranked([(f"article-{number}", number * 37 % 101) for number in range(500)])[:3])
    print(ranked([("pen", 2), ("ink", 5)]), ranked([]))
