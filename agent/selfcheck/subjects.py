"""Functions to try the judgement on: the same work in other words, and work that is slowed down exactly.

A function does its work over again in rounds, so that its time is chosen by a number and its outcome does not depend on
it: with 110 rounds in place of 100 the original is slower by 10%, and nothing else.
"""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from string import Template

FUNCTION = "work"
MODULE = "subject"
SHORT_S = 2e-4  # calls below it get small arguments, so that their time can still be chosen by the number of rounds
_SIZES = {True: 6, False: 120}  # elements of an argument, of short calls and of others
_MOST_CALLS, _FEWEST_CALLS = 40, 4
_CALLS_S = 0.4  # of CPU time, of all calls together


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of work. Names with a `$` are its variables, which a disguise may call otherwise."""

    name: str
    parameter: str
    starts: tuple[str, str]  # two statements that do not depend on each other
    steps: tuple[tuple[int, str], ...]  # the rest of a round: depth of indentation, statement
    result: str
    element: str  # an expression that makes one element of an argument with the help of `chance`
    argument: str = "{elements}"  # what is made of the list of elements


SHAPES = (
    Shape(
        "numbers",
        "$values",
        ("$total = 0", "$factor = 31"),
        ((0, "for $value in $values:"), (1, "$total = ($total * $factor + $value) % 1000003")),
        "$total",
        "chance.randrange(10_000)",
    ),
    Shape(
        "words",
        "$text",
        ("$counts = {}", "$longest = ''"),
        (
            (0, "for $word in $text.split():"),
            (1, "$counts[$word] = $counts.get($word, 0) + 1"),
            (1, "if len($word) > len($longest):"),
            (2, "$longest = $word"),
        ),
        "($longest, $counts)",
        "'w' * chance.randrange(1, 9) + str(chance.randrange(40))",
        "' '.join({elements})",
    ),
    Shape(
        "rows",
        "$pairs",
        ("$rows = []", "$known = set()"),
        (
            (0, "for $key, $amount in $pairs:"),
            (1, "if $key not in $known:"),
            (2, "$known.add($key)"),
            (2, "$rows.append(($amount % 7, $key))"),
            (0, "$rows.sort()"),
        ),
        "$rows",
        "(chance.randrange(200), chance.randrange(10_000))",
    ),
)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a text is written; none of it changes what the function does."""

    prefix: str = ""  # before the name of each variable
    swapped: bool = False  # the independent statements in the other order
    indent: int = 4
    airy: bool = False  # empty lines and comments in between


# Six, for "best of six". The first is the original's own: identical to the byte. The others differ in what no judgement
# may see a gain in.
DISGUISES = (
    Layout(),
    Layout(prefix="the_"),
    Layout(swapped=True),
    Layout(indent=2, airy=True),
    Layout(prefix="z", swapped=True),
    Layout(prefix="my_own_", indent=8, airy=True),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A function whose call takes about `call_s` of CPU time with so many rounds."""

    name: str
    shape: Shape
    call_s: float
    rounds: int

    @property
    def calls(self) -> int:
        """How many distinct calls there are of it."""
        return max(_FEWEST_CALLS, min(_MOST_CALLS, int(_CALLS_S / self.call_s)))

    def source(self, layout: Layout = DISGUISES[0], slower: float = 1.0) -> str:
        """The text of its file; with `slower` 1.1 it does 10% more work for the same outcome."""
        return render(self.shape, round(self.rounds * slower), layout)

    def calls_source(self, seed: int) -> str:
        """The text of a file that calls it, each time with another argument."""
        size = size_of(self.call_s)
        elements = f"[{self.shape.element} for _ in range({size})]"
        return (
            f"import random\n\nfrom {MODULE} import {FUNCTION}\n\nchance = random.Random({seed})\n"
            f"for _ in range({self.calls}):\n    {FUNCTION}({self.shape.argument.format(elements=elements)})\n"
        )


def render(shape: Shape, rounds: int, layout: Layout) -> str:
    """The text of a file with the function in it."""
    starts = shape.starts[::-1] if layout.swapped else shape.starts
    lines = [
        (0, f"def {FUNCTION}({shape.parameter}):"),
        *((1, start) for start in starts),
        (1, f"for $turn in range({rounds}):"),
        *((2, start) for start in starts),
        *((2 + depth, step) for depth, step in shape.steps),
        (1, f"return {shape.result}"),
    ]
    text = "".join(_line(depth, line, layout) for depth, line in lines)
    return Template(text).substitute(_Names(layout.prefix))


def size_of(call_s: float) -> int:
    """How many elements an argument has."""
    return _SIZES[call_s < SHORT_S]


def _line(depth: int, text: str, layout: Layout) -> str:
    margin = " " * (depth * layout.indent)
    comment = f"\n{margin}# then\n" if layout.airy and depth else ""
    return f"{comment}{margin}{text}\n"


class _Names(dict[str, str]):
    """What each variable is called."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, name: str) -> str:
        called = self._prefix + name
        assert not keyword.iskeyword(called)  # noqa: S101 - a mistake in the tables above
        return called
