def build_order(requires: dict[str, list[str]], wanted: Iterable[str]) -> list[str]:
    """List the wanted packages and all that they require, each one after its requirements.

    Requirements are built in the order in which the recipes name them, as the build farm's logs are compared by line.
    Raises DependencyCycle with the first way round that is met, and KeyError for a package without a recipe.
    """
    done: dict[str, bool] = {}
    chain: list[str] = []

    def visit(name: str) -> None:
        done[name] = False
        chain.append(name)
        for requirement in requires[name]:
            state = done.get(requirement)
            if state is None:
                visit(requirement)
            elif not state:
                raise DependencyCycle(chain[chain.index(requirement):] + [requirement])
        chain.pop()
        # A package moves to the end of the dict when it is finished, so the dict is in build order.
        del done[name]
        done[name] = True

    for name in wanted:
        if name not in done:
            visit(name)
    return list(done)
