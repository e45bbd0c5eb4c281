"""The caller takes only the first few: a rewrite that returns a list is another kind of thing."""


def matching(lines, word):
    for number, line in enumerate(lines):
        parts = [part for part in line.split(" ")]
        if word in [part.lower() for part in parts]:
            yield number, line


if __name__ == "__main__":
    text = ["alpha beta gamma " * (number % 40) for number in range(1500)]
    hits = matching(text, "beta")
    print(next(hits), len(list(hits)))
    print(len(list(matching(text, "delta"))))
