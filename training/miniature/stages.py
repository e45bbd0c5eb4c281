"""The stages that problems are made of: each answers one question about a list, in three ways that cost differently.

Every stage can be written so that it is slow and light, heavy, or fast and light; some heavy ways take less time than
the slow one, so that neither is better for every objective. On `NUMBERS` numbers and one core of an AMD EPYC, a slow
way takes 15 to 80 ms of CPU, a heavy one 7 to 60 ms and 6 to 28 MiB, and a fast one less than 2 ms and 1 MiB.

Names and constants are few and the same everywhere. To copy unseen ones is what costs a model of a million parameters
most of its training, and it is not what is studied here. This makes it easier for every method alike.
"""

from __future__ import annotations

from dataclasses import dataclass

NUMBERS = 1_200  # of the input
LARGEST = 4_000  # of them; the smallest is 1

SLOW, HEAVY, FAST = "slow", "heavy", "fast"
WAYS = (SLOW, HEAVY, FAST)


@dataclass(frozen=True, slots=True)
class Stage:
    """A question about the list `a` of `n` numbers, and the ways to print its answer on a line.

    Attributes:
        name: of the stage, a word.
        sentence: of the problem's description.
        slow: code that takes much time and little memory.
        heavy: code that holds much in memory.
        fast: code that does neither.
    """

    name: str
    sentence: str
    slow: str
    heavy: str
    fast: str

    def code(self, way: str) -> str:
        """The code of one of `WAYS`."""
        return {SLOW: self.slow, HEAVY: self.heavy, FAST: self.fast}[way]


STAGES = (
    Stage(
        "distinct",
        "Print how many different numbers there are.",
        slow="b = []\nfor x in a:\n    if all(x != y for y in b):\n        b.append(x)\nprint(len(b))\n",
        heavy="b = [a[:i] for i in range(n)]\nprint(sum(a[i] not in b[i] for i in range(n)))\n",
        fast="print(len(set(a)))\n",
    ),
    Stage(
        "prefix",
        "Print how many of the running totals are divisible by seven.",
        slow="print(sum(sum(a[j] for j in range(i + 1)) % 7 == 0 for i in range(n)))\n",
        heavy="b = [a[:i + 1] for i in range(n)]\nprint(sum(sum(c) % 7 == 0 for c in b))\n",
        fast="t = c = 0\nfor x in a:\n    t += x\n    c += t % 7 == 0\nprint(c)\n",
    ),
    Stage(
        "pairs",
        "Print how many pairs of them add up to four thousand.",
        slow="print(sum(a[i] + x == 4000 for i in range(n) for x in a[:i]))\n",
        heavy="b = [a[i] + x for i in range(n) for x in a[:i]]\nprint(b.count(4000))\n",
        fast="c = {}\nt = 0\nfor x in a:\n    t += c.get(4000 - x, 0)\n    c[x] = c.get(x, 0) + 1\nprint(t)\n",
    ),
    Stage(
        "frequent",
        "Print how often the most frequent number occurs.",
        slow="print(max(sum(x == y for y in a) for x in a))\n",
        heavy="b = [[x == y for y in a] for x in a]\nprint(max(sum(c) for c in b))\n",
        fast="c = {}\nfor x in a:\n    c[x] = c.get(x, 0) + 1\nprint(max(c.values()))\n",
    ),
    Stage(
        "alternate",
        "Print the sum of every second number, beginning with the smallest, in ascending order.",
        slow="b = []\nc = a[:]\nfor i in range(n):\n    b.append(min(c))\n    c.remove(b[i])\nprint(sum(b[::2]))\n",
        heavy="b = [[]]\nfor x in a:\n    b.append(sorted(b[-1] + [x]))\nprint(sum(b[-1][::2]))\n",
        fast="print(sum(sorted(a)[::2]))\n",
    ),
    Stage(
        "suffix",
        "Print the sum, over all places, of the largest number from that place on.",
        slow="print(sum(max(a[j] for j in range(i, n)) for i in range(n)))\n",
        heavy="b = [a[i:] for i in range(n)]\nprint(sum(max(c) for c in b))\n",
        fast="t = m = 0\nfor x in a[::-1]:\n    m = max(m, x)\n    t += m\nprint(t)\n",
    ),
    Stage(
        "squares",
        "Print the sum of the squares of all numbers below five hundred times their count.",
        slow="print(sum(i * i for i in range(500 * n)))\n",
        heavy="b = [i * i for i in range(500 * n)]\nprint(sum(b))\n",
        fast="m = 500 * n - 1\nprint(m * (m + 1) * (2 * m + 1) // 6)\n",
    ),
    Stage(
        "missing",
        "Print how many of the numbers from one to four thousand are missing.",
        slow="print(sum(i not in a for i in range(1, 4001)))\n",
        heavy="b = [0] * 2000000\nfor x in a:\n    b[x] = 1\nprint(4000 - sum(b))\n",
        fast="print(4000 - len(set(a)))\n",
    ),
    Stage(
        "gap",
        "Print the largest gap between two neighbours in ascending order.",
        slow="print(max(min([y for y in a if y > x] or [x]) - x for x in a))\n",
        heavy="b = [[y for y in a if y > x] or [x] for x in a]\nprint(max(min(b[i]) - a[i] for i in range(n)))\n",
        fast="b = sorted(a)\nprint(max(b[i + 1] - b[i] for i in range(n - 1)))\n",
    ),
    Stage(
        "inverted",
        "Print how many pairs stand in descending order.",
        slow="print(sum(x > a[i] for i in range(n) for x in a[:i]))\n",
        heavy="b = [x > a[i] for i in range(n) for x in a[:i]]\nprint(sum(b))\n",
        fast="from bisect import bisect, insort\nb = []\nt = 0\nfor x in a:\n    t += len(b) - bisect(b, x)\n"
        "    insort(b, x)\nprint(t)\n",
    ),
)
