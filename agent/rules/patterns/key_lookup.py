"""A key is looked up in the dictionary itself, and not in a list that is made of its keys for each search."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.edits import first_argument
from afterburner.agent.rules.analysis.scope import Analysis, Region
from afterburner.agent.rules.analysis.tree import Edits
from afterburner.agent.rules.analysis.value_types import Types
from afterburner.agent.rules.rule import RuleInput, RuleOutput

_COPIES = tuple(f"builtins.{name}" for name in ("frozenset", "list", "set", "tuple"))
_HASHED = frozenset(("dict", "frozenset", "set"))


class KeyLookup:
    """Look a key up in the dictionary or set, not in a copy of its keys.

    Before::

        for word in words:
            if word not in list(counts.keys()):
                counts[word] = 0

    After::

        for word in words:
            if word not in counts:
                counts[word] = 0
    """

    name = "key-lookup"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Treat every search in `list(d.keys())`, or in a copy of what the text shows to be a dictionary or set."""
        analysis = Analysis(rule_input)
        types, edits = Types(analysis), Edits()
        for region in analysis.regions():
            for comparison in analysis.find(cst.Comparison):
                if analysis.region_of(comparison) is not region or not _is_search(comparison):
                    continue
                searched = comparison.comparisons[0].comparator
                holder = _copied(analysis, types, region, searched)
                if holder is not None and types.may_hash(comparison.left, region):
                    edits.replace(searched, holder)
        return RuleOutput(edits.apply(rule_input.scope)) if edits else None


def _is_search(comparison: cst.Comparison) -> bool:
    return len(comparison.comparisons) == 1 and isinstance(comparison.comparisons[0].operator, cst.In | cst.NotIn)


def _copied(
    analysis: Analysis, types: Types, region: Region, searched: cst.BaseExpression
) -> cst.BaseExpression | None:
    """Give the dictionary or set whose keys are copied; None if it is something else, or not known."""
    if not isinstance(searched, cst.Call) or not analysis.resolver.is_call(searched, *_COPIES):
        return None
    source = first_argument(searched)
    # Rows of a database and headers of a message have `keys()`, too; a hint mostly tells.
    match source:
        case cst.Call(func=cst.Attribute(value=holder, attr=cst.Name("keys")), args=()):
            return holder if _may_be_dict(types, region, holder) else None
    return source if types.name(source, region) in _HASHED else None


def _may_be_dict(types: Types, region: Region, holder: cst.BaseExpression) -> bool:
    """Whether nothing speaks against a dictionary: a hint of another type does, and so does an object of its own."""
    if types.name(holder, region) is not None:
        return types.name(holder, region) == "dict"
    if not isinstance(holder, cst.Name):
        return isinstance(holder, cst.Attribute | cst.Subscript)
    parameters = region.params if isinstance(region, cst.FunctionDef) else cst.Parameters()
    every = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    hinted = any(each.name.value == holder.value and each.annotation is not None for each in every)
    return not hinted and holder.value not in {"self", "cls"}
