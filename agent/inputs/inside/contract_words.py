"""A breach of the contract as a rule that every real call keeps to: in words, and as `--assume` takes it."""

from __future__ import annotations

import builtins
import re
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Sequence

if TYPE_CHECKING:
    from .contract import Breach, Way

MOST_KINDS = 6  # types that are named; beyond that, the one that never comes up is
_VARIABLES = ("item", "part", "inner", "element", "each")


def in_words(breach: Breach) -> str:
    """The rule: "`angle` holds int or float"."""
    shown = "`%s`" % breach.parameter
    for way in breach.ways:
        shown = _SHOWN[way.step[0]](way.step[1], shown)
    return "%s %s" % (shown, _RULES[breach.rule](breach))


def as_expression(breach: Breach, namespace: Dict[str, Any], *, guarded: bool) -> str:
    """The rule as an expression over the parameters, which may name what is in the namespace.

    With `guarded` it says nothing of what is reached through containers of other types than here.
    """
    taken = {breach.parameter, *namespace}
    variables = [name for name in _VARIABLES if name not in taken]
    variables += ["item%d" % number for number in range(len(breach.ways))]
    return _reaching(breach.parameter, breach.ways, breach, _Names(namespace), variables, guarded=guarded)


class _Names:
    """How an expression names types and `re` where a module's names count."""

    def __init__(self, namespace: Dict[str, Any]) -> None:
        self._namespace = namespace

    def is_of(self, expression: str, kinds: Iterable[type]) -> str:
        """An expression for: the value is of one of these types."""
        named = sorted(kinds, key=lambda kind: kind.__name__)
        if named == [type(None)]:
            return "%s is None" % expression
        if all(self._knows(kind.__name__, kind) or kind is type(None) for kind in named):
            texts = ["type(None)" if kind is type(None) else kind.__name__ for kind in named]
            is_one = len(texts) == 1
            return (
                "type(%s) is %s" % (expression, texts[0])
                if is_one
                else "type(%s) in (%s)" % (expression, ", ".join(texts))
            )
        names = sorted({kind.__name__ for kind in named})
        is_one = len(names) == 1
        return "type(%s).__name__ %s" % (expression, "== %r" % names[0] if is_one else "in %r" % (tuple(names),))

    def compiled(self, expression: str) -> str:
        """An expression for: the text is a valid regular expression."""
        module = "re" if self._knows("re", re) else "__import__('re')"
        return "%s.compile(%s) is not None" % (module, expression)

    def _knows(self, name: str, value: Any) -> bool:
        return bool(self._namespace.get(name, getattr(builtins, name, None)) is value)


def _reaching(
    expression: str, ways: Sequence[Way], breach: Breach, names: _Names, variables: Sequence[str], *, guarded: bool
) -> str:
    """The rule for what is reached on these ways from an expression."""
    if not ways:
        return _STATED[breach.rule](expression, breach, names)
    (step, which), holder = ways[0]
    if step in _EACH:
        inner = _reaching(variables[0], ways[1:], breach, names, variables[1:], guarded=guarded)
        told = "all(%s for %s in %s%s)" % (inner, variables[0], expression, _EACH[step])
    else:
        below = (expression + "." + which) if step == "attribute" else "%s[%r]" % (expression, which)
        told = _reaching(below, ways[1:], breach, names, variables, guarded=guarded)
    if not guarded:
        return told
    unless = "type(%s).__name__ != %r" % (expression, type(holder).__name__)
    if step == "name":
        unless += " or %r not in %s" % (which, expression)
    return "(%s or %s)" % (unless, told)


def _kinds_in_words(breach: Breach) -> str:
    kinds = set(map(_kind_in_words, breach.allowed))
    if not kinds or len(kinds) > MOST_KINDS:
        return "never holds %s" % _kind_in_words(type(breach.value))
    return "holds %s" % " or ".join(sorted(kinds))


def _kind_in_words(kind: type) -> str:
    """`list_iterator` and its like are no names that people use."""
    if kind is type(None):
        return "None"
    return "iterator" if kind.__name__.endswith("_iterator") else kind.__name__


def _kinds_stated(expression: str, breach: Breach, names: _Names) -> str:
    if not breach.allowed or len(breach.allowed) > MOST_KINDS:
        return "type(%s).__name__ != %r" % (expression, type(breach.value).__name__)
    return names.is_of(expression, breach.allowed)


def _keys_in_words(keys: Sequence[str]) -> str:
    return ("the key %s" if len(keys) == 1 else "the keys %s") % " and ".join(map(repr, keys))


def _needed_stated(expression: str, keys: Sequence[str]) -> str:
    return "%r in %s" % (keys[0], expression) if len(keys) == 1 else "set(%r) <= set(%s)" % (keys, expression)


_EACH = {"item": "", "key": "", "value": ".values()"}
_SHOWN: Dict[str, Callable[[Any, str], str]] = {
    "item": lambda _which, shown: "each element of " + shown,
    "key": lambda _which, shown: "each key of " + shown,
    "value": lambda _which, shown: "each value of " + shown,
    "name": lambda which, shown: "`%s` of %s" % (which, shown),
    "attribute": lambda which, shown: "`%s` of %s" % (which, shown),
    "index": lambda which, shown: "`[%d]` of %s" % (which, shown),
}
_RULES: Dict[str, Callable[[Breach], str]] = {
    "kinds": _kinds_in_words,
    "length": lambda breach: "has %d elements" % breach.allowed,
    "needed": lambda breach: "has %s" % _keys_in_words(breach.allowed),
    "keys": lambda breach: "has no other than %s" % _keys_in_words(breach.allowed),
    "empty": lambda _breach: "is empty",
    "pattern": lambda _breach: "is a valid regular expression",
}
_STATED: Dict[str, Callable[[str, Breach, _Names], str]] = {
    "kinds": _kinds_stated,
    "length": lambda expression, breach, _names: "len(%s) == %d" % (expression, breach.allowed),
    "needed": lambda expression, breach, _names: _needed_stated(expression, breach.allowed),
    "keys": lambda expression, breach, _names: "set(%s) <= set(%r)" % (expression, breach.allowed),
    "empty": lambda expression, _breach, _names: "len(%s) == 0" % expression,
    "pattern": lambda expression, _breach, names: names.compiled(expression),
}
