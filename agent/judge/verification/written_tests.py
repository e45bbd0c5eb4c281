"""Writes the test of a counterexample: a function for pytest that passes with the original and fails with the rewrite.

The expressions in it come out of the sandbox and are let through by `safe_expressions`. What the original does enters
only processes that hold the original. There the test is tried: with what the original does it has to pass, with what
the rewrite does in that place it has to fail. Where it does not, or where a value cannot be written, the test is
skipped with the reason.
"""

from __future__ import annotations

import base64
import keyword
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from afterburner.agent.inputs.harness import Harness
from afterburner.agent.judge.verification.helper_source import NAME, helper_source
from afterburner.agent.judge.verification.project_text import ProjectText
from afterburner.agent.judge.verification.safe_expressions import (
    ExpressionReader,
    FileNames,
    UnsafeExpressionError,
)
from afterburner.sandbox.driver.user_module import attribute_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.deadline import Deadline
    from afterburner.agent.judge.verification.call_differences import Comparer
    from afterburner.agent.types import WorkloadCall

JOB_S = 5.0
_RESERVED = frozenset({"made", "same", "observed", "linked", "arguments", "named", "module", "patch", "pytest"})
_MOST_COMMENT = 300


class ToldCall(BaseModel):
    """A call and what one version does in it, as `inside/told_calls.py` writes it; each text is an expression."""

    binding: str
    definitions: list[tuple[str, str]]
    state: list[tuple[str, str]]
    args: list[str]
    kwargs: list[tuple[str, str]]
    outcome: str
    links: list[int]  # which objects in the arguments and in the outcome are the same ones
    before: list[tuple[str, str]]
    after: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class TestWriter:
    """Writes the test of an input on which a rewrite differs; after `until` it starts no process for that."""

    __test__ = False  # for pytest, which collects classes of such names

    comparer: Comparer
    source: str
    hash_seed: int
    until: Deadline

    def write(self, calls: Sequence[WorkloadCall], shown: str) -> str:
        """The test as a function named `NAME`; `shown` is a line on the calls and the difference."""
        try:
            return self._checked(calls, shown)
        except UnsafeExpressionError as error:
            return _skipped(f"this input could not be written as code: {error}", shown)

    def _checked(self, calls: Sequence[WorkloadCall], shown: str) -> str:
        original, rewrite = self._told(calls, of_rewrite=False), self._told(calls, of_rewrite=True)
        if len(original) < len(calls) or len(rewrite) < len(calls):
            raise UnsafeExpressionError("a process did not come to the end of it")
        test = self._function(original, original[-1], rewrite[-1], shown)
        try:
            other = self._function(original, rewrite[-1], original[-1], shown)
        except UnsafeExpressionError:  # it cannot even be written, so it is nothing that the original does
            other = f"def {NAME}():\n    assert False\n"
        passed = self._tried([f"{helper_source()}\n\n{each}" for each in (test, other)])
        if passed[:1] != [True]:
            return _skipped("made from this code, the input is not the same: the original itself differs", shown)
        if passed[1:] != [False]:
            return _skipped("this test does not look at what differs", shown)
        return test

    def _told(self, calls: Sequence[WorkloadCall], *, of_rewrite: bool) -> list[ToldCall]:
        blobs = [base64.b64encode(call.blob).decode("ascii") for call in calls]
        harness = self._harness(of_rewrite=of_rewrite)
        answer = harness.ask("tell", "told", {"blobs": blobs, "helpers": helper_source()})
        try:
            return [ToldCall.model_validate(body) for body in answer.told]
        except ValidationError:
            return []

    def _tried(self, tests: Sequence[str]) -> list[bool]:
        answer = self._harness(of_rewrite=False).ask("try", "tried", {"tests": list(tests), "name": NAME})
        return [body.get("passed") is True for body in answer.told]

    def _harness(self, *, of_rewrite: bool) -> Harness:
        comparer = self.comparer
        target = replace(comparer.target, source=self.source) if of_rewrite else comparer.target
        environment = (comparer.other_environment if of_rewrite else None) or comparer.environment
        allowed_s, left_s = comparer.limits.wall_time_s + JOB_S, self.until.left_s()
        if not left_s:
            raise UnsafeExpressionError("there was no time left")
        limits = replace(comparer.limits, wall_time_s=min(allowed_s, left_s), cpu_time_s=allowed_s)
        return Harness(comparer.sandbox, target, environment, limits)

    def _function(self, told: Sequence[ToldCall], ending: ToldCall, other: ToldCall, shown: str) -> str:
        """The test that makes the calls and expects what `ending` says of the last; `other` is the other version's."""
        target = self.comparer.target
        project, module = ProjectText.of(target)
        reader = ExpressionReader(FileNames.of(module, project))
        body: list[str] = []
        for number, call in enumerate(told, start=1):
            body += [f"{name} = {reader.define(name, text)}" for name, text in call.definitions]
            patches = [_patch(name, text, reader) for name, text in call.state]
            lines = _call_lines(call, target.function or "", reader)
            if number == len(told):
                lines += ["assert same(outcome, expected), outcome", *_standing_lines(ending, other, reader)]
                body.append(f"expected = {reader.read(ending.outcome)}")
            if patches:
                body.append(f"with {', '.join(patches)}:")
                reader.imports.add("from unittest.mock import patch")
            body += [f"    {line}" if patches else line for line in lines]
        if clashes := reader.used & _RESERVED:
            raise UnsafeExpressionError(f"the name {min(clashes)} means something else in a test")
        name = _dotted(target.module)
        imports = [*sorted(reader.imports), f"import {name} as module"]
        imports += [f"from {name} import {', '.join(sorted(reader.used))}"] if reader.used else []
        seed = [f"# They differ under PYTHONHASHSEED={self.hash_seed}."] if self.hash_seed else []
        lines = [comment(shown), *seed, *imports, "", *body]
        return "\n".join([f"def {NAME}():", *(f"    {line}".rstrip() for line in lines)]) + "\n"


