"""Counting and finding elements of a list in a loop gives way to a table that is made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.edits import first_argument, imported_name
from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import canonical, operand, same, target_names, text
from afterburner.agent.rules.analysis.hoisting import Hoisting
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Comprehension, Edits, walk
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.agent.rules.analysis.scope import Repeat

_PLAIN = frozenset(("list", "tuple", "deque", "range"))  # compare whole elements
_TEXTS = frozenset(("str", "bytes"))  # find longer pieces, too
_UNKNOWN = frozenset((None, "sequence", "iterable"))
# Give the elements of what they are given, and no others.
_REORDERS = ("list", "tuple", "set", "frozenset", "sorted", "reversed", "dict.fromkeys")


@dataclass(frozen=True, slots=True)
class _Search:
    """One call of `owner.count(item)` or `owner.index(item)`."""

    call: cst.Call
    method: str
    owner: cst.BaseExpression
    item: cst.BaseExpression


class CountIndex:
    """Build one table of counts or first positions instead of scanning a list for each element.

    Before::

        for word in words:
            if words.count(word) > 1:
                print(order.index(word))

    After::

        words_counts = collections.Counter(words)
        order_places = {value: place for place, value in reversed([*enumerate(order)])}
        for word in words:
            if words_counts[word] > 1:
                print(order_places[word] if word in order_places else order.index(word))

    Elements missing from the table are still searched as before, so that the error is the same.
    """

    name = "count-index"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every such call in a loop or comprehension that leaves the list as it is."""
        analysis = Analysis(rule_input)
        counter = imported_name(analysis.resolver, "collections", "Counter")
        types, edits = Types(analysis), Edits()
        tables: dict[tuple[cst.BaseStatement, str, str], str] = {}
        is_counting = False
        for region in analysis.regions():
            searches = list(_searches(analysis, region))
            if not searches:
                continue
            hoisting, effects = Hoisting(analysis, types, region), Effects(analysis.resolver, region)
            for search in searches:
                found = _Table(analysis, types, effects, region, search)
                line = found.line(hoisting)
                if line is None or (search.method == "count" and counter is None):
                    continue
                key = (line, search.method, canonical(search.owner))
                if key not in tables:
                    tables[key] = analysis.fresh(found.wanted_name(), region)
                    edits.insert_before(line, f"{tables[key]} = {found.source(counter[0] if counter else '')}")
                is_counting = is_counting or search.method == "count"
                edits.change(search.call, found.lookup(tables[key]))
        if not edits:
            return None
        return RuleOutput(edits.apply(rule_input.scope), counter[1] if counter and is_counting else ())


def _searches(analysis: Analysis, region: Region) -> Iterator[_Search]:
    for call in analysis.find(cst.Call):
        func, item = call.func, first_argument(call)
        if not isinstance(func, cst.Attribute) or func.attr.value not in {"count", "index"} or item is None:
            continue
        if analysis.resolver.qualified(func) is not None or isinstance(func.value, cst.BaseString):
            continue
        if analysis.region_of(call) is region and analysis.repeats(call):
            yield _Search(call, func.attr.value, func.value, item)


