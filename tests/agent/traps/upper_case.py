"""Lower and upper case do not tell the same letters apart. All captured words are plain ASCII."""


def spellings(words):
    kept = []
    for word in words:
        if not any(word.lower() == other.lower() for other in kept):
            kept.append(word)
    return kept


if __name__ == "__main__":
    words = ["%s%d" % (stem, number) for number in range(110) for stem in ("Ash", "elm", "ASH", "Fir")]
    print(len(spellings(words)), len(spellings(words[:25])))
