"""Draws values of a shape with Hypothesis, and builds large ones from pools of such values."""

import collections
import math
import random
import string
from typing import NamedTuple

from abh_hints import CONTAINERS

POOL = 40
SMALL_CONTAINER = 6
INNER_SIZE = 4  # of containers in containers
SMALL_NUMBER = (-2, 40)  # top-level integers are often sizes: a huge one would only hang
WORD = 6


class Variant(NamedTuple):
    """How the parts of a large input relate to its size.

    `number` says what top-level integers are: `size`, `few` or `share`. `square`: containers in containers grow, too.
    """

    number: str
    square: bool
    numbers_only: bool


def variants_of(shapes):
    """The variants that make a difference for these parameters."""
    wanted = [shape for shape, _, optional in shapes.values() if not optional]
    has_number = any(_plain(shape)[0] == "int" for shape in wanted)
    has_container = any(_grows(shape) for shape in wanted)
    nested = any(_plain(shape)[0] in CONTAINERS and _plain(_plain(shape)[1])[0] in CONTAINERS for shape in wanted)
    if not has_number and not has_container:
        return []
    numbers = ["size", "few", "share"] if has_number and has_container else ["size"]
    return [
        Variant(number, square, not has_container)
        for square in ((False, True) if nested else (False,))
        for number in numbers
    ]


class Grower:
    """Makes the arguments of one function. `shapes` are those of `abh_hints.parameter_shapes`."""

    def __init__(self, shapes, seed):
        self._shapes, self._seed = shapes, seed
        self._pools = {}

    def draw(self, count):
        """Up to `count` small (args, kwargs) as Hypothesis draws them."""
        from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

        names = list(self._shapes)
        parts = []
        for shape, _, optional in self._shapes.values():
            strategy = self._top_strategy(shape)
            parts.append(st.one_of(st.just(_LEFT_OUT), strategy) if optional else strategy)
        drawn = self._examples(st.tuples(*parts), count)
        return [self._arguments(dict(zip(names, values))) for values in drawn]

    def build(self, variant, size, index):
        """One large (args, kwargs). The same variant, size, index and seed give the same values."""
        rng = random.Random("%d %s %d %d" % (self._seed, variant, size, index))  # noqa: S311 - no secret
        values = {}
        for name, (shape, _, optional) in self._shapes.items():
            values[name] = _LEFT_OUT if optional else self._top(shape, variant, size, rng)
        return self._arguments(values)

    def _arguments(self, values):
        args, kwargs, gap = [], {}, False
        for name, value in values.items():
            if value is _LEFT_OUT:
                gap = True
            elif gap or self._shapes[name][1]:
                kwargs[name] = value
            else:
                args.append(value)
        return args, kwargs

    def _top(self, shape, variant, size, rng):
        shape = _plain(shape)
        if shape[0] == "int":
            return {"size": size, "few": 3, "share": max(size // 4, 1)}[variant.number]
        inner = INNER_SIZE
        if variant.square:
            size = inner = max(int(size**0.5), 2)
        return self._value(shape, size, inner, rng, size)

    def _value(self, shape, size, inner, rng, spread):
        """A value whose containers hold `size` elements; containers in them hold `inner`."""
        shape = _plain(shape)
        kind = shape[0]
        if kind in CONTAINERS:
            items = [self._value(shape[1], inner, INNER_SIZE, rng, spread) for _ in range(size)]
            return _BUILDERS[kind](items)
        if kind == "dict":
            keys = [self._value(shape[1], inner, INNER_SIZE, rng, spread) for _ in range(size)]
            return {key: self._value(shape[2], inner, INNER_SIZE, rng, spread) for key in keys}
        if kind == "fixed":
            return tuple(self._value(part, inner, INNER_SIZE, rng, spread) for part in shape[1])
        if kind == "record":
            parts = {name: self._value(part, size, inner, rng, spread) for name, part in shape[2].items()}
            return shape[1](**parts)
        if kind in ("str", "bytes"):
            text = self._text(size, rng, spread)
            return text if kind == "str" else text.encode()
        return self._leaf(shape, rng, spread)

    def _text(self, size, rng, spread):
        """A word, or for a large size a text of that many characters made of words."""
        if size <= INNER_SIZE:
            pool = self._pool(("str",))
            return rng.choice(pool) if rng.random() < 0.3 else "w%d" % rng.randrange(max(spread, 2))
        alphabet = string.ascii_lowercase
        words = ["".join(rng.choices(alphabet, k=rng.randint(1, WORD))) for _ in range(min(size, 500))]
        parts, length = [], 0
        while length < size:
            word = rng.choice(words)
            parts.append(word)
            length += len(word) + 1
        return " ".join(parts)[:size]

    def _leaf(self, shape, rng, spread):
        kind = shape[0]
        if kind == "constant":
            return shape[1]
        if kind == "int" and rng.random() < 0.7:
            return rng.randrange(max(2 * spread, 2))
        if kind == "float" and rng.random() < 0.7:
            return round(rng.uniform(-spread, spread), 3)
        pool = self._pool(shape)
        if kind == "float":
            pool = [number for number in pool if math.isfinite(number) and abs(number) < 1e12] or [0.5]
        return rng.choice(pool)

    def _pool(self, shape):
        key = repr(shape)
        if key not in self._pools:
            self._pools[key] = self._examples(_strategy(shape), POOL)
        return self._pools[key]

    def _top_strategy(self, shape):
        from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

        return st.integers(*SMALL_NUMBER) if shape[0] == "int" else _strategy(shape)

    def _examples(self, strategy, count):
        """What Hypothesis draws for our seed; without its database, so that nothing of earlier runs comes in."""
        from hypothesis import HealthCheck, Phase, given, seed, settings  # noqa: PLC0415 - only this job needs it

        drawn = []

        @seed(self._seed)
        @settings(
            database=None,
            deadline=None,
            max_examples=count,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(strategy)
        def collect(value):
            drawn.append(value)

        collect()
        return drawn


_LEFT_OUT = object()
_BUILDERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset, "deque": collections.deque}


def _strategy(shape):
    from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

    kind = shape[0]
    if kind == "constant":
        return st.just(shape[1])
    if kind in CONTAINERS:
        items = _strategy(shape[1])
        if kind in ("set", "frozenset"):
            return st.frozensets(items, max_size=SMALL_CONTAINER).map(_BUILDERS[kind])
        return st.lists(items, max_size=SMALL_CONTAINER).map(_BUILDERS[kind])
    if kind == "dict":
        return st.dictionaries(_strategy(shape[1]), _strategy(shape[2]), max_size=SMALL_CONTAINER)
    if kind == "fixed":
        return st.tuples(*map(_strategy, shape[1]))
    if kind == "union":
        return st.one_of(*map(_strategy, shape[1]))
    if kind == "record":
        return st.builds(shape[1], **{name: _strategy(part) for name, part in shape[2].items()})
    plain = {"int": int, "float": float, "str": str, "bytes": bytes, "bool": bool}
    return st.from_type(plain[kind] if kind in plain else shape[1])


def _plain(shape):
    """For a union, its first part that can grow, else its first that is more than None."""
    if shape[0] != "union":
        return shape
    parts = [_plain(part) for part in shape[1] if part != ("leaf", type(None))]
    return next((part for part in parts if _grows(part)), parts[0])


def _grows(shape):
    shape = _plain(shape)
    if shape[0] == "record":
        return any(_grows(part) for part in shape[2].values())
    return shape[0] in CONTAINERS or shape[0] in ("dict", "str", "bytes")
