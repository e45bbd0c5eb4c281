"""What the tests of the rules share: putting a rewrite into its file, and comparing two files call by call."""

from __future__ import annotations

import contextlib
import copy
import io
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst
import pytest

from afterburner.agent.rules.rule import Rule, RuleInput

Apply = Callable[..., str | None]
Agree = Callable[..., None]


def _scope_of(module: cst.Module, qualname: str) -> cst.FunctionDef:
    body: Any = module.body
    found: Any = None
    for part in qualname.split("."):
        found = next(
            node for node in body if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.name.value == part
        )
        body = found.body.body
    assert isinstance(found, cst.FunctionDef)
    return found


@pytest.fixture(scope="session")
def apply() -> Apply:
    """Apply a rule to a function of a file, or to the whole file; None if the rule finds nothing."""

    def apply_rule(rule: Rule, source: str, qualname: str | None = None) -> str | None:
        module = cst.parse_module(source)
        scope = module if qualname is None else _scope_of(module, qualname)
        output = rule.rewrite(RuleInput(module, scope, qualname))
        if output is None:
            return None
        assert type(output.scope) is type(scope)
        head = "".join(f"{line}\n" for line in output.imports)
        if isinstance(output.scope, cst.Module):
            assert not output.helpers
            return head + output.scope.code
        text = ""
        for statement in module.body:
            new = statement.deep_replace(scope, output.scope)
            if new is not statement and not new.deep_equals(statement):  # type: ignore[union-attr]
                text += "".join(f"{helper}\n\n" for helper in output.helpers)
            text += module.code_for_node(new)  # type: ignore[arg-type]
        compile(head + text, "rewritten", "exec")
        return head + text

    return apply_rule


def _outcome(source: str, qualname: str, arguments: tuple[Any, ...]) -> str:
    module = types.ModuleType("target")
    sys.modules["target"] = module  # a dataclass looks its module up
    namespace = module.__dict__
    exec(compile(source, "target", "exec"), namespace)  # noqa: S102 - the tests' own texts
    function: Any = types.SimpleNamespace(**namespace)
    for part in qualname.split("."):
        function = getattr(function, part)
    arguments = copy.deepcopy(arguments)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            value = function(*arguments)
            result = f"gives {list(value) if hasattr(value, '__next__') else value!r}"
        except Exception as error:  # noqa: BLE001 - whatever is raised is the outcome
            result = f"raises {type(error).__name__}: {error}"
    return f"{result} | {arguments!r} | {printed.getvalue()}"


@pytest.fixture(scope="session")
def agree() -> Agree:
    """Assert that a function of two files has the same outcome on each of these arguments."""

    def assert_agree(before: str, after: str | None, qualname: str, calls: Iterable[tuple[Any, ...]]) -> None:
        assert after is not None
        for arguments in calls:
            assert _outcome(after, qualname, arguments) == _outcome(before, qualname, arguments), after

    return assert_agree
