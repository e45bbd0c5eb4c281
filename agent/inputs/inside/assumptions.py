"""Which plain assumption holds in every real call and breaks in one that was made: what a rewrite may rely on.

An assumption is an expression over the parameters, as `--assume` takes it, with the same in words.
"""

from __future__ import annotations

import base64
import inspect
from itertools import combinations, islice
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ....sandbox.driver.call_blobs import load_call
from ....sandbox.driver.executed_modules import imported
from ....sandbox.driver.user_module import resolve
from .call_parts import fields
from .container_kinds import MAPPINGS, SEQUENCES
from .list_iterators import unused
from .user_code import guarded

if TYPE_CHECKING:
    from types import ModuleType

    from .call_recorder import Recorder
    from .harness_types import Request, Write

MOST_TOLD = 6
MOST_ELEMENTS = 200  # of one container whose types are looked at
MOST_PAIRED = 1_000  # of one container that are compared with one another
LEAST_LARGE, FAR = 1_000_000, 1_000  # a number is large from there on, and that many times above every real one
LARGEST = 10**18  # real number of which a larger one may be called large
STARTS = (0, 1)  # that the first element of a table of limits often has to be
# What an expression may call beside the names of the module. `as_called(x)` states that the real calls show all that
# matters about `x`, so no call breaks it (`agent/stated_assumptions.py`).
VOCABULARY = {"as_called": lambda _value: True}
_NUMBERS = (int, float)
_SIZED = (*SEQUENCES, *MAPPINGS, set, frozenset, str, bytes)
_TYPES = (int, float, str, bytes, bool, list, tuple, dict, type(None))

Assumption = Tuple[str, str]  # the expression, and the same in words
Parts = Callable[[Any], Any]


