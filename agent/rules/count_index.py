"""Counts and positions in a list that does not change are made once, before the loop that asks for them."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis import Analysis, Region, Repeat
from afterburner.agent.rules.analysis_edit import first_argument, imported_name, is_repeatable
from afterburner.agent.rules.analysis_hoist import Hoisting
from afterburner.agent.rules.analysis_types import Types
from afterburner.agent.rules.base import RuleInput, RuleOutput
from afterburner.agent.rules.names import canonical, same, target_names, text
from afterburner.agent.rules.tree import Edits

_LISTS = {"list", "tuple"}
_MAY_BE_LISTS = {*_LISTS, None, "sequence", "str"}


class CountIndex:
    """Count all elements of a list at once instead of one after the other; likewise for first positions.

    Before::

        for word in words:
            if words.count(word) == 1:
                places.append(names.index(word))

    After::

        words_counts = collections.Counter(words)
        names_places = {names[i]: i for i in range(len(names) - 1, -1, -1)}
        for word in words:
            if words_counts[word] == 1:
                places.append(names_places[word] if word in names_places else names.index(word))

    An element that is not there is looked for again, so that the exception stays the same.
    """

    name = "count-index"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every `count` and `index` in a loop that leaves the list as it is."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        counter = imported_name(analysis.resolver, "collections", "Counter")
        imports: tuple[str, ...] = ()
        made: dict[tuple[cst.BaseStatement, str, str], str] = {}
        for region in analysis.regions():
            hoisting = Hoisting(analysis, types, region)
            for call in _questions(analysis, region):
                question = _Question(analysis, types, region, call)
                line = hoisting.line(call, question.owner) if question.fits() else None
                if line is None or (question.method == "count" and counter is None):
                    continue
                key = (line, canonical(question.owner), question.method)
                if key not in made:
                    made[key] = analysis.fresh(question.wanted_name(), region)
                    maker = counter[0] if counter is not None else ""
                    edits.insert_before(line, f"{made[key]} = {question.table(maker)}")
                if question.method == "count" and counter is not None:
                    imports = counter[1]
                edits.replace(call, question.answer(made[key]))
        return RuleOutput(edits.apply(rule_input.scope), imports) if edits else None


def _questions(analysis: Analysis, region: Region) -> list[cst.Call]:
    """Give each `x.count(y)` and `x.index(y)` of the region that is repeated; of nested ones the outer one."""
    found: list[cst.Call] = []
    for call in analysis.find(cst.Call):
        if (
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value in {"count", "index"}
            and first_argument(call) is not None
            and analysis.region_of(call) is region
            and analysis.repeats(call)
            and not any(analysis.within(call, outer) for outer in found)
        ):
            found.append(call)
    return found


class _Question:
    """One `x.count(y)` or `x.index(y)`."""

    def __init__(self, analysis: Analysis, types: Types, region: Region, call: cst.Call) -> None:
        self._analysis, self._types, self._region, self._call = analysis, types, region, call
        self.method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        self.owner = call.func.value if isinstance(call.func, cst.Attribute) else call
        self._asked = call.args[0].value

    def fits(self) -> bool:
        """Tell whether a dictionary gives the same answers: looking into a text is not the same, but for one sign."""
        types, region = self._types, self._region
        if not isinstance(self.owner, cst.Name | cst.Attribute) or not types.may_hash(self._asked, region):
            return False
        name = types.name(self.owner, region)
        if name not in _MAY_BE_LISTS or not types.elements_may_hash(self.owner, region):
            return False
        if self._asks_for_own_element():
            return True
        if self.method == "count":
            return name in _LISTS
        return is_repeatable(self._asked) and isinstance(self.owner, cst.Name)

    def wanted_name(self) -> str:
        """Name the table after the list."""
        last = self.owner.attr if isinstance(self.owner, cst.Attribute) else self.owner
        return f"{text(last).strip('_')}_{'counts' if self.method == 'count' else 'places'}"

    def table(self, counter: str) -> str:
        """Write the table of all answers."""
        owner = text(self.owner)
        if self.method == "count":
            return f"{counter}({owner})"
        return f"{{{owner}[i]: i for i in range(len({owner}) - 1, -1, -1)}}"

    def answer(self, table: str) -> cst.BaseExpression:
        """Write how one answer is looked up."""
        asked = text(self._asked)
        if self.method == "count" or self._asks_for_own_element():
            return cst.parse_expression(f"{table}[{asked}]")
        return cst.parse_expression(f"({table}[{asked}] if {asked} in {table} else {text(self._call)})")

    def _asks_for_own_element(self) -> bool:
        """Tell whether what is asked for comes right out of the list: it is in there, and one sign of a text."""
        asked = self._asked
        if isinstance(asked, cst.Subscript):
            return same(asked.value, self.owner) and not any(isinstance(each.slice, cst.Slice) for each in asked.slice)
        if not isinstance(asked, cst.Name):
            return False
        for repeat in self._analysis.repeats(self._call):
            clauses = [repeat] if isinstance(repeat, cst.For) else self._clauses(repeat)
            for clause in clauses:
                if asked.value in target_names(clause.target):
                    return self._gives_elements(clause, asked.value)
            if self._analysis.names(repeat).binds[asked.value]:
                return False
        return False

    def _clauses(self, repeat: Repeat) -> list[cst.CompFor]:
        """Give the `for` parts of a comprehension."""
        found: list[cst.CompFor] = []
        clause = None if isinstance(repeat, cst.For | cst.While) else repeat.for_in
        while clause is not None:
            found.append(clause)
            clause = clause.inner_for_in
        return found

    def _gives_elements(self, clause: cst.For | cst.CompFor, name: str) -> bool:
        """Tell whether the loop gives the elements of the list, or of a set of it, and leaves its variable alone."""
        resolver = self._analysis.resolver
        target: cst.BaseExpression = clause.target
        iterable: cst.BaseExpression | None = clause.iter
        if isinstance(target, cst.Tuple) and resolver.is_call(clause.iter, "builtins.enumerate"):
            target = target.elements[-1].value
            iterable = first_argument(clause.iter) if isinstance(clause.iter, cst.Call) else None
        while iterable is not None and resolver.is_call(iterable, "builtins.set", "builtins.sorted", "builtins.list"):
            iterable = first_argument(iterable) if isinstance(iterable, cst.Call) else None
        if iterable is None or text(target) != name or not same(iterable, self.owner):
            return False
        return isinstance(clause, cst.CompFor) or not self._analysis.names(clause.body).binds[name]
