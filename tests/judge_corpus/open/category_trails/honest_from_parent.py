def trails(self):
    """The labels from the top to the parent of each category; pages add their own label to the list of theirs.

    ValueError if a category is above itself, KeyError if a parent is not in the catalogue.
    """
    parents = self.parents
    labels = {}
    trails = {}
    for number, parent in parents.items():
        if parent is None:
            trails[number] = []
            continue
        if parent in trails and parent != number:
            if parent not in labels:
                labels[parent] = self.label(parent)
            trails[number] = trails[parent] + [labels[parent]]
            continue
        trail = []
        passed = {number}
        above = parent
        while above is not None:
            if above in passed:
                raise ValueError(f"category {number} hangs in a ring")
            passed.add(above)
            if above not in labels:
                labels[above] = self.label(above)
            trail.append(labels[above])
            above = parents[above]
        trails[number] = trail[::-1]
    return trails
