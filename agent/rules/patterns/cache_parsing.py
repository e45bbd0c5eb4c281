"""Texts that are parsed over and over, dates above all, are parsed once each."""

from __future__ import annotations

import libcst as cst

from afterburner.agent.rules.analysis.free_names import fresh_name, text
from afterburner.agent.rules.analysis.places import regions_of
from afterburner.agent.rules.analysis.resolve import resolver_of
from afterburner.agent.rules.analysis.tree import Edits, Tree
from afterburner.agent.rules.rule import RuleInput, RuleOutput

# Slow, free of effects, and what they give cannot be changed.
_PARSERS = frozenset(
    (
        "datetime.datetime.strptime", "time.strptime", "ipaddress.ip_address", "ipaddress.ip_network",
        "ipaddress.ip_interface", "fractions.Fraction", "email.utils.parsedate_to_datetime",
    )
)  # fmt: skip
_ENTRIES = 65536  # parsed texts that are kept; a log has fewer different dates


class CacheParsing:
    """Cache the result of parsing each text.

    Before::

        for line in lines:
            days.append(datetime.strptime(line[:10], "%Y-%m-%d"))

    After::

        _strptime = functools.lru_cache(maxsize=65536, typed=True)(datetime.strptime)

        for line in lines:
            days.append(_strptime(line[:10], "%Y-%m-%d"))
    """

    name = "cache-parsing"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Give every slow parser that runs in a loop, or in a function, a cache at module level."""
        resolver = resolver_of(rule_input.module)
        functools = resolver.module_import("functools")
        if functools is None or not isinstance(rule_input.scope, cst.FunctionDef):
            return None
        spelled, imports = functools
        tree, edits = Tree(rule_input.scope), Edits()
        helpers: dict[str, str] = {}
        for call in tree.find(cst.Call):
            qualified = resolver.qualified(call.func)
            if qualified not in _PARSERS or not tree.within(call, rule_input.scope.body):
                continue
            if not _imported_at_top(call.func, rule_input.module) or not (regions_of(tree, call) or len(call.args) > 1):
                continue
            parser = text(call.func)
            if parser not in helpers:
                wanted = f"_{qualified.rpartition('.')[2].lower()}"
                helpers[parser] = fresh_name(wanted, {*resolver.names.all, *helpers.values()})
            edits.replace(call.func, cst.Name(helpers[parser]))
        cache = f"{spelled}.lru_cache(maxsize={_ENTRIES}, typed=True)"
        definitions = tuple(f"{name} = {cache}({parser})" for parser, name in helpers.items())
        return RuleOutput(edits.apply(rule_input.scope), imports, definitions) if edits else None


def _imported_at_top(function: cst.BaseExpression, module: cst.Module) -> bool:
    """Tell whether the name that a function is reached by is imported by the module, not by one of its functions."""
    root = function
    while isinstance(root, cst.Attribute):
        root = root.value
    for statement in module.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if isinstance(small, cst.Import | cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                for alias in small.names:
                    local = alias.asname.name if alias.asname else alias.name
                    if text(local).split(".")[0] == text(root):
                        return True
    return False
