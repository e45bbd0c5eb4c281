"""Trial division up to the square root: the same hits, the same order, the same answers for small and odd numbers."""

from collections.abc import Callable

import pytest

from afterburner.agent.rules.patterns.trial_division import TrialDivision

Apply = Callable[..., str | None]
Agree = Callable[..., None]

NUMBERS = [(number,) for number in range(-5, 130)]

LEFT_AT_FIRST_HIT = {
    "return": "def f(n):\n    if n < 2:\n        return False\n    for d in range(2, n):\n"
    "        if n % d == 0:\n            return False\n    return True\n",
    "smallest": "def f(n):\n    for d in range(2, n // 2 + 1):\n        if not n % d:\n"
    "            return d\n    return n\n",
    "break with else": "def f(n):\n    for k in range(2, n - 1):\n        if n % k == 0:\n            x = k\n"
    "            break\n    else:\n        x = 0\n    return x\n",
    "odd only": "def f(n):\n    if n % 2 == 0:\n        return n == 2\n    for d in range(3, n, 2):\n"
    "        if n % d == 0:\n            return False\n    return n > 1\n",
    "while": "def f(n):\n    d = 2\n    while d < n:\n        if n % d == 0:\n"
    "            return False\n        d += 1\n"
    "    return n > 1\n",
}
ALL_DIVISORS = {
    "count": "def f(n):\n    count = 0\n    for d in range(1, n + 1):\n"
    "        if n % d == 0:\n            count += 1\n"
    "    return count\n",
    "collect": "def f(n):\n    found = []\n    for d in range(1, n):\n        if n % d == 0:\n"
    "            found.append(d)\n    return found\n",
    "sum": "def f(n):\n    return sum(d for d in range(1, n // 2 + 1) if n % d == 0)\n",
    "filtered": "def f(n):\n    return [d * 2 for d in range(2, n + 1) if n % d == 0 if d % 3]\n",
}
LEFT_ALONE = {
    "divisor used afterwards": "def f(n):\n    for d in range(2, n):\n        if n % d == 0:\n            break\n"
    "    return d\n",
    "another bound": "def f(n, k):\n    for d in range(2, k):\n        if n % d == 0:\n"
    "            return d\n    return 0\n",
    "half without one": "def f(n):\n    for d in range(2, n // 2):\n        if n % d == 0:\n            return d\n"
    "    return 0\n",
    "odd steps of any number": "def f(n):\n    for d in range(3, n, 2):\n        if n % d == 0:\n"
    "            return d\n"
    "    return 0\n",
    "a hit that goes on": "def f(n):\n    for d in range(2, n):\n        if n % d == 0:\n            if d % 2 == 0:\n"
    "                continue\n            return d\n    return 0\n",
    "a number that was odd": "def f(n):\n    if n % 2 == 0:\n        return 2\n    n = n + 1\n"
    "    for d in range(3, n, 2):\n        if n % d == 0:\n            return d\n    return 0\n",
    "number changes": "def f(n):\n    c = 0\n    for d in range(1, n + 1):\n        if n % d == 0:\n"
    "            n -= 1\n"
    "            c += 1\n    return c\n",
    "more in the loop": "def f(n):\n    c = 0\n    for d in range(1, n + 1):\n        c += d\n"
    "        if n % d == 0:\n"
    "            c += 1\n    return c\n",
}


@pytest.mark.parametrize("before", [*LEFT_AT_FIRST_HIT.values(), *ALL_DIVISORS.values()])
def test_the_answers_stay(before: str, apply: Apply, agree: Agree) -> None:
    after = apply(TrialDivision(), before, "f")
    agree(before, after, "f", [*NUMBERS, (True,), (7.0,)])


@pytest.mark.parametrize("before", [*LEFT_AT_FIRST_HIT.values(), *ALL_DIVISORS.values()])
def test_far_fewer_divisors_are_tried(before: str, apply: Apply) -> None:
    after = apply(TrialDivision(), before, "f")
    assert after is not None
    assert "isqrt" in after or "d * d <= n" in after


@pytest.mark.parametrize("before", LEFT_ALONE.values(), ids=LEFT_ALONE.keys())
def test_what_would_change_is_left_alone(before: str, apply: Apply) -> None:
    assert apply(TrialDivision(), before, "f") is None
