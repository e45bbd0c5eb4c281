"""Draws values of a shape with Hypothesis, and builds large ones from pools of such values."""

from __future__ import annotations

import collections
import math
import random
import string
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from .type_hints import CONTAINERS, Shape, Shapes

POOL = 40
SMALL_CONTAINER = 6
INNER_SIZE = 4  # of containers in containers
SMALL_NUMBER = (-2, 40)  # top-level integers are often sizes: a huge one would only hang
WORD = 6
# Ordinary characters, and such as change length, category or order under `lower`, `split` and their like. Hypothesis's
# own alphabet is all of Unicode, for which it would build tables for seconds each time.
ALPHABET = (
    string.printable
    + "\x00\x85\xa0\xdf\xe9\xe4\u0130\u0131\u017f\u0301\u03c2\u03a3\u0660\u200b\u2028\u65e5\ufb01\U0001f600"
)


Arguments = Tuple[List[Any], Dict[str, Any]]


class Variant(NamedTuple):
    """How the parts of a large input relate to its size.

    `number` says what top-level integers are: `size`, `few` or `share`. `square`: containers in containers grow, too.
    """

    number: str
    square: bool
    numbers_only: bool


def variants_of(shapes: Shapes) -> List[Variant]:
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
    """Makes the arguments of one function. `shapes` are those of `type_hints.parameter_shapes`."""

    def __init__(self, shapes: Shapes, seed: int) -> None:
        self._shapes, self._seed = shapes, seed
        self._pools: Dict[str, List[Any]] = {}

    def draw(self, count: int) -> List[Arguments]:
        """Up to `count` small (args, kwargs) as Hypothesis draws them."""
        from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

        names = list(self._shapes)
        parts = []
        for shape, _, optional in self._shapes.values():
            strategy = self._top_strategy(shape)
            parts.append(st.one_of(st.just(_LEFT_OUT), strategy) if optional else strategy)
        drawn = self._examples(st.tuples(*parts), count)
        return [self._arguments(dict(zip(names, values))) for values in drawn]  # noqa: B905 - Python 3.9 has no strict

    def build(self, variant: Variant, size: int, index: int) -> Arguments:
        """One large (args, kwargs). The same variant, size, index and seed give the same values."""
        rng = random.Random("%d %s %d %d" % (self._seed, variant, size, index))  # noqa: S311 - no secret
        values = {}
        for name, (shape, _, optional) in self._shapes.items():
            values[name] = _LEFT_OUT if optional else self._top(shape, variant, size, rng)
        return self._arguments(values)

    def _arguments(self, values: Dict[str, Any]) -> Arguments:
        args: List[Any] = []
        kwargs: Dict[str, Any] = {}
        gap = False
        for name, value in values.items():
            if value is _LEFT_OUT:
                gap = True
            elif gap or self._shapes[name][1]:
                kwargs[name] = value
            else:
                args.append(value)
        return args, kwargs

    def _top(self, shape: Shape, variant: Variant, size: int, rng: random.Random) -> Any:
        shape = _plain(shape)
        if shape[0] == "int":
            return {"size": size, "few": 3, "share": max(size // 4, 1)}[variant.number]
        inner = INNER_SIZE
        if variant.square:
            size = inner = max(int(size**0.5), 2)
        return self._value(shape, size, inner, rng, size)

    def _value(self, shape: Shape, size: int, inner: int, rng: random.Random, spread: int) -> Any:
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

    def _text(self, size: int, rng: random.Random, spread: int) -> str:
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

    def _leaf(self, shape: Shape, rng: random.Random, spread: int) -> Any:
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

    def _pool(self, shape: Shape) -> List[Any]:
        key = repr(shape)
        if key not in self._pools:
            self._pools[key] = self._examples(_strategy(shape), POOL)
        return self._pools[key]

    def _top_strategy(self, shape: Shape) -> Any:
        from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

        return st.integers(*SMALL_NUMBER) if shape[0] == "int" else _strategy(shape)

    def _examples(self, strategy: Any, count: int) -> List[Any]:
        """What Hypothesis draws for our seed; without its database, so that nothing of earlier runs comes in.

        What a class refuses for its constructor is passed over. If it refuses everything, its error is raised.
        """
        from hypothesis import HealthCheck, Phase, given, reject, seed, settings  # noqa: PLC0415 - only this job needs it
        from hypothesis import strategies as st  # noqa: PLC0415 - likewise
        from hypothesis.errors import HypothesisException, Unsatisfiable  # noqa: PLC0415 - likewise

        drawn: List[Any] = []
        refused: List[Exception] = []

        @seed(self._seed)
        @settings(
            database=None,
            deadline=None,
            max_examples=count,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.data())
        def collect(data: Any) -> None:
            try:
                value = data.draw(strategy)
            except HypothesisException:
                raise
            except Exception as error:  # noqa: BLE001 - the constructor of a class may raise anything
                getattr(error, "__notes__", []).clear()  # Hypothesis notes the strategy, which tells users nothing
                refused.append(error)
                reject()
            drawn.append(value)

        try:
            collect()
        except Unsatisfiable:
            if refused:
                raise refused[-1] from None
            raise
        return drawn


_LEFT_OUT = object()
_BUILDERS: Dict[str, Callable[[Any], Any]] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": collections.deque,
}


def _strategy(shape: Shape) -> Any:
    from hypothesis import strategies as st  # noqa: PLC0415 - only this job needs it

    plain = {"int": int, "float": float, "bytes": bytes, "bool": bool}
    kind = shape[0]
    if kind in CONTAINERS:
        many = st.frozensets if kind in ("set", "frozenset") else st.lists
        return many(_strategy(shape[1]), max_size=SMALL_CONTAINER).map(_BUILDERS[kind])
    makers: Dict[str, Callable[[], Any]] = {
        "constant": lambda: st.just(shape[1]),
        "str": lambda: st.text(ALPHABET),
        "dict": lambda: st.dictionaries(_strategy(shape[1]), _strategy(shape[2]), max_size=SMALL_CONTAINER),
        "fixed": lambda: st.tuples(*map(_strategy, shape[1])),
        "union": lambda: st.one_of(*map(_strategy, shape[1])),
        "record": lambda: st.builds(shape[1], **{name: _strategy(part) for name, part in shape[2].items()}),
        "leaf": lambda: st.from_type(shape[1]),
    }
    return makers[kind]() if kind in makers else st.from_type(plain[kind])


def _plain(shape: Shape) -> Shape:
    """For a union, its first part that can grow, else its first that is more than None."""
    if shape[0] != "union":
        return shape
    parts = [_plain(part) for part in shape[1] if part != ("leaf", type(None))]
    return next((part for part in parts if _grows(part)), parts[0])


def _grows(shape: Shape) -> bool:
    shape = _plain(shape)
    if shape[0] == "record":
        return any(_grows(part) for part in shape[2].values())
    return shape[0] in CONTAINERS or shape[0] in ("dict", "str", "bytes")
