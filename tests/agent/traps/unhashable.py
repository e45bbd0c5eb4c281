"""Elements may be lists: a set of what was seen raises TypeError where the original worked."""


def first_of_each(rows):
    seen = []
    kept = []
    for row in rows:
        if row[0] not in seen:
            seen.append(row[0])
            kept.append(row)
    return kept


if __name__ == "__main__":
    plain = [(number % 150, number) for number in range(900)]
    nested = [([number % 5], number) for number in range(40)]
    print(len(first_of_each(plain)), len(first_of_each(nested)))
