def tally(answers):
    counts = {}
    for answer in answers:
        counts[answer] = counts.get(answer, 0) + 1
    return [[answer, count] for answer, count in counts.items()]
