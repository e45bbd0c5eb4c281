"""Which lines two texts share, in a time that grows with their length and not with the square of it.

What `difflib` finds is taken where it is cheap, as it is for what people write. A hostile text has many equal lines,
which `difflib` compares each with each. There the lines that occur once in both texts are paired first ("patience
diff"), then what lies between them; where no line is the only one of its kind, the first is paired with the first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

_STEPS_PER_LINE = 1_000  # that `difflib` may take at worst
_MOST_LEVELS = 8  # of stretches between lines that occur once, within such stretches


@dataclass(frozen=True, slots=True)
class Change:
    """The lines from `old_start` to `old_end` become those from `new_start` to `new_end`; indices from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A part of both texts that is still to be compared."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    level: int = 0


def matching_pairs(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pair equal lines, as indices from 0: in both texts each pair stands behind the one before."""
    pairs: list[tuple[int, int]] = []
    waiting = [_Stretch(0, len(old), 0, len(new))]
    while waiting:
        stretch = waiting.pop()
        if _is_cheap(old, new, stretch):
            pairs += _by_difflib(old, new, stretch)
            continue
        ends, inner = _common_ends(old, new, stretch)
        pairs += ends
        if _is_cheap(old, new, inner):
            pairs += _by_difflib(old, new, inner)
            continue
        anchors = _anchors(old, new, inner) if inner.level < _MOST_LEVELS else []
        pairs += anchors or _in_turn(old, new, inner)
        waiting += _between(anchors, inner) if anchors else []
    return sorted(pairs)


def changes(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Change]:
    """What turns one text into the other, in order and as few places as there are."""
    found: list[Change] = []
    old_at = new_at = 0
    for first, second in [*matching_pairs(old, new), (len(old), len(new))]:
        if first > old_at or second > new_at:
            found.append(Change(old_at, first, new_at, second))
        old_at, new_at = first + 1, second + 1
    return found


def _is_cheap(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch) -> bool:
    """Whether `difflib` takes few steps whatever it meets: so many for each pair of equal lines, again and again."""
    before = Counter(old[stretch.old_start : stretch.old_end])
    after = Counter(new[stretch.new_start : stretch.new_end])
    equal = sum(number * after[line] for line, number in before.items())
    shorter, longer = sorted((before.total(), after.total()))
    return equal * shorter <= _STEPS_PER_LINE * (shorter + longer)


def _by_difflib(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch) -> Iterator[tuple[int, int]]:
    before, after = old[stretch.old_start : stretch.old_end], new[stretch.new_start : stretch.new_end]
    for first, second, size in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks():
        for offset in range(size):
            yield stretch.old_start + first + offset, stretch.new_start + second + offset


def _common_ends(
    old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch
) -> tuple[list[tuple[int, int]], _Stretch]:
    """The pairs with which a stretch begins and ends, and what is left between them."""
    start, second_start, end, second_end = stretch.old_start, stretch.new_start, stretch.old_end, stretch.new_end
    pairs = []
    while start < end and second_start < second_end and old[start] == new[second_start]:
        pairs.append((start, second_start))
        start, second_start = start + 1, second_start + 1
    while start < end and second_start < second_end and old[end - 1] == new[second_end - 1]:
        end, second_end = end - 1, second_end - 1
        pairs.append((end, second_end))
    return pairs, _Stretch(start, end, second_start, second_end, stretch.level)


def _anchors(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch) -> list[tuple[int, int]]:
    """The lines that occur once on each side, as many of them as stand in the same order."""
    before = _places(old, stretch.old_start, stretch.old_end)
    after = _places(new, stretch.new_start, stretch.new_end)
    return _ascending(
        [(places[0], after[line][0]) for line, places in before.items() if len(places) == len(after.get(line, ())) == 1]
    )


def _in_turn(old: Sequence[Hashable], new: Sequence[Hashable], stretch: _Stretch) -> list[tuple[int, int]]:
    """The first of equal lines on one side with the first on the other, the second with the second, and so on."""
    before = _places(old, stretch.old_start, stretch.old_end)
    after = _places(new, stretch.new_start, stretch.new_end)
    return _ascending(
        sorted(pair for line, places in before.items() for pair in zip(places, after.get(line, ()), strict=False))
    )


def _places(lines: Sequence[Hashable], start: int, end: int) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for index in range(start, end):
        found[lines[index]].append(index)
    return found


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of the pairs, which ascend in their first place, that ascends in the second, too."""
    ends: list[int] = []  # of the best chain of each length, the second place
    last: list[int] = []  # likewise, the index of its last pair
    before: list[int] = []  # of each pair, the one before it in its chain
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
    chain = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _between(anchors: Sequence[tuple[int, int]], stretch: _Stretch) -> Iterator[_Stretch]:
    """What lies before, between and behind pairs of a stretch."""
    old_at, new_at = stretch.old_start, stretch.new_start
    for first, second in [*anchors, (stretch.old_end, stretch.new_end)]:
        if first > old_at and second > new_at:
            yield _Stretch(old_at, first, new_at, second, stretch.level + 1)
        old_at, new_at = first + 1, second + 1
