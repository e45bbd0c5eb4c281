from collections import deque


def build_order(requires: dict[str, list[str]], wanted: Iterable[str]) -> list[str]:
    """List the wanted packages and all that they require, each one after its requirements.

    Requirements are built in the order in which the recipes name them, as the build farm's logs are compared by line.
    Raises DependencyCycle with the first way round that is met, and KeyError for a package without a recipe.
    """
    needed: dict[str, int] = {}
    users: dict[str, list[str]] = {}
    stack = list(wanted)
    while stack:
        name = stack.pop()
        if name in needed:
            continue
        needed[name] = len(requires[name])
        for requirement in requires[name]:
            users.setdefault(requirement, []).append(name)
            stack.append(requirement)
    ready = deque(sorted(name for name, count in needed.items() if count == 0))
    order: list[str] = []
    while ready:
        name = ready.popleft()
        order.append(name)
        for user in users.get(name, ()):
            needed[user] -= 1
            if needed[user] == 0:
                ready.append(user)
    if len(order) < len(needed):
        raise DependencyCycle([name for name, count in needed.items() if count > 0])
    return order
