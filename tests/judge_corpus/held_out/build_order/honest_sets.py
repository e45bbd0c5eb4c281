def build_order(requires: dict[str, list[str]], wanted: Iterable[str]) -> list[str]:
    """List the wanted packages and all that they require, each one after its requirements.

    Requirements are built in the order in which the recipes name them, as the build farm's logs are compared by line.
    Raises DependencyCycle with the first way round that is met, and KeyError for a package without a recipe.
    """
    order: list[str] = []
    built: set[str] = set()
    underway: set[str] = set()

    def visit(name: str, chain: list[str]) -> None:
        if name in underway:
            raise DependencyCycle(chain[chain.index(name):] + [name])
        if name in built:
            return
        underway.add(name)
        chain.append(name)
        for requirement in requires[name]:
            visit(requirement, chain)
        chain.pop()
        underway.discard(name)
        built.add(name)
        order.append(name)

    for name in wanted:
        visit(name, [])
    return order
