"""The embedded proposer: source-to-source rules, one at a time, then combined. No model, no key, no network."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from afterburner.agent.code import cst
from afterburner.agent.code.index import find_function, function_code
from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import function_source, functions_in, with_source
from afterburner.agent.code.source_text import fingerprint
from afterburner.agent.code.splice import splice
from afterburner.agent.models.prompts.proposer import Proposal
from afterburner.agent.rules import PREPARING, all_rules
from afterburner.agent.rules.rule import RuleInput
from afterburner.agent.types import Decision, Rewrite
from afterburner.sandbox.cancel import raise_if_cancelled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from afterburner.agent.models.prompts.proposer import ProposalRequest
    from afterburner.agent.rules.rule import Rule, RuleOutput
    from afterburner.agent.types import JudgedCandidate, Target

_PREFIX = "rules: "
_DIFFERING = frozenset({Decision.WRONG, Decision.CONDITIONAL})
_AND = " + "


@dataclass(frozen=True, slots=True)
class _Step:
    """What rules made of a target so far: the whole file, and what they added to it."""

    source: str
    fired: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()


class RulesProposer:
    """Proposes each rule alone, then those that passed together, then again on what has won.

    A rule that does not fit the code as it stands is tried on what the preparing rules make of it: a search may hide in
    a `while` that counts.

    The same code is never proposed twice. Which rules passed is read from the request's history, so a resumed run
    goes on where it stopped.
    """

    name = "rules"

    def __init__(self, rules: Sequence[Rule] | None = None, preparing: Collection[str] = PREPARING) -> None:
        """Use the given rules, or all that there are; `preparing` names those that make others fit."""
        if rules is None:
            rules = all_rules()
        self._rules = tuple(rules)
        self._preparing = tuple(rule for rule in self._rules if rule.name in preparing)

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give this iteration's candidates, more or fewer than `request.count`; none for what is not Python."""
        if request.target.language != PYTHON:
            return []
        seen = {fingerprint(request.target.source)}
        seen.update(fingerprint(record.source) for record in request.history if record.source)
        if request.iteration <= 1:
            return self._each(request.target, self._rules, seen, report_errors=True)
        together = self._fresh(request.target, self._together(request.history), seen)
        again = [rule for rule in self._rules if not _was_wrong(rule.name, request.history)]
        if request.iteration == 2:
            return list(together) or self._each(request.target, again, seen)
        return [*self._each(request.target, again, seen), *together]

    def _each(
        self, target: Target, rules: Sequence[Rule], seen: set[str], *, report_errors: bool = False
    ) -> list[Proposal]:
        """Propose every rule alone, then those that do not fit alone on what the preparing rules make of the code."""
        alone = list(self._fresh(target, [(rule,) for rule in rules], seen, report_errors=report_errors))
        done = {proposal.proposer.removeprefix(_PREFIX) for proposal in alone}
        preparing = [rule for rule in self._preparing if rule.name in done]
        groups = [(*preparing, rule) for rule in rules if preparing and rule.name not in done]
        return [*alone, *self._fresh(target, groups, seen, needs_last=True)]

    def _together(self, history: Sequence[JudgedCandidate]) -> list[tuple[Rule, ...]]:
        """Combine the rules that gained, and all that passed; the judge told which."""
        gained = _names(history, {Decision.IMPROVED, Decision.PROMISING})
        passed = _names(history, {Decision.IMPROVED, Decision.PROMISING, Decision.NOT_BETTER})
        groups = [tuple(rule for rule in self._rules if rule.name in names) for names in (gained, passed)]
        return [group for group in dict.fromkeys(groups) if len(group) > 1]

    def _fresh(
        self,
        target: Target,
        groups: Iterable[tuple[Rule, ...]],
        seen: set[str],
        *,
        report_errors: bool = False,
        needs_last: bool = False,
    ) -> Iterator[Proposal]:
        """Yield a proposal for each group of rules that makes code not seen before; its code counts as seen then.

        With `needs_last` the last rule of a group has to fit, or the group makes nothing.

        A rule that fails is reported once, on the first round; its failure never ends the run.
        """
        for group in groups:
            raise_if_cancelled()
            label = _PREFIX + _AND.join(rule.name for rule in group)
            try:
                step = _apply_all(group, target)
                if step is None or (needs_last and step.fired[-1] != group[-1].name):
                    continue
                rewrite = _as_rewrite(step, target)
                key = fingerprint(splice(target, rewrite))
            except Exception as error:  # noqa: BLE001 - whatever a rule does wrong, the other rules go on
                if report_errors:
                    yield Proposal(label, None, error=f"The rule failed on this code: {type(error).__name__}: {error}")
                continue
            if key not in seen:
                seen.add(key)
                yield Proposal(_PREFIX + _AND.join(step.fired), rewrite)


