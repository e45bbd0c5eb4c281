def first_of_each(rows):
    seen = set()
    kept = []
    for row in rows:
        if row[0] not in seen:
            seen.add(row[0])
            kept.append(row)
    return kept
