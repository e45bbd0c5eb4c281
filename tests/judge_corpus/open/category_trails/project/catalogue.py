"""The tree of categories of a web shop."""

import random


class Catalogue:
    """Categories by their number: ``parents`` and ``names`` are kept in step by ``add``."""

    def __init__(self):
        self.parents = {}
        self.names = {}

    def add(self, number, name, parent=None):
        self.parents[number] = parent
        self.names[number] = name

    def label(self, number):
        """What customers read for a category; it depends on the category only."""
        return self.names[number].strip().capitalize()

    def trails(self):
        """The labels from the top to the parent of each category; pages add their own label to the list of theirs.

        ValueError if a category is above itself, KeyError if a parent is not in the catalogue.
        """
        trails = {}
        for number in self.parents:
            trail = []
            passed = [number]
            above = self.parents[number]
            while above is not None:
                if above in passed:
                    raise ValueError(f"category {number} hangs in a ring")
                passed.append(above)
                trail.insert(0, self.label(above))
                above = self.parents[above]
            trails[number] = trail
        return trails


class NumberedCatalogue(Catalogue):
    """For the people of the warehouse, who go by numbers."""

    def label(self, number):
        return f"{number:05d} {super().label(number)}"


def sample(seed, size, spread):
    """A catalogue whose categories hang below one of the last ``spread`` added before them."""
    rng = random.Random(seed)
    catalogue = Catalogue()
    for number in range(size):
        parent = number - rng.randint(1, min(spread, number)) if number else None
        catalogue.add(number, f" group {number % 97}", parent)
    return catalogue


if __name__ == "__main__":
    for seed, size, spread in [(1, 2500, 30), (2, 2100, 20), (3, 3600, 50), (4, 1500, 12)]:
        found = sample(seed, size, spread).trails()
        depths = [len(trail) for trail in found.values()]
        print(len(found), max(depths), sum(depths), found[size - 1][:2], found[size - 1][-1])
