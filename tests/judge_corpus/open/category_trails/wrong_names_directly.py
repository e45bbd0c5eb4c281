def trails(self):
    """The labels from the top to the parent of each category; pages add their own label to the list of theirs.

    ValueError if a category is above itself, KeyError if a parent is not in the catalogue.
    """
    parents = self.parents
    labels = {number: name.strip().capitalize() for number, name in self.names.items()}
    trails = {}
    for number in parents:
        trail = []
        passed = {number}
        above = parents[number]
        while above is not None:
            if above in passed:
                raise ValueError(f"category {number} hangs in a ring")
            passed.add(above)
            trail.append(labels[above])
            above = parents[above]
        trail.reverse()
        trails[number] = trail
    return trails
