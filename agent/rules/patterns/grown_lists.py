"""A search through a list that the same loops fill gets a dictionary that grows with the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.effects import Effects
from afterburner.agent.rules.analysis.free_names import canonical, fresh_name, names_in, operand, text
from afterburner.agent.rules.analysis.places import helper
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.scan_keys import Key, find_key
from afterburner.agent.rules.analysis.scans import Scan, describe, find_scans
from afterburner.agent.rules.analysis.tree import Edits, Tree, walk_own
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.rules.analysis.resolve import Resolver

_NOTE = '''def NAME(groups, item, key):
    """Add an item to the group of its key; None from the first item on whose key cannot be had or hashed."""
    try:
        groups.setdefault(key(item), []).append(item)
    except Exception:
        return None
    return groups'''


_ALIKE = '''def NAME(groups, key, items):
    """Give the group of a key, or all items where the key cannot be hashed."""
    try:
        return groups.get(key, ())
    except TypeError:
        return items'''


class GrownLists:
    """Look up earlier elements by key instead of scanning them.

    Before::

        kept = []
        for row in rows:
            for other in kept:
                if other.email == row.email:
                    break
            else:
                kept.append(row)

    After::

        kept = []
        kept_by_email = {}
        for row in rows:
            for other in _alike(kept_by_email, row.email, kept) if kept_by_email else kept:
                if other.email == row.email:
                    break
            else:
                kept.append(row)
                kept_by_email = _note(kept_by_email, kept[-1], lambda other: other.email)
    """

    name = "grown-lists"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every list that starts empty, only grows by `append`, and is searched where it grows."""
        resolver = resolver_of(rule_input.module)
        if not all(resolver.spelled(f"builtins.{name}") for name in ("Exception", "TypeError", "len")):
            return None
        tree, edits = Tree(rule_input.scope), Edits()
        effects = Effects(resolver, rule_input.scope)
        (note, note_definition), (alike, alike_definition) = (
            helper(name, source, resolver) for name, source in (("_note", _NOTE), ("_alike", _ALIKE))
        )
        indexes: dict[tuple[object, ...], str] = {}
        for scan in find_scans(tree, effects, resolver, in_lists=True):
            found = _find(scan, tree, effects, resolver)
            if found is None:
                continue
            signature = (found.start, canonical(found.key.element), text(scan.node.target), found.item)
            if signature not in indexes:
                wanted = f"{found.name}_by_{describe(found.key.element)}"
                name = indexes[signature] = fresh_name(wanted, {*resolver.names.all, *indexes.values()})
                edits.insert_after(found.start, f"{name} = {{}}")
                key = f"lambda {text(scan.node.target)}: {text(found.key.element)}"
                for statement in found.appends:
                    edits.insert_after(statement, f"{name} = {note}({name}, {found.item}, {key})")
            edits.replace(scan.node.iter, _narrowed(scan, found.key, alike, indexes[signature]))
        return RuleOutput(edits.apply(rule_input.scope), (), (*note_definition, *alike_definition)) if edits else None


def _narrowed(scan: Scan, key: Key, alike: str, index: str) -> cst.BaseExpression:
    items = operand(scan.node.iter)
    written = f"{alike}({index}, {text(key.question)}, {items}) if {index} else {items}"
    return cst.parse_expression(f"({written})" if isinstance(scan.node, cst.CompFor) else written)


@dataclass(frozen=True, slots=True)
class _Grown:
    """A search, the list that it searches, and all the statements that the list is made by."""

    key: Key
    name: str
    item: str  # the last element, as the search would see it
    start: cst.SimpleStatementLine
    appends: list[cst.SimpleStatementLine]


def _find(scan: Scan, tree: Tree, effects: Effects, resolver: Resolver) -> _Grown | None:
    searched = _searched_list(scan, resolver)
    owner = tree.function(scan.node)
    if searched is None or not tree.loops(scan.node) or not isinstance(owner, cst.FunctionDef | cst.Module):
        return None
    name, item = searched
    names = names_in(owner)
    starts = [line for line in _lines(owner) if _starts_empty(line, name)]
    appends = [line for line in _lines(owner) if _appended(line, name) is not None]
    if len(starts) != 1 or names.binds[name] != 1 or name in resolver.names.shared or not appends:
        return None
    if isinstance(scan.node, cst.For) and any(tree.within(line, scan.node.body) for line in appends):
        return None
    inside = effects.changes(scan.node.body if isinstance(scan.node, cst.For) else scan.node)
    inside.binds -= scan.names
    key = find_key(scan, effects, inside, resolver)
    if key is None or key.exact:
        return None
    found = _Grown(key, name, item, starts[0], appends)
    return found if _only_grows(found, scan.names, owner, effects) else None


def _searched_list(scan: Scan, resolver: Resolver) -> tuple[str, str] | None:
    """Give the name of the list that is searched, and how its last element looks to the search."""
    iterated = scan.node.iter
    if not isinstance(scan.node.target, cst.Name):
        return None
    if isinstance(iterated, cst.Name):
        return iterated.value, f"{iterated.value}[-1]"
    if isinstance(iterated, cst.Call) and resolver.is_call(iterated, "builtins.range") and len(iterated.args) == 1:
        length = iterated.args[0].value
        if isinstance(length, cst.Call) and resolver.is_call(length, "builtins.len") and len(length.args) == 1:
            measured = length.args[0].value
            if isinstance(measured, cst.Name):
                return measured.value, f"len({measured.value}) - 1"
    return None


def _lines(owner: cst.CSTNode) -> Iterator[cst.SimpleStatementLine]:
    for node in walk_own(owner):
        if isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
            yield node


def _starts_empty(line: cst.SimpleStatementLine, name: str) -> bool:
    small = line.body[0]
    if isinstance(small, cst.Assign):
        is_target = len(small.targets) == 1 and text(small.targets[0].target) == name
    elif isinstance(small, cst.AnnAssign):
        is_target = text(small.target) == name
    else:
        return False
    return is_target and isinstance(small.value, cst.List) and not small.value.elements


def _appended(line: cst.SimpleStatementLine, name: str) -> cst.Call | None:
    """Give the call if the line is `name.append(…)`."""
    small = line.body[0]
    call = small.value if isinstance(small, cst.Expr) else None
    if isinstance(call, cst.Call) and text(call.func) == f"{name}.append" and len(call.args) == 1:
        return call
    return None


def _only_grows(found: _Grown, element: set[str], owner: cst.FunctionDef | cst.Module, effects: Effects) -> bool:
    """Tell whether nothing but the appends changes the list, and nothing the keys of what is in it."""
    calls = [call for line in found.appends if (call := _appended(line, found.name)) is not None]
    body = [owner.body] if isinstance(owner, cst.FunctionDef) else list(owner.body)
    left = effects.changes(*body, leave_out=calls)
    left.binds -= {*element, found.name}
    if not effects.is_stable(cst.Name(found.name), left) or not effects.is_stable(found.key.element, left):
        return False
    return all(effects.holds_kept(call.args[0].value, left) for call in calls)
