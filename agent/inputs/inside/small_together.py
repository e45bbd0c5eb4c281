"""Draws several small arguments of a call at once, so that they have to do with one another.

Texts are made of the separators that stand beside them, numbers are about as large as a text or a list is long, and
switches are set both ways. A difference that takes all of it at once shows in no input that varies one argument.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Sequence

from .call_parts import like
from .container_kinds import separate
from .related_values import SCALARS

if TYPE_CHECKING:
    from random import Random

    from .call_parts import Root
    from .input_cases import Knowledge
    from .optional_arguments import Signature

TOGETHER = "small arguments that fit together"
SHORT = 3  # characters of a text that may be a piece of others, such as a separator
MOST_PIECES = 5  # of a text, and elements of a sequence
MOST_KNOWN = 12  # values of one argument, and short texts of the code
LONGEST_WORD = 5
MOSTLY = 0.8
_SEPARATORS = " -_.,:"
_WORDS = ("a", "b", "ab", "abcdef")
_SMALL = (-2, -1, 0, 1, 2, 3)
_NEAR = (-1, 0, 0, 1)
_LONG = (5, 60)  # bytes
_FRACTIONS = (0.0, 0.5, 1.0, -1.0)
_SEQUENCES = (list, tuple)
_VARIED = (str, bytes, int, bool, float, *_SEQUENCES)

Name = Any  # the index or the name of an argument


class _Form(NamedTuple):
    """What one draw starts from: values that may stand in each place, in a list for each type."""

    given: Dict[Name, List[List[Any]]]
    optional: Dict[str, List[List[Any]]]  # may be given, too


def small_together(root: Root, others: Sequence[Root], knowledge: Knowledge, random: Random) -> Iterator[Root]:
    """Calls like this one with new small arguments, without end; none if not two of them can be varied.

    Args:
        root: the call.
        others: what real calls give.
        knowledge: of the function.
        random: what is drawn from.
    """
    args, kwargs = root
    form = _form_of(root, others, knowledge)
    if len(form.given) + len(form.optional) < 2:
        return
    defaults = knowledge.signature.defaults.values()
    short = [text for text in knowledge.constants.samples(str) if 0 < len(text) <= SHORT][:MOST_KNOWN]
    short += [value for value in defaults if type(value) is str and 0 < len(value) <= SHORT]
    while True:
        drawn = _drawn(form, short, random)
        named = {name: value for name, value in drawn.items() if type(name) is str}
        yield [[drawn.get(at, value) for at, value in enumerate(args)], {**kwargs, **named}]


def _form_of(root: Root, others: Sequence[Root], knowledge: Knowledge) -> _Form:
    args, kwargs = root
    signature = knowledge.signature
    names: Dict[Name, str] = dict(enumerate(signature.names[: len(args)]))
    given = {}
    for at, value in (*enumerate(args), *kwargs.items()):
        starts = _starts(names.get(at, at), value, signature) if (str(at),) not in knowledge.fixed else []
        given[at] = [_known_at(at, start, others) for start in starts]
    missing = (each for each in signature.defaults.items() if each[0] not in {*names.values(), *kwargs})
    optional = {name: [[start] for start in _starts(name, value, signature)] for name, value in missing}
    return _Form(*({name: starts for name, starts in each.items() if starts} for each in (given, optional)))


def _starts(name: Name, value: Any, signature: Signature) -> List[Any]:
    """The value itself; for None what the hint allows in its place; nothing where nothing can be varied."""
    return signature.scalars.get(name, []) if value is None else [value] if type(value) in _VARIED else []


def _known_at(name: Name, value: Any, others: Sequence[Root]) -> List[Any]:
    """This value and those of the same type that other calls give in its place."""
    found = [value]
    for args, kwargs in others:
        other = kwargs.get(name) if type(name) is str else args[name] if name < len(args) else None
        if type(other) is type(value) and len(found) < MOST_KNOWN:
            found.append(other)
    return found


def _drawn(form: _Form, pieces: Sequence[str], random: Random) -> Dict[Name, Any]:
    """One new value for each argument: short texts first, then what is made of them, numbers after all lengths."""
    optional = {name: starts for name, starts in form.optional.items() if random.random() < MOSTLY}
    known = {name: random.choice(starts) for name, starts in {**form.given, **optional}.items()}
    drawn: Dict[Name, Any] = {}
    for name, values in known.items():
        if type(values[0]) is str and all(len(value) <= SHORT for value in values):
            drawn[name] = _short_text(values, random)
    shorts = [*filter(None, drawn.values()), *pieces, " "]
    scalars = [values[0] for values in known.values() if type(values[0]) in SCALARS]
    lengths: List[List[int]] = []  # of each text and sequence: of its beginnings and parts
    for name, values in known.items():
        if name not in drawn and type(values[0]) is str:
            parts = _parts_of_text(values, shorts, random)
            drawn[name] = "".join(parts)
            lengths.append([*itertools.accumulate(map(len, parts)), *map(len, parts)])
        elif type(values[0]) in _SEQUENCES:
            drawn[name] = _sequence(values[0], scalars, random)
            lengths.append([len(drawn[name])])
    for name, values in known.items():
        if name not in drawn:
            drawn[name] = _other(values, lengths, random)
    return drawn


def _short_text(known: Sequence[str], random: Random) -> str:
    """A real one, or one or two characters like those in it, which are often the same."""
    one, other = random.sample(sorted({*_SEPARATORS, *"".join(known)}), 2)
    choices: List[str] = [*known[:1], random.choice(known), one, one + other, *(one + one,) * 4, ""]
    return random.choice(choices)


def _parts_of_text(known: Sequence[str], shorts: Sequence[str], random: Random) -> List[str]:
    """Words with something between them: a short text as it is, doubled, or with one of its characters more."""
    words = [*(word[:LONGEST_WORD] for word in random.choice(known)[:100].split()[:3]), *_WORDS]
    between = random.choice((shorts[0], random.choice(shorts)))
    runs = (between, between, between + between, between + between[0], between + between[0], between[-1] + between)
    parts: List[str] = []
    for _ in range(random.randint(0, MOST_PIECES)):
        parts += [random.choice(words)] if random.random() < MOSTLY else []
        parts += [random.choice(runs)] if random.random() < MOSTLY else []
    return parts


def _sequence(known: Any, scalars: Sequence[Any], random: Random) -> Any:
    """A few of its elements, many of them equal; with a scalar beside it among them, where they are of its type."""
    few = list(itertools.islice(known, 3))
    if not few:
        return known
    few += [value for value in scalars if type(value) is type(few[0])][:2]
    return like(known, separate([random.choice(few) for _ in range(random.randint(0, MOST_PIECES))]))


def _other(known: Sequence[Any], lengths: Sequence[Sequence[int]], random: Random) -> Any:
    """A switch set either way, a small number, one that is about the length of something, a real one; some bytes."""
    kind = type(known[0])
    if kind is bool:
        return known[0] is (random.random() < 1 / 3)
    if kind is float:
        return random.choice((*_FRACTIONS, random.choice(known)))
    if kind is bytes:
        return random.choice(known)[: random.choice((0, 1, *_LONG))]
    of_one = random.choice(lengths) if lengths else []
    near = (
        [length + random.choice(_NEAR) for length in (max(of_one), random.choice(of_one), random.choice(of_one))]
        if of_one
        else []
    )
    return random.choice((*near, random.choice(_SMALL), random.choice(_SMALL), random.choice(known)))
