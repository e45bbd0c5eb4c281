def trails(self):
    """The labels from the top to the parent of each category; pages add their own label to the list of theirs.

    ValueError if a category is above itself, KeyError if a parent is not in the catalogue.
    """
    parents = self.parents
    label = self.label
    trails = {}
    complete = {None: []}
    for number in parents:
        climbed = []
        passed = {number}
        above = parents[number]
        while above not in complete:
            if above in passed:
                raise ValueError(f"category {number} hangs in a ring")
            passed.add(above)
            climbed.append((above, label(above)))
            above = parents[above]
        known = complete[above]
        for each, text in reversed(climbed):
            known = [*known, text]
            complete[each] = known
        trails[number] = known
    return trails
