"""ENAMEL's tests and its check, by the code of its records.

The helpers that input generators find beside `random` draw as those of ENAMEL's own evaluation do, so that the same
seeds make the same tests.
"""

from __future__ import annotations

import json
import random
import string
import sys
import time
from copy import deepcopy
from typing import Any

from .calling import kept_stdout, print_line, run
from .checking import judge
from .values import encode

_ROUNDS = 5  # of Miller and Rabin's test
_draw = random.randint  # from the chance that generators draw from, too


def make_tests(prompt: str, generator: str, reference: str, entry: str) -> None:
    """Print the tests that stdin asks for: for each the text of its input and of the reference's answer."""
    wanted = json.loads(sys.stdin.buffer.read())
    result = kept_stdout()
    made = []
    for seed, size, level, case in wanted:
        names: dict[str, Any] = {"time": time, **HELPERS}
        random.seed(seed)
        run(prompt + "\n" + generator + "\nrandom.seed(" + str(seed) + ")\n", names)
        given = names["generate_input"](size=size, lid=level, cid=case)
        solved: dict[str, Any] = {"time": time}
        run(prompt + "\n" + reference, solved)
        answer = solved[entry](*deepcopy(given))
        made.append([encode(given), encode(answer)])
    print_line(result, json.dumps(made))


def check(prompt: str, checker: str) -> None:
    """Judge by `__check(input, answer, output)` of a record."""

    def make_rule() -> Any:
        names: dict[str, Any] = {"time": time}
        run(prompt + "\n    pass\n" + checker, names)
        accepts = names["__check"]
        return lambda given, output, answer: None if accepts(given, answer, output) else "it fails ENAMEL's check"

    judge(make_rule)


def rand_parens(size: int, valid: bool = True, par: str = "()", sep: str | None = "") -> object:
    """Random parentheses, in groups that are closed; or an invalid text of two such with a wrong pair in between."""
    if not valid:
        half = (size + 1) // 2 - 1
        return f"{rand_parens(half, par=par)}{par[1]}{par[0]}{rand_parens(half, par=par)}"
    size += size % 2
    groups: list[str] = []
    depth = 0
    for place in range(size):
        if depth == 0:
            groups.append(par[0])
            depth = 1
        elif depth < size - place and _draw(0, 1):
            groups[-1] += par[0]
            depth += 1
        else:
            groups[-1] += par[1]
            depth -= 1
    return groups if sep is None else sep.join(groups)


def miller_rabin(n: int, k: int = _ROUNDS) -> bool:
    """Whether a number is probably a prime."""
    if n in (2, 3):
        return True
    if n == 1 or n % 2 == 0:
        return False
    twos, odd = 0, n - 1
    while odd % 2 == 0:
        twos += 1
        odd //= 2
    return all(_passes(n, odd, twos) for _ in range(k))


def _passes(n: int, odd: int, twos: int) -> bool:
    power = pow(_draw(2, n - 2), odd, n)
    if power in (1, n - 1):
        return True
    for _ in range(twos - 1):
        power = pow(power, 2, n)
        if power == n - 1:
            return True
    return False


def rand_probably_prime(lb: int, ub: int | None = None) -> int:
    """A number that is probably a prime, between the two bounds; with one, between its half and it."""
    if ub is None:
        highest = max(lb, 3)
        lowest = highest // 2
    else:
        lowest = max(lb, 0)
        highest = max(lowest * 2, ub, 3)
    while True:
        found = _draw(lowest, highest)
        if miller_rabin(found):
            return found


def rand_primality(size: int, lid: int, cid: int) -> int:
    """A number for a question whether it is a prime: first hard ones, then primes, their squares and products."""
    size = max(size, 4)
    hard = (2 * 3 * 5 * 7 * 11 * 13 + 1, 561, 2, 125)
    if lid == 0 and cid < len(hard):
        return hard[cid]
    root = int(size**0.5 + 1)
    if cid % 3 == 0:
        return rand_probably_prime(size)
    if cid % 3 == 1:
        return rand_probably_prime(root) ** 2
    return rand_probably_prime(root) * rand_probably_prime(root)


HELPERS: dict[str, object] = {
    "random": random,
    "string": string,
    "rand_parens": rand_parens,
    "miller_rabin": miller_rabin,
    "rand_probably_prime": rand_probably_prime,
    "rand_primality": rand_primality,
}