def _apply_all(group: Sequence[Rule], target: Target) -> _Step | None:
    """Apply rules one after another, each on what the ones before it left; None if none of them fits."""
    step = _Step(target.source)
    for rule in group:
        step = _apply(rule, target, step) or step
    return step if step.fired else None


def _apply(rule: Rule, target: Target, step: _Step) -> _Step | None:
    module = _parsed(step.source)
    if target.function is not None:
        return _apply_to_function(rule, target, step, module)
    done: _Step | None = None
    for qualname, *_ in functions_in(step.source):
        after = _apply_to_function(rule, replace(target, function=qualname), done or step, module)
        if after:
            done = after
            module = _parsed(after.source)
    return _apply_to_module(rule, target, done or step, module) or done


@functools.lru_cache(maxsize=4)
def _parsed(source: str) -> cst.Module:
    """One tree for all rules that look at a text: no rule changes a node, and what one learns of it serves the rest."""
    return cst.parse_module(source)


def _apply_to_function(rule: Rule, target: Target, step: _Step, module: cst.Module) -> _Step | None:
    node = find_function(module, target.function or "")
    if node is None:
        return None  # what the rule did to another function took it away
    output = rule.rewrite(RuleInput(module, node, target.function))
    if output is None:
        return None
    if not isinstance(output.scope, cst.FunctionDef):
        raise TypeError("it made something else of a function")
    rewrite = Rewrite(function_code(module, output.scope), output.imports, output.helpers)
    return _next(step, rule, output, splice(with_source(target, step.source), rewrite))


def _apply_to_module(rule: Rule, target: Target, step: _Step, module: cst.Module) -> _Step | None:
    output = rule.rewrite(RuleInput(module, module, None))
    if output is None:
        return None
    if not isinstance(output.scope, cst.Module):
        raise TypeError("it made something else of a module")
    whole = with_source(target, step.source)
    return _next(step, rule, output, splice(whole, Rewrite(output.scope.code, output.imports, output.helpers)))


def _next(step: _Step, rule: Rule, output: RuleOutput, source: str) -> _Step:
    fired = step.fired if step.fired[-1:] == (rule.name,) else (*step.fired, rule.name)
    return _Step(source, fired, (*step.imports, *output.imports), (*step.helpers, *output.helpers))


def _as_rewrite(step: _Step, target: Target) -> Rewrite:
    if target.function is None:
        return Rewrite(step.source)
    return Rewrite(function_source(with_source(target, step.source)), step.imports, step.helpers)


def _names(history: Sequence[JudgedCandidate], decisions: set[Decision]) -> set[str]:
    """Name the rules that took part in a candidate with one of these decisions."""
    labels = [record.proposer for record in history if record.decision in decisions]
    return {name for label in labels if label.startswith(_PREFIX) for name in label[len(_PREFIX) :].split(_AND)}


def _was_wrong(name: str, history: Sequence[JudgedCandidate]) -> bool:
    """Tell whether the rule, alone, changed what the code does: it would again."""
    return any(record.proposer == _PREFIX + name and record.decision in _DIFFERING for record in history)
