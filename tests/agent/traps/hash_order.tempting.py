def distinct(ids):
    return list(set(ids))
