"""What options are made of: how each is met outside Python, which values it takes, and how that is checked."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from afterburner.sandbox import UsageError

LARGEST_SEED = 2**32 - 1  # PYTHONHASHSEED takes no more
MOST_STATED = 100  # expressions that are stated of every input, by options and as many by a docstring
LONGEST_STATED = 1_000  # characters of one
HOTTEST = 2.0  # the highest temperature that any provider takes
_FORM = "Give one number from 0 to 2, such as 0.7, or two, such as 0.2:1.0: of the first round and of the last."
Kind = TypeVar("Kind", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Option:
    """How a field is met outside Python.

    Attributes:
        help: one sentence of the command line's `--help`.
        name: the option's name with underscores; empty: the field's own.
        flags: forms other than `--name`, such as `-f` or `--cache/--no-cache`.
        metavar: what stands for the value; `FILE`, `DIR`, `PATH`, `MODEL` and `MODULES` need a project's trust.
        least: the smallest value allowed.
        most: the largest value allowed.
        above: the value has to be larger than this.
        filled: whether an empty text is refused.
        several: whether the option may be given more than once, and holds names separated by commas.
        whole: whether such texts are taken as they are, commas included.
        show_default: whether `--help` shows the default.
    """

    help: str
    name: str = ""
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    above: float | None = None
    filled: bool = False
    several: bool = False
    whole: bool = False
    show_default: bool = True


class SearchStyle(StrEnum):
    """A preset of what is not given by an option of its own."""

    ADAPTIVE = "adaptive"
    GREEDY = "greedy"  # Algorithm 1 of the paper: always from the best so far, and all rounds are made


class Selection(StrEnum):
    """`verified` proves what it offers; `paper` is Algorithm 1 of the paper to the letter and proves nothing."""

    VERIFIED = "verified"
    PAPER = "paper"


class EnvironmentKind(StrEnum):
    """Where the interpreter and the packages come from that a project's code runs with."""

    AUTO = "auto"  # the host's, and an image's where the sandbox cannot show the host's
    HOST = "host"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Temperature:
    """The temperature of the first round and of the last; those between lie on the straight line."""

    first: float
    last: float

    @classmethod
    def read(cls, text: str) -> Temperature:
        """Read `T` or `T0:T1`.

        Raises:
            UsageError: it is neither, or out of bounds.
        """
        parts = text.split(":")
        try:
            values = [float(part) for part in parts]
        except ValueError:
            raise UsageError(f"--temperature {text}: this is not a temperature. {_FORM}") from None
        if len(values) > 2 or not all(math.isfinite(value) and 0 <= value <= HOTTEST for value in values):
            raise UsageError(f"--temperature {text}: this is not a temperature. {_FORM}")
        return cls(values[0], values[-1])

    def of_round(self, iteration: int, iterations: int) -> float:
        """The temperature of a round, counted from 1, of so many."""
        share = (iteration - 1) / (iterations - 1) if iterations > 1 else 0.0
        return self.first + (self.last - self.first) * share


def member(kind: type[Kind], name: str, value: str) -> Kind:
    """The member of an enumeration that a text names.

    Raises:
        UsageError: there is none.
    """
    try:
        return kind(value)
    except ValueError:
        raise UsageError(f"There is no {name} {value!r}. Use one of: {', '.join(kind)}.") from None


def options_of(group: type[Any]) -> dict[str, Option]:
    """The fields of a group that are options, in their order."""
    hints = get_type_hints(group, include_extras=True)
    return {
        each.name: found
        for each in fields(group)
        for found in getattr(hints[each.name], "__metadata__", ())
        if isinstance(found, Option)
    }


def check(group: Any) -> None:
    """Look whether every value of a group is of its type and within its bounds, and says something where it has to.

    A list is made a tuple: callers write lists, and stores give them back.

    Raises:
        UsageError: one is not.
    """
    for name, hint in _types_of(type(group)).items():
        value = getattr(group, name)
        if isinstance(value, list):
            value = tuple(value)
            object.__setattr__(group, name, value)
        if not _fits(value, hint):
            raise UsageError(f"{type(group).__name__}({name}={value!r}): give {_in_words(hint)}.")
    for name, option in options_of(type(group)).items():
        value = getattr(group, name)
        if isinstance(value, str) and option.filled and not value.strip():
            raise UsageError(f"{type(group).__name__}({name}={value!r}): it is empty.")
        if isinstance(value, int | float) and not isinstance(value, bool):
            why = problem_of(option, value)
            if why:
                raise UsageError(f"{type(group).__name__}({name}={value:g}): {why}")


def _types_of(group: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(group)
    return {each.name: hints[each.name] for each in fields(group)}


def _fits(value: object, hint: Any) -> bool:
    """Whether a value is of a type, as far as options need it; a whole number is a float, too."""
    if get_origin(hint) in {Union, UnionType}:
        return any(_fits(value, each) for each in get_args(hint))
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_fits(each, get_args(hint)[0]) for each in value)
    if hint in {int, float}:
        return isinstance(value, hint if hint is int else int | float) and not isinstance(value, bool)
    return isinstance(value, hint)


def _in_words(hint: Any) -> str:
    if get_origin(hint) in {Union, UnionType}:
        return " or ".join(_in_words(each) for each in get_args(hint))
    if get_origin(hint) is tuple:
        return f"a tuple, each part {_in_words(get_args(hint)[0])}"
    words = {int: "a whole number", float: "a number", str: "a text", bool: "True or False", NoneType: "None"}
    return words.get(hint, str(hint.__name__))


def problem_of(option: Option, value: float) -> str:
    """Why a number cannot be the value of an option; empty if it can."""
    if option.above is not None and not (math.isfinite(value) and value > option.above):
        return f"{value:g} is not a number above {option.above:g}."
    if option.least is not None and not (math.isfinite(value) and value >= option.least):
        return f"{value:g} is not a number of {option.least:g} or more."
    if option.most is not None and value > option.most:
        return f"{value:g} is more than {option.most:g}."
    return ""
