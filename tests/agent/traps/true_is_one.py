"""True and 1 are counted apart here, and a dictionary takes them for the same key. All captured values are numbers."""


def tally(answers):
    counts = []
    for answer in answers:
        for entry in counts:
            if type(entry[0]) is type(answer) and entry[0] == answer:
                entry[1] += 1
                break
        else:
            counts.append([answer, 1])
    return counts


if __name__ == "__main__":
    print(len(tally([number * 31 % 400 for number in range(4000)])))
    print(tally([number % 3 for number in range(300)]))
