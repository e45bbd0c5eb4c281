"""Works out in which order the packages of the distribution are built."""

import random
from collections.abc import Iterable


class DependencyCycle(Exception):
    """Packages that require each other; `chain` is the way round, its first package again at its end."""

    def __init__(self, chain: list[str]):
        super().__init__(" -> ".join(chain))
        self.chain = chain


def build_order(requires: dict[str, list[str]], wanted: Iterable[str]) -> list[str]:
    """List the wanted packages and all that they require, each one after its requirements.

    Requirements are built in the order in which the recipes name them, as the build farm's logs are compared by line.
    Raises DependencyCycle with the first way round that is met, and KeyError for a package without a recipe.
    """
    order: list[str] = []

    def visit(name: str, chain: list[str]) -> None:
        if name in chain:
            raise DependencyCycle(chain[chain.index(name):] + [name])
        if name in order:
            return
        for requirement in requires[name]:
            visit(requirement, chain + [name])
        order.append(name)

    for name in wanted:
        visit(name, [])
    return order


def make_recipes(rng: random.Random, count: int, fan: int) -> dict[str, list[str]]:
    recipes: dict[str, list[str]] = {}
    for number in range(count):
        lowest = max(0, number - 400)
        recipes[f"lib{number:04}"] = [f"lib{rng.randrange(lowest, number):04}" for _ in range(min(fan, number))]
    return recipes


if __name__ == "__main__":
    rng = random.Random(3)
    for count, fan in ((2300, 4), (2900, 3), (2000, 6), (3400, 3), (2500, 5)):
        recipes = make_recipes(rng, count, fan)
        wanted = [f"lib{number:04}" for number in range(count - 40, count)]
        order = build_order(recipes, wanted)
        place = {name: number for number, name in enumerate(order)}
        sound = all(place[needed] < place[name] for name in order for needed in recipes[name])
        print(count, len(order), order[0], "sound" if sound else "UNSOUND")
