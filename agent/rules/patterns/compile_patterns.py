"""Regular expressions with a constant pattern are compiled once, at module level."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

import libcst as cst

from afterburner.agent.rules.analysis.free_names import fresh_name, names_in, text
from afterburner.agent.rules.analysis.resolve import Resolver, resolver_of
from afterburner.agent.rules.analysis.tree import Edits, Tree, walk
from afterburner.agent.rules.rule import RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Callable

# Function of `re` -> its parameters; the method of a compiled pattern takes the same, without pattern and flags.
_PARAMETERS = {
    "re.match": ("pattern", "string", "flags"),
    "re.fullmatch": ("pattern", "string", "flags"),
    "re.search": ("pattern", "string", "flags"),
    "re.findall": ("pattern", "string", "flags"),
    "re.finditer": ("pattern", "string", "flags"),
    "re.split": ("pattern", "string", "maxsplit", "flags"),
    "re.sub": ("pattern", "repl", "string", "count", "flags"),
    "re.subn": ("pattern", "repl", "string", "count", "flags"),
    "re.compile": ("pattern", "flags"),
}
_REQUIRED = {"re.sub": 3, "re.subn": 3, "re.compile": 1}
_FLAGS = {
    f"re.{name}"
    for name in ("A", "ASCII", "I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "U", "UNICODE")
}


class CompilePatterns:
    r"""Compile a constant pattern once, when the module loads.

    Before::

        for line in lines:
            match = re.search(r"(\d+) ms", line)

    After::

        _PATTERN = re.compile(r"(\d+) ms")

        for line in lines:
            match = _PATTERN.search(line)
    """

    name = "compile-patterns"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Move every constant pattern that compiles; a pattern that does not must go on failing where it stands."""
        resolver = resolver_of(rule_input.module)
        imported = resolver.module_import("re")
        if imported is None:
            return None
        spelled, imports = imported
        tree, edits = Tree(rule_input.scope), Edits()
        taken = resolver.names.all
        helpers: dict[str, str] = {}
        first: cst.BaseStatement | None = None
        for call in tree.find(cst.Call):
            arguments = _arguments(call, resolver)
            if arguments is None or not _is_repeated(tree, call):
                continue
            source = _compiled(arguments, resolver, spelled, rule_input)
            if source is None:
                continue
            if source not in helpers:
                helpers[source] = fresh_name(_wanted_name(rule_input), {*taken, *helpers.values()})
            moved = [arguments[name] for name in ("pattern", "flags") if name in arguments]
            dropped = {place for place, arg in enumerate(call.args) if any(arg is other for other in moved)}
            method = (resolver.qualified(call.func) or "").removeprefix("re.")
            edits.change(call, _replacement(helpers[source], method, dropped))
            first = first or _top_level(tree, call)
        if not helpers or not (imports or _imported_above(rule_input.module, first or rule_input.scope)):
            return None
        definitions = tuple(f"{name} = {source}" for source, name in helpers.items())
        if isinstance(rule_input.scope, cst.Module) and first is not None:
            edits.insert_before(first, *definitions)
            return RuleOutput(edits.apply(rule_input.scope), imports)
        return RuleOutput(edits.apply(rule_input.scope), imports, definitions)


def _wanted_name(rule_input: RuleInput) -> str:
    """Name it after the function: the rewrites of two functions of a file have to go together."""
    if rule_input.qualname is None:
        return "_PATTERN"
    return f"_{rule_input.qualname.replace('.', '_').strip('_').upper()}_PATTERN"


def _arguments(call: cst.Call, resolver: Resolver) -> dict[str, cst.Arg] | None:
    """Give the arguments of a call of `re` by parameter; None for any other call, or an unusual one."""
    function = resolver.qualified(call.func)
    if function not in _PARAMETERS or any(arg.star for arg in call.args):
        return None
    parameters = _PARAMETERS[function]
    given: dict[str, cst.Arg] = {}
    for position, arg in enumerate(call.args):
        name = arg.keyword.value if arg.keyword else parameters[position] if position < len(parameters) else ""
        if name not in parameters or name in given:
            return None
        given[name] = arg
    complete = all(name in given for name in parameters[: _REQUIRED.get(function, 2)])
    return given if complete else None


