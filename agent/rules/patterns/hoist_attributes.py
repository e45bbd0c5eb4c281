"""Functions of modules and methods of lists that a hot loop calls are looked up once, before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import fresh_name, names_in, text
from afterburner.agent.rules.analysis.places import regions_of, stand_in, statement_before
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.shapes import assigned_values
from afterburner.agent.rules.analysis.tree import Edits, Tree, children
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

# What these modules are known to have: a look-up before the loop must not fail where the loop had no rounds.
_FUNCTIONS = {
    "math": """acos asin atan atan2 ceil comb copysign cos degrees dist erf exp fabs factorial floor fmod fsum gcd hypot
        isclose isfinite isinf isnan isqrt log log10 log1p log2 modf perm pow prod radians sin sqrt tan trunc""",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "heapq": "heapify heappop heappush heappushpop heapreplace nlargest nsmallest",
    "operator": "add attrgetter eq ge gt itemgetter le lt mul ne neg sub",
    "itertools": "accumulate chain combinations count cycle islice permutations product repeat zip_longest",
    "random": "choice randint random randrange uniform",
    "os.path": "basename dirname exists isdir isfile join splitext",
}
_KNOWN = frozenset(f"{module}.{name}" for module, names in _FUNCTIONS.items() for name in names.split())
_METHODS: dict[type, tuple[str, ...]] = {
    list: ("append", "extend", "insert", "pop"),
    set: ("add", "discard", "update"),
    dict: ("get", "setdefault"),
}
_MADE_BY: dict[type, tuple[type[cst.BaseExpression], ...]] = {
    list: (cst.List, cst.ListComp),
    set: (cst.Set, cst.SetComp),
    dict: (cst.Dict, cst.DictComp),
}


class HoistAttributes:
    """Give the functions that a loop calls local names.

    This covers only functions that certainly exist, and methods of lists, sets and dictionaries that the function
    created.

    Before::

        roots = []
        for x in xs:
            roots.append(math.sqrt(x))

    After::

        roots = []
        roots_append = roots.append
        sqrt = math.sqrt
        for x in xs:
            roots_append(sqrt(x))
    """

    name = "hoist-attributes"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat the loops of functions: names of a module are looked up just like attributes."""
        resolver = resolver_of(rule_input.module)
        tree, edits = Tree(rule_input.scope), Edits()
        names: dict[tuple[cst.BaseStatement, str], str] = {}
        taken = set(resolver.names.all)
        for found in _looked_up(tree.scope, tree, resolver):
            place = _place(found, tree, resolver)
            if place is None:
                continue
            key = (place, text(found))
            if key not in names:
                wanted = found.attr.value if resolver.qualified(found) else f"{text(found.value)}_{found.attr.value}"
                names[key] = fresh_name(wanted, taken)
                taken.add(names[key])
                edits.insert_before(place, f"{names[key]} = {text(found)}")
            edits.replace(found, stand_in(tree, found, names[key]))
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _looked_up(node: cst.CSTNode, tree: Tree, resolver: Resolver) -> Iterator[cst.Attribute]:
    """Give the attributes that are called, as `math.sqrt` is, and known to exist."""
    if isinstance(node, cst.Attribute) and _is_called(node, tree):
        if resolver.qualified(node) in _KNOWN or _is_method(node, tree, resolver):
            yield node
        return
    for child in children(node):
        yield from _looked_up(child, tree, resolver)


def _is_called(node: cst.Attribute, tree: Tree) -> bool:
    parent = tree.parents.get(node)
    return isinstance(parent, cst.Call) and parent.func is node


def _is_method(node: cst.Attribute, tree: Tree, resolver: Resolver) -> bool:
    """Tell whether this is a method of a list, set or dictionary that this very function makes, and nothing else."""
    owner = tree.function(node)
    if not isinstance(node.value, cst.Name) or not isinstance(owner, cst.FunctionDef):
        return False
    name = node.value.value
    values = list(assigned_values(owner, name))
    if len(values) != names_in(owner).binds[name] or name in resolver.names.shared:
        return False
    for kind, methods in _METHODS.items():
        maker = f"builtins.{kind.__name__}"
        is_made = all(isinstance(value, _MADE_BY[kind]) or resolver.is_call(value, maker) for value in values)
        if values and is_made and node.attr.value in methods:
            return True
    return False


def _place(found: cst.Attribute, tree: Tree, resolver: Resolver) -> cst.BaseStatement | None:
    """Give the statement before the outermost loop in which the owner of the attribute stays the same object."""
    if not isinstance(tree.function(found), cst.FunctionDef):
        return None
    place = None
    for region in regions_of(tree, found):
        if names_in(region).binds.keys() & names_in(found.value).reads.keys():
            break
        if isinstance(region, cst.For | cst.While):
            place = statement_before(tree, region)
    is_method = resolver.qualified(found) is None
    return place if place is not None and not (is_method and _is_bound_after(found, place, tree)) else None


def _is_bound_after(found: cst.Attribute, place: cst.BaseStatement, tree: Tree) -> bool:
    """Tell whether the method's owner may not be there yet: it has to be bound in the same block, above."""
    name = text(found.value)
    for statement in tree.block(place):
        if statement is place:
            return True
        if isinstance(statement, cst.SimpleStatementLine) and names_in(statement).binds[name]:
            return any(isinstance(small, cst.Del) for small in statement.body)
    return True
