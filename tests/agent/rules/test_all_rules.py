"""Every rule on much real code: none fails, what they write is Python, and they can be applied to it again."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
import pytest

from afterburner.agent.rules import PREPARING, all_rules
from afterburner.agent.rules.analysis.free_names import text
from afterburner.agent.rules.rule import Rule, RuleInput, RuleOutput

if TYPE_CHECKING:
    from collections.abc import Iterator

RULES = {rule.name: rule for rule in all_rules()}
# It starts a program for each function, so it sees whole files only.
QUICK = [rule for rule in RULES.values() if rule.name != "ruff-fixes"]
MODULES = (
    "bisect", "code", "codeop", "colorsys", "contextlib", "copy", "csv", "filecmp", "fileinput", "fnmatch",
    "fractions", "getopt", "glob", "graphlib", "heapq", "linecache", "queue", "reprlib", "sched", "string",
    "tabnanny", "textwrap", "timeit", "zipapp",
)  # fmt: skip
PROGRAMS = ("bisect", "colorsys", "filecmp", "linecache", "sched")
DATA = Path(__file__).parents[4] / "shared" / "data"

Place = tuple[cst.FunctionDef | cst.Module, str | None]


def parsed(name: str) -> cst.Module:
    """A file of the standard library."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return cst.parse_module(Path(spec.origin).read_text(encoding="utf-8"))


def functions_in(module: cst.Module) -> Iterator[Place]:
    """Every function at the top of a file, and every method, by its qualified name."""
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            yield node, node.name.value
        elif isinstance(node, cst.ClassDef):
            for each in node.body.body:
                if isinstance(each, cst.FunctionDef):
                    yield each, f"{node.name.value}.{each.name.value}"


def same_place(module: cst.Module, place: Place) -> Place:
    """The function of this name in another version of its file; of several, the one with the same parameters."""
    scope, qualname = place
    if isinstance(scope, cst.Module):
        return module, None
    found = [each for each in functions_in(module) if each[1] == qualname and isinstance(each[0], cst.FunctionDef)]
    return next(each for each in found if text(each[0].params) == text(scope.params))  # type: ignore[union-attr]


def rewritten(rule: Rule, module: cst.Module, place: Place) -> cst.Module | None:
    """The file after the rule; the function keeps its name, its parameters and its decorators."""
    scope, qualname = place
    output = rule.rewrite(RuleInput(module, scope, qualname))
    if output is None:
        return None
    assert isinstance(output, RuleOutput)
    assert type(output.scope) is type(scope)
    if isinstance(scope, cst.FunctionDef) and isinstance(output.scope, cst.FunctionDef):
        kept = scope.with_changes(body=output.scope.body, decorators=output.scope.decorators)
        assert text(kept) == text(output.scope)
    changed = output.scope if isinstance(output.scope, cst.Module) else module.deep_replace(scope, output.scope)
    assert isinstance(changed, cst.Module)
    assert changed.code != module.code, "the rule says that it fits, and changes nothing"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # "\\w" in a problem's own text
        warnings.simplefilter("ignore", DeprecationWarning)  # the same, before Python 3.12
        compile("\n".join((*output.imports, *output.helpers)), "added", "exec")
        compile(changed.code, "rewritten", "exec")
    return changed


def check(rules: list[Rule], module: cst.Module, places: list[Place]) -> int:
    """Apply each rule to each place, and again to what it made of it; tells how often a rule fitted."""
    fitted = 0
    for place in places:
        for rule in rules:
            try:
                changed = rewritten(rule, module, place)
                if changed is not None:
                    fitted += 1
                    again = cst.parse_module(changed.code)
                    rewritten(rule, again, same_place(again, place))
            except Exception as error:
                error.add_note(f"{rule.name} on {place[1] or 'the whole file'}:\n{text(place[0])}")
                raise
    return fitted


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", MODULES)
def test_no_rule_fails_on_a_function_of_the_standard_library(name: str) -> None:
    module = parsed(name)
    check(QUICK, module, list(functions_in(module)))


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_no_rule_fails_on_a_whole_file(name: str) -> None:
    module = parsed(name)
    check(list(RULES.values()), module, [(module, None)])


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "fields"),
    [
        ("mbpp/MbppPlus.jsonl.gz", ("canonical_solution",)),
        ("humaneval/HumanEval.jsonl.gz", ("prompt", "canonical_solution")),
    ],
)
def test_no_rule_fails_on_small_problems(file: str, fields: tuple[str, ...]) -> None:
    """Every third of them, for time. Their code is only read, never run; some rules have to fit."""
    path = DATA / file
    if not path.exists():
        pytest.skip(f"the data set {file} is not on this machine")
    fitted = 0
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in itertools.islice(lines, None, None, 3):
            problem = json.loads(line)
            module = cst.parse_module("".join(problem[field] for field in fields))
            fitted += check(QUICK, module, list(functions_in(module)))
    assert fitted > 2


def test_rules_have_names_of_their_own_and_show_what_they_do() -> None:
    assert len(RULES) == len(all_rules())
    assert set(RULES) >= PREPARING
    for rule in RULES.values():
        assert rule.name == rule.name.lower().replace("_", "-").replace(" ", "-")
        documentation = type(rule).__doc__ or ""
        before, after = documentation.find("Before::"), documentation.find("After::")
        assert 0 < before < after, f"{rule.name} does not show what it does"
