"""The rules come one at a time, then combined, and never with the same code twice; the rules here are simple ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst
import pytest

from afterburner.agent.code.locate import with_source
from afterburner.agent.code.splice import splice
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.models.rules_proposer import RulesProposer
from afterburner.agent.rules.rule import RuleInput, RuleOutput
from afterburner.agent.types import Decision, JudgedCandidate, Objective, Target
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable

    MakeTarget = Callable[..., Target]


class Renumber:
    """Turns one number into another wherever it stands in the scope; `a` becomes `b`."""

    def __init__(
        self, name: str, old: str, new: str, imports: tuple[str, ...] = (), helpers: tuple[str, ...] = ()
    ) -> None:
        self.name, self.old, self.new, self.imports, self.helpers = name, old, new, imports, helpers

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        rule = self

        class Change(cst.CSTTransformer):
            def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:  # noqa: N802 - libcst calls it so
                return node is rule_input.scope  # functions of a module are scopes of their own

            def leave_Integer(  # noqa: N802 - libcst calls it so
                self, original_node: cst.Integer, updated_node: cst.Integer
            ) -> cst.BaseExpression:
                return updated_node.with_changes(value=rule.new) if original_node.value == rule.old else updated_node

        scope = rule_input.scope.visit(Change())
        if not isinstance(scope, cst.FunctionDef | cst.Module) or scope.deep_equals(rule_input.scope):
            return None
        return RuleOutput(scope, self.imports, self.helpers)


class Crash:
    """Fails on everything."""

    name = "crash"

    def rewrite(self, rule_input: RuleInput) -> RuleOutput | None:
        raise IndexError(f"no luck with {rule_input.qualname}")


ONE = Renumber("one", "1", "10", imports=("import re",))
TWO = Renumber("two", "2", "20", helpers=("_TWO = 2",))
LATE = Renumber("late", "20", "30")
SAME = Renumber("same", "1", "10", imports=("import re",))
NEVER = Renumber("never", "77", "78")
SOURCE = "def other(): return 1\n\n\n# about\ndef f(x):\n    y = 1  # one\n    return x + 2 + y\n    # end\n"


def request(target: Target, iteration: int, history: tuple[JudgedCandidate, ...] = ()) -> ProposalRequest:
    return ProposalRequest(target, Objective.TIME, Measurement(1.0, 1.0, 1, 1.0), True, iteration, 1, history)


def record(target: Target, proposal: Proposal, decision: Decision) -> JudgedCandidate:
    assert proposal.rewrite is not None
    return JudgedCandidate("1.1", 1, proposal.proposer, None, decision, "", source=splice(target, proposal.rewrite))


def names(proposals: list[Proposal]) -> list[str]:
    return [proposal.proposer for proposal in proposals]


def test_first_every_rule_that_fits_comes_alone(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "f")
    proposals = RulesProposer([ONE, NEVER, TWO, SAME]).propose(request(target, 1))
    assert names(proposals) == ["rules: one", "rules: two"]  # `same` makes what `one` made
    first, second = (splice(target, proposal.rewrite) for proposal in proposals if proposal.rewrite)
    assert first == "import re\n\n\n" + SOURCE.replace("y = 1", "y = 10")
    assert second == SOURCE.replace("# about", "_TWO = 2\n\n\n# about").replace("x + 2", "x + 20")


def test_a_rule_that_fits_only_what_a_preparing_rule_makes_comes_with_it(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "f")
    turned = Renumber("turned", "10", "11")
    proposer = RulesProposer([turned, ONE, TWO, NEVER], preparing={"one"})
    proposals = proposer.propose(request(target, 1))
    assert names(proposals) == ["rules: one", "rules: two", "rules: one + turned"]
    last = proposals[-1]
    assert last.rewrite is not None
    assert splice(target, last.rewrite) == "import re\n\n\n" + SOURCE.replace("y = 1", "y = 11")
    history = (record(target, last, Decision.IMPROVED),)
    incumbent = with_source(target, history[0].source)
    assert names(proposer.propose(request(incumbent, 2, history))) == ["rules: two"]


def test_then_those_that_passed_come_together_on_the_incumbent(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "f")
    proposer = RulesProposer([ONE, TWO, LATE])
    one, two = proposer.propose(request(target, 1))
    history = (record(target, one, Decision.IMPROVED), record(target, two, Decision.NOT_BETTER))
    together = proposer.propose(request(target, 2, history))
    assert names(together) == ["rules: one + two"]
    assert together[0].rewrite is not None
    combined = splice(target, together[0].rewrite)
    assert "y = 10  # one" in combined
    assert "x + 20" in combined
    assert combined.startswith("import re\n")
    assert "_TWO = 2\n" in combined

    incumbent = with_source(target, history[0].source)
    on_top = proposer.propose(request(incumbent, 2, history))
    assert names(on_top) == ["rules: two"]  # `one` is in it already
    later = replace(record(incumbent, on_top[0], Decision.IMPROVED), iteration=2)
    third = proposer.propose(request(with_source(target, later.source), 3, (*history, later)))
    assert names(third) == ["rules: late"]
    assert RulesProposer([ONE, TWO]).propose(request(with_source(target, later.source), 3, (*history, later))) == []


def test_rules_that_gained_are_combined_without_those_that_only_passed(make_target: MakeTarget) -> None:
    three = Renumber("three", "3", "33")
    target = make_target("def f():\n    return 1, 2, 3\n", "f")
    proposer = RulesProposer([ONE, TWO, three])
    decisions = (Decision.IMPROVED, Decision.NOT_BETTER, Decision.IMPROVED)
    history = tuple(
        record(target, proposal, decision)
        for proposal, decision in zip(proposer.propose(request(target, 1)), decisions, strict=True)
    )
    assert names(proposer.propose(request(target, 2, history))) == ["rules: one + three", "rules: one + two + three"]


@pytest.mark.parametrize("decision", [Decision.WRONG, Decision.REFUSED])
def test_rules_that_failed_are_not_combined(make_target: MakeTarget, decision: Decision) -> None:
    target = make_target(SOURCE, "f")
    proposer = RulesProposer([ONE, TWO])
    one, two = proposer.propose(request(target, 1))
    history = (record(target, one, Decision.IMPROVED), record(target, two, decision))
    assert proposer.propose(request(target, 2, history)) == []
    incumbent = with_source(target, history[0].source)
    again = names(proposer.propose(request(incumbent, 3, history)))
    assert again == ([] if decision is Decision.WRONG else ["rules: two"])


def test_a_rule_that_fails_does_not_end_the_run_and_is_reported_once(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "f")
    clash = Renumber("clash", "1", "10", helpers=("other = 1",))
    proposer = RulesProposer([Crash(), clash, ONE])
    crash, clashed, one = proposer.propose(request(target, 1))
    assert (crash.proposer, crash.rewrite) == ("rules: crash", None)
    assert "IndexError: no luck with f" in crash.error
    assert "would replace what other" in clashed.error
    assert one.rewrite is not None
    history = (record(target, one, Decision.NOT_BETTER),)
    assert proposer.propose(request(target, 2, history)) == []


def test_methods_are_rewritten_in_their_class(make_target: MakeTarget) -> None:
    method = "\t# about f\n\t@staticmethod\n\tdef f():\n\t\tif 1:\n\t\t\treturn 2\n\t\t# end\n"
    source = f"class A:\n\tdef g(self): return 1\n\n{method}"
    target = make_target(source, "A.f")
    proposals = RulesProposer([Renumber("one", "1", "10")]).propose(request(target, 1))
    assert [splice(target, p.rewrite) for p in proposals if p.rewrite] == [source.replace("if 1", "if 10")]


def test_in_a_whole_program_a_rule_works_on_every_function_and_on_the_top_level(make_target: MakeTarget) -> None:
    source = (
        "import sys\n\n\ndef f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 1\n\n\n"
        "print(1, f())  # odd   spacing\n"
    )
    target = make_target(source, None)
    proposals = RulesProposer([ONE, TWO]).propose(request(target, 1))
    assert names(proposals) == ["rules: one"]
    assert proposals[0].rewrite is not None
    assert splice(target, proposals[0].rewrite) == source.replace("1", "10").replace(
        "import sys", "import re\nimport sys"
    )


def test_the_embedded_rules_are_the_default(make_target: MakeTarget) -> None:
    source = "def f(words, stop):\n    stops = list(stop)\n    return [w for w in words if w in stops]\n"
    proposals = RulesProposer().propose(request(make_target(source, "f"), 1))
    assert proposals
    assert all(p.proposer.startswith("rules: ") for p in proposals)
    assert not [p.error for p in proposals if p.error]
