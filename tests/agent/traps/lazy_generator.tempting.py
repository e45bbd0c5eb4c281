def matching(lines, word):
    return [(number, line) for number, line in enumerate(lines) if word in line.lower().split(" ")]