class _Table:
    """The table for one search: where it has to be made, how, and how it is asked."""

    def __init__(self, analysis: Analysis, types: Types, effects: Effects, region: Region, search: _Search) -> None:
        self._analysis, self._types, self._effects = analysis, types, effects
        self._region, self._search = region, search
        self._type = types.name(search.owner, region)
        self._repeats: Sequence[Repeat] = ()

    def line(self, hoisting: Hoisting) -> cst.BaseStatement | None:
        """Give the statement before which the table is made; None if it cannot be, or would not be asked twice."""
        owner, item = self._search.owner, self._search.item
        types, effects, region = self._types, self._effects, self._region
        if self._type not in _PLAIN | _TEXTS | _UNKNOWN or (isinstance(owner, cst.Call) and self._type is None):
            return None
        if not types.may_hash(item, region) or not types.elements_may_hash(owner, region) or not effects.is_pure(item):
            return None
        line = hoisting.line(self._search.call, owner)
        if line is None:
            return None
        repeats = self._analysis.repeats(self._search.call)
        self._repeats = [repeat for repeat in repeats if self._analysis.within(repeat, line)]
        if effects.is_stable(item, effects.changes(line)):
            return None  # always the same answer: a table is not what is missing
        if not self._is_element() and any(isinstance(each, Comprehension) for each in walk(item)):
            return None  # it would be made twice
        return line

    def wanted_name(self) -> str:
        """Name the table after the list."""
        owner = self._search.owner
        while isinstance(owner, cst.Call | cst.Subscript):
            if isinstance(owner, cst.Call):
                is_method = isinstance(owner.func, cst.Attribute)
                owner = owner.func if is_method or not owner.args else owner.args[0].value
            else:
                owner = owner.value
        name = owner.attr.value if isinstance(owner, cst.Attribute) else text(owner)
        plain = name.strip("_").lower() if isinstance(owner, cst.Name | cst.Attribute) else "value"
        return f"{plain}_{'counts' if self._search.method == 'count' else 'places'}"

    def source(self, counter: str) -> str:
        """Write the table. A variable of unknown type may be no list: then there is nothing in it."""
        owner = text(self._search.owner)
        is_known = self._type not in _UNKNOWN or self._is_element()
        if self._search.method == "count":
            made = f"{counter}({owner})"
            return made if is_known else f"{made} if isinstance({owner}, (list, tuple)) else None"
        made = f"{{value: place for place, value in reversed([*enumerate({owner})])}}"
        return made if is_known else f"{made} if isinstance({owner}, (list, tuple, str)) else {{}}"

    def lookup(self, table: str) -> _Lookup:
        """Give how the call is changed. An element of the list is in the table for certain."""
        is_counted = self._search.method == "count"
        if self._is_element() or (is_counted and self._type in _PLAIN):
            return _Lookup(table)
        return _Lookup(table, "is not None" if is_counted and self._type in _UNKNOWN else "in")

    def _is_element(self) -> bool:
        """Tell whether what is searched certainly is an element of the list."""
        owner, item = self._search.owner, self._search.item
        if isinstance(item, cst.Subscript) and same(item.value, owner):
            return len(item.slice) == 1 and isinstance(item.slice[0].slice, cst.Index)
        if not isinstance(item, cst.Name):
            return False
        for repeat in self._repeats:
            binds = self._analysis.names(repeat).binds[item.value]
            if binds:
                clauses = [repeat] if isinstance(repeat, cst.For) else walk(repeat)
                loops = [each for each in clauses if isinstance(each, cst.For | cst.CompFor)]
                names = [name for loop in loops for name in _elements_named(loop.target, loop.iter, owner)]
                return binds == 1 and item.value in names
        return False


@dataclass(frozen=True, slots=True)
class _Lookup:
    """Asks a table, or calls what was called before where the test fails."""

    table: str
    test: str = ""  # "in": the item has to be in the table; "is not None": there has to be a table

    def __call__(self, call: cst.Call) -> cst.BaseExpression:
        item = call.args[0].value
        asked = f"{self.table}[{text(item)}]"
        if not self.test:
            return cst.parse_expression(asked)
        test = f"{operand(item)} in {self.table}" if self.test == "in" else f"{self.table} is not None"
        return cst.parse_expression(f"({asked} if {test} else {text(call)})")


def _elements_named(
    target: cst.BaseExpression, iterable: cst.BaseExpression, owner: cst.BaseExpression
) -> Sequence[str]:
    """Give the loop's variables that are elements of the owner: `i, x` over `enumerate(xs)` has `x`."""
    if isinstance(iterable, cst.Call) and iterable.args and not iterable.args[0].star:
        inner, function = iterable.args[0].value, text(iterable.func)
        if function in _REORDERS:
            return _elements_named(target, inner, owner)
        if function == "enumerate" and isinstance(target, cst.Tuple) and len(target.elements) == 2:
            return _elements_named(target.elements[1].value, inner, owner)
    return target_names(target) if isinstance(target, cst.Name) and same(iterable, owner) else ()