def _is_repeated(tree: Tree, call: cst.Call) -> bool:
    """Tell whether the call can run more than once: it is in a function or a loop, but not a default or decorator."""
    enclosing = tree.function(call)
    if isinstance(enclosing, cst.FunctionDef | cst.Lambda):
        return tree.within(call, enclosing.body)
    return isinstance(enclosing, cst.Module) and bool(tree.loops(call))


def _compiled(arguments: dict[str, cst.Arg], resolver: Resolver, spelled: str, rule_input: RuleInput) -> str | None:
    """Write the compilation of a pattern that is known to compile, or None."""
    pattern = arguments["pattern"].value
    value = _constant(pattern)
    if value is None and isinstance(pattern, cst.Name):
        value = _module_constant(pattern.value, rule_input)
    if value is None:
        return None
    flags = arguments["flags"].value if "flags" in arguments else None
    flag_bits = _flags(flags, resolver) if flags is not None else 0
    if flag_bits is None or not _compiles(value, flag_bits):
        return None
    return f"{spelled}.compile({text(pattern)}{f', {text(flags)}' if flags is not None else ''})"


def _top_level(tree: Tree, node: cst.CSTNode) -> cst.BaseStatement | None:
    """Give the statement of the module that holds the node; None in a function's tree."""
    above = [node, *tree.ancestors(node)]
    return above[-2] if isinstance(above[-1], cst.Module) and isinstance(above[-2], cst.BaseStatement) else None


def _imported_above(module: cst.Module, place: cst.CSTNode) -> bool:
    """Tell whether `re` is imported before the statement of the module that holds the place."""
    for statement in module.body:
        if any(node is place for node in walk(statement)):
            return False
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.Import) and any(text(alias.name) == "re" for alias in small.names):
                    return True
    return False


def _constant(node: cst.BaseExpression) -> str | bytes | None:
    """Give the value of a literal without placeholders."""
    if not isinstance(node, cst.SimpleString | cst.ConcatenatedString):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is the user's own business
            value = ast.literal_eval(f"({text(node)})")
    except (SyntaxError, ValueError):  # an f-string among the parts, or a bad escape
        return None
    return value if isinstance(value, str | bytes) else None


def _module_constant(name: str, rule_input: RuleInput) -> str | bytes | None:
    """Give the value of a name that the top of the file binds to a literal, once, above the scope."""
    names = names_in(rule_input.module)
    if names.binds[name] != 1 or name in names.shared:
        return None
    for statement in rule_input.module.body:
        if any(node is rule_input.scope for node in walk(statement)):
            return None
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.Assign) and any(text(each.target) == name for each in small.targets):
                    return _constant(small.value)
    return None


def _flags(node: cst.BaseExpression, resolver: Resolver) -> int | None:
    """Give the value of flags that are written out; None for others, and for DEBUG and LOCALE."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr | cst.Add):
        left, right = _flags(node.left, resolver), _flags(node.right, resolver)
        return None if left is None or right is None else left | right
    if isinstance(node, cst.Integer) and node.value == "0":
        return 0
    name = resolver.qualified(node)
    return int(getattr(re, name.removeprefix("re."))) if name in _FLAGS and name else None


def _compiles(pattern: str | bytes, flags: int) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern, flags)
    except (re.error, ValueError, OverflowError, RecursionError, Warning):
        return False
    return True


def _replacement(helper: str, method: str, dropped: set[int]) -> Callable[[cst.Call], cst.BaseExpression]:
    """Make `_PATTERN.sub(new, line)` of `re.sub(PATTERN, new, line)`: without the arguments at these places."""

    def change(call: cst.Call) -> cst.BaseExpression:
        if method == "compile":
            return cst.Name(helper, lpar=call.lpar, rpar=call.rpar)
        kept = [arg for place, arg in enumerate(call.args) if place not in dropped]
        kept[-1] = kept[-1].with_changes(comma=call.args[-1].comma)
        return call.with_changes(func=cst.Attribute(cst.Name(helper), cst.Name(method)), args=kept)

    return change
