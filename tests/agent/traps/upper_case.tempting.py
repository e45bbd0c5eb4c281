def spellings(words):
    kept = {}
    for word in words:
        kept.setdefault(word.upper(), word)
    return list(kept.values())