class Assumed:
    """Tells whether calls keep to some expressions. What raises where it is evaluated does not hold."""

    def __init__(self, module: ModuleType, function: Callable[..., Any], expressions: Sequence[str]) -> None:
        self._namespace = vars(module)
        self._codes = [compile(expression, "--assume", "eval", dont_inherit=True) for expression in expressions]
        try:
            self._signature = inspect.signature(function)
        except (TypeError, ValueError):
            self._signature = inspect.Signature()

    @property
    def open_parameters(self) -> List[str]:
        """The names of `*args` and `**kwargs`."""
        parameters = self._signature.parameters.values()
        return [each.name for each in parameters if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]

    def arguments(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        """The arguments by the names of their parameters, defaults included."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:
            return dict(kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def hold(self, args: Sequence[Any], kwargs: Dict[str, Any]) -> bool:
        """Whether all of them hold for a call."""
        if not self._codes:
            return True
        known = self.arguments(args, kwargs)
        return all(self._holds(code, known) for code in self._codes)

    def _holds(self, code: Any, known: Dict[str, Any]) -> bool:
        try:
            # As globals, so that comprehensions find the names; a copy, for evaluating puts builtins there.
            return bool(eval(code, {**VOCABULARY, **self._namespace, **unused(known)}))  # noqa: S307 - this is the sandbox
        except Exception:  # noqa: BLE001 - whatever it raises, it does not hold
            return False


def find_assumptions(request: Request, recorder: Recorder, write: Write) -> None:
    """Write the assumptions that hold in all calls of `blobs` and not in one of `made`, with its number."""
    module = guarded(write, "import", lambda: imported(request["module"]))
    if module is None:
        return
    with recorder.removed(module):
        guarded(write, "run", lambda: _find(request, module, write))


def _find(request: Request, module: ModuleType, write: Write) -> None:
    function = resolve(module, request["qualname"]).function
    real = [load_call(base64.b64decode(blob)) for blob in request["blobs"]]
    names = Assumed(module, function, [])
    arguments = [names.arguments(call.args, call.kwargs) for call in real]
    held = [
        (Assumed(module, function, [expression]), expression, words) for expression, words in _candidates(arguments)
    ]
    held = [each for each in held if all(each[0].hold(call.args, call.kwargs) for call in real)]
    for number, blob in enumerate(request["made"]):
        made = load_call(base64.b64decode(blob))
        broken = (each for each in held if not each[0].hold(made.args, made.kwargs))
        for _, expression, words in islice(broken, MOST_TOLD):
            write({"kind": "assumption", "expression": expression, "words": words, "held": len(real), "number": number})


def _candidates(calls: Sequence[Dict[str, Any]]) -> Iterator[Assumption]:
    """Expressions about parameters that all calls give, the most telling ones first."""
    if not calls:
        return
    names = [name for name in calls[0] if all(name in call for call in calls)]
    values = {name: [call[name] for call in calls] for name in names}
    for name in names:
        yield from _of_value(name, values[name])
    for name in names:
        yield from _of_elements(name, values[name])
    for one, other in combinations(names, 2):
        if _all_of(values[one], _SIZED) and _all_of(values[other], _SIZED):
            yield "len(%s) == len(%s)" % (one, other), "`%s` is as long as `%s`" % (one, other)
            yield "%s is not %s" % (one, other), "`%s` and `%s` are two objects" % (one, other)
        if _all_of(values[one], _NUMBERS) and _all_of(values[other], _NUMBERS):
            yield "%s <= %s" % (one, other), "`%s` is at most `%s`" % (one, other)
        for inner, outer in ((one, other), (other, one)):
            # A switch is in a list of numbers by chance: True == 1.
            is_switch = _all_of(values[inner], (bool, type(None)))
            if _all_of(values[outer], (*SEQUENCES, *MAPPINGS, set, frozenset)) and not is_switch:
                yield "%s in %s" % (inner, outer), "`%s` is in `%s`" % (inner, outer)


def _of_value(name: str, values: Sequence[Any]) -> Iterator[Assumption]:
    shown = "`%s`" % name
    if _all_of(values, _SIZED):
        yield from _of_type(name, shown, set(map(type, values)))
        yield "not hasattr(%s, '__next__')" % name, "%s is not an iterator" % shown
        yield "len(%s) > 0" % name, "%s is not empty" % shown
    if _all_of(values, (list, tuple)):
        if _can_be_ordered(values):
            yield "list(%s) == sorted(%s)" % (name, name), "%s ascends" % shown
            yield "list(%s) == sorted(%s, reverse=True)" % (name, name), "%s descends" % shown
        if all(values):
            yield from _of_first(name, values)
    yield from _of_scalar(name, shown, values)
    if _all_of(values, _SIZED):
        yield "len(%s) > 1" % name, "%s has more than one element" % shown


def _can_be_ordered(values: Sequence[Any]) -> bool:
    """Whether containers and other elements never occur both: a list of both could not be sorted.

    If real calls give both, each in lists of their own, then callers do not rely on an order.
    """
    kinds = {type(item) for value in values for item in islice(value, MOST_ELEMENTS)}
    return len({kind in (*SEQUENCES, *MAPPINGS, set, frozenset) for kind in kinds}) <= 1


def _of_scalar(expression: str, shown: str, values: Sequence[Any]) -> Iterator[Assumption]:
    """About a number or a text; the expression may be any."""
    kinds = set(map(type, values))
    yield from _of_type(expression, shown, kinds)
    if kinds and kinds <= set(_NUMBERS):
        yield "%s > 0" % expression, "%s is positive" % shown
        yield "%s >= 0" % expression, "%s is not negative" % shown
        yield "%s != 0" % expression, "%s is not 0" % shown
        yield "%s == %s" % (expression, expression), "%s is not NaN" % shown
        yield "abs(%s) < 2**31" % expression, "%s is below 2**31" % shown
        yield "abs(%s) < 2**53" % expression, "%s is below 2**53" % shown
        most = _far_above(values)
        if most is not None:
            yield "abs(%s) <= %d" % (expression, most), "%s is at most %d in size" % (shown, most)
    if kinds == {str}:
        yield "%s.isascii()" % expression, "%s is ASCII" % shown
        yield "%s.strip() == %s != ''" % (expression, expression), "%s has no blanks around it" % shown
        yield "%s.strip() != ''" % expression, "%s is not blank" % shown


def _far_above(values: Sequence[Any]) -> Optional[int]:
    """A power of ten that is far above all of these numbers; None if one of them is far too large itself."""
    most = LEAST_LARGE
    for value in map(abs, values):
        if value > LARGEST:
            return None
        while most < FAR * value:
            most *= 10
    return most


def _of_type(expression: str, shown: str, kinds: Set[type]) -> Iterator[Assumption]:
    if len(kinds) == 1 and next(iter(kinds)) in _TYPES:
        name = next(iter(kinds)).__name__
        if name == "NoneType":
            yield "%s is None" % expression, "%s is None" % shown
        else:
            yield "type(%s) is %s" % (expression, name), "%s is of type %s" % (shown, name)


def _of_elements(name: str, values: Sequence[Any]) -> Iterator[Assumption]:
    if _all_of(values, MAPPINGS):
        yield from _of_parts(name, "%s.values()" % name, "each value of `%s`" % name, values, dict.values)
        yield from _of_parts(name, "%s.keys()" % name, "each key of `%s`" % name, values, dict.keys)
    elif _all_of(values, (*SEQUENCES, set, frozenset)):
        yield "len(set(%s)) == len(%s)" % (name, name), "`%s` has no two equal elements" % name
        yield "set(%s) is not None" % name, "the elements of `%s` can be hashed" % name
        yield from _of_parts(name, name, "each element of `%s`" % name, values, iter)


def _of_first(name: str, tables: Sequence[Sequence[Any]]) -> Iterator[Assumption]:
    """That a table that ascends, such as one of limits, begins where all real ones do."""
    columns = [_columns(list(islice(table, MOST_ELEMENTS))) for table in tables]
    for place, (label, values) in columns[0].items():
        known = [column[place][1] for column in columns if place in column]
        start = values[0]
        if (
            len(known) == len(columns)
            and start in STARTS
            and all(each[0] == start and _ascends(each) for each in known)
        ):
            told = "%sthe first element of `%s`" % (label and "`%s` of " % label, name)
            yield "not %s or %s[0]%s == %r" % (name, name, place, start), "%s is %r" % (told, start)


def _columns(rows: List[Any]) -> Dict[str, Tuple[str, List[Any]]]:
    """The numbers in one place of all rows, by how to get at them, with what the place is called."""
    found = {"": ("", rows), **{place: (label, values) for place, label, values in _places(rows)}}
    return {place: (label, values) for place, (label, values) in found.items() if _all_of(values, _NUMBERS)}


def _ascends(values: Sequence[Any]) -> bool:
    return all(one <= other for one, other in zip(values, values[1:]))  # noqa: B905, RUF007 - for Python 3.9


def _of_parts(name: str, source: str, shown: str, values: Sequence[Any], parts: Parts) -> Iterator[Assumption]:
    """About all elements of some containers, as `parts` gives them; of rows about each of their places."""
    items = [item for value in values for item in islice(parts(value), MOST_ELEMENTS)]
    if not items:
        return
    if set(map(type, items)) == {str} and max(map(len, values)) <= MOST_PAIRED:
        yield (
            "not any(a != b and a in b for a in %s for b in %s)" % (source, source),
            "none of the texts in `%s` contains another" % name,
        )
    for expression, words in _of_scalar("item", shown, items):
        yield "all(%s for item in %s)" % (expression, source), words
    for place, label, inner in _places(items):
        row = "item%s" % place
        told = "`%s` of %s" % (label, shown)
        yield "len({%s for item in %s}) == len(%s)" % (row, source, source), "no two of them agree in %s" % told
        keys = "[%s for item in %s]" % (row, source)
        yield "%s == sorted(%s)" % (keys, keys), "%s ascends" % told
        for expression, words in _of_scalar(row, told, inner):
            yield "all(%s for item in %s)" % (expression, source), words


def _places(items: List[Any]) -> Iterator[Tuple[str, str, List[Any]]]:
    """How to get at a place of rows, what it is called, and what stands there."""
    first = items[0]
    if _all_of(items, (tuple, list)) and all(len(item) == len(first) for item in items):
        for index in range(min(len(first), 6)):
            yield "[%d]" % index, "[%d]" % index, [item[index] for item in items]
    elif _all_of(items, MAPPINGS):
        for key in [key for key in first if type(key) is str and all(key in item for item in items)][:8]:
            yield "[%r]" % key, key, [item[key] for item in items]
    elif all(type(item) is type(first) for item in items):
        for key in list(fields(first))[:8]:
            if key.isidentifier() and all(key in fields(item) for item in items):
                yield "." + key, key, [fields(item)[key] for item in items]


def _all_of(values: Sequence[Any], kinds: Sequence[type]) -> bool:
    return bool(values) and all(type(value) in kinds for value in values)
