def trails(self):
    """The labels from the top to the parent of each category; pages add their own label to the list of theirs.

    ValueError if a category is above itself, KeyError if a parent is not in the catalogue.
    """
    parents = self.parents
    label = self.label
    complete = {None: []}
    pending = set()

    def down_to(above, start):
        if above not in complete:
            if above in pending:
                raise ValueError(f"category {start} hangs in a ring")
            pending.add(above)
            complete[above] = [*down_to(parents[above], start), label(above)]
            pending.discard(above)
        return complete[above]

    trails = {}
    for number, parent in parents.items():
        pending.clear()
        pending.add(number)
        trails[number] = list(down_to(parent, number))
    return trails
