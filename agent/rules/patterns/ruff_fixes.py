"""Ruff's own fixes of its performance and simplification rules, taken over inside the target only."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import libcst as cst
import ruff  # type: ignore[import-untyped] # it has no types

from afterburner.agent.rules.analysis.tree import children
from afterburner.agent.rules.rule import RuleInput, RuleOutput
from afterburner.sandbox.host_commands import run_on_host

if TYPE_CHECKING:
    from collections.abc import Iterator

_SELECT = "PERF,C4,FURB,SIM"
_TIMEOUT_S = 20.0


class RuffFixes:
    """Apply ruff's fixes for PERF, C4, FURB and SIM.

    Before::

        out = []
        for x in xs:
            if x > 2:
                out.append(x * 2)

    After::

        out = [x * 2 for x in xs if x > 2]
    """

    name = "ruff-fixes"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        """Run ruff over the whole file and take over what it changed in the scope, with the imports it added."""
        fixed_text = _fix(rule_input.module.code)
        if fixed_text is None or fixed_text == rule_input.module.code:
            return None
        try:
            fixed = cst.parse_module(fixed_text)
        except cst.ParserSyntaxError:
            return None
        if isinstance(rule_input.scope, cst.Module):
            return RuleOutput(fixed)
        scope = _counterpart(rule_input.module, rule_input.scope, fixed)
        if scope is None or scope.deep_equals(rule_input.scope):
            return None
        added = [line for line in _imports(fixed) if line not in _imports(rule_input.module)]
        return RuleOutput(scope, imports=tuple(added))


def _fix(text: str) -> str | None:
    """Give ruff's version of the text, or None where ruff is missing, slow or cannot read it."""
    try:
        command = [
            ruff.find_ruff_bin(), "check", "--isolated", "--no-cache", "--quiet", "--preview",
            "--select", _SELECT, "--fix-only", "--unsafe-fixes", "--exit-zero", "-",
        ]  # fmt: skip
        done = run_on_host(command, stdin=text.encode(), timeout_s=_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired, UnicodeEncodeError):
        return None
    if done.returncode != 0 or not done.stdout:
        return None
    try:
        return done.stdout.decode()
    except UnicodeDecodeError:
        return None


def _functions(node: cst.CSTNode, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], cst.FunctionDef]]:
    """Give all functions in reading order, each with the names of what encloses it and its own."""
    for child in children(node):
        if isinstance(child, cst.FunctionDef):
            yield (*path, child.name.value), child
        inner = (*path, child.name.value) if isinstance(child, cst.FunctionDef | cst.ClassDef) else path
        yield from _functions(child, inner)


def _counterpart(before: cst.Module, scope: cst.FunctionDef, after: cst.Module) -> cst.FunctionDef | None:
    """Find in `after` the function that `scope` is in `before`: same path, and the same one of several."""
    old = list(_functions(before))
    path = next((path for path, node in old if node is scope), None)
    if path is None:
        return None
    same_before = [node for candidate, node in old if candidate == path]
    same_after = [node for candidate, node in _functions(after) if candidate == path]
    if len(same_before) != len(same_after):
        return None
    return same_after[next(i for i, node in enumerate(same_before) if node is scope)]


def _imports(module: cst.Module) -> list[str]:
    """Write each name that the top of the file imports as a statement of its own."""
    lines = []
    for statement in module.body:
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        for small in statement.body:
            if isinstance(small, cst.Import):
                lines += [f"import {_alias(module, alias)}" for alias in small.names]
            elif isinstance(small, cst.ImportFrom) and not isinstance(small.names, cst.ImportStar):
                dots = "." * len(small.relative)
                source = dots + (module.code_for_node(small.module) if small.module else "")
                lines += [f"from {source} import {_alias(module, alias)}" for alias in small.names]
    return lines


def _alias(module: cst.Module, alias: cst.ImportAlias) -> str:
    return module.code_for_node(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT))