def _patch(name: str, text: str, reader: ExpressionReader) -> str:
    """What sets a global of the module for one call."""
    reader.check_state(name)
    return f"patch.object(module, {_identifier(name)!a}, {reader.read(text)}, create=True)"


def _call_lines(call: ToldCall, function: str, reader: ExpressionReader) -> list[str]:
    named = ", ".join(f"{_identifier(name)!a}: {reader.read(text)}" for name, text in call.kwargs)
    return [
        f"arguments = [{', '.join(map(reader.read, call.args))}]",
        f"named = {{{named}}}",
        f"outcome = observed({_callee(call.binding, function)}, **named)",
    ]


def _callee(binding: str, function: str) -> str:
    """What is called, with the arguments that stand before those by name."""
    qualname = _dotted(".".join(attribute_names(function)))
    name = qualname.rpartition(".")[2]
    if binding == "property":
        return f'getattr, *arguments, "{name}"'
    if binding == "class":
        return f"arguments[0].{name}, *arguments[1:]"
    return f"module.{qualname}, *arguments"


def _standing_lines(ending: ToldCall, other: ToldCall, reader: ExpressionReader) -> list[str]:
    """What the call leaves in its arguments and the module, where it changes that or the other version differs."""
    before, elsewhere = dict(ending.before), dict(other.after)
    lines = []
    for place, text in ending.after:
        if text == before.get(place) == elsewhere.get(place):
            continue
        lines.append(f"assert same({_dotted(place)}, {reader.read(text)}), {_dotted(place)}")
    if ending.links != other.links:
        lines.append(f"assert linked((tuple(arguments), named, outcome)) == {ending.links}")
    return lines


def _identifier(name: str) -> str:
    if not (name.isascii() and name.isidentifier()) or keyword.iskeyword(name) or name.startswith("__"):
        raise UnsafeExpressionError("a name in it is none that can be written")
    return name


def _dotted(name: str) -> str:
    return ".".join(map(_identifier, name.split(".")))


def _skipped(reason: str, shown: str) -> str:
    mark = f"@pytest.mark.skip(reason={reason!a})"
    return f"{mark}\ndef {NAME}():\n    {comment(shown)}\n    raise NotImplementedError\n"


def comment(text: str) -> str:
    """A text as a comment of one line: whatever is not printable ASCII is escaped."""
    escaped = text[:_MOST_COMMENT].replace("\N{HORIZONTAL ELLIPSIS}", "...").encode("unicode_escape").decode("ascii")
    return f"# {escaped}"
