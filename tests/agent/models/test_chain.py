"""Who of a chain is asked, and when: real rules and a real recording, and what the judge said of earlier candidates."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import with_source
from afterburner.agent.code.splice import splice
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.chain import ChainProposer
from afterburner.agent.models.prompts.proposer import Proposal, ProposalRequest
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.rules_proposer import RulesProposer
from afterburner.agent.types import Decision, JudgedCandidate, Objective
from afterburner.sandbox import Measurement, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

SEARCHES = """\
def common(left, right):
    found = []
    for value in left:
        if value in right:
            found.append(value)
    return found
"""
PLAIN = "def f(x):\n    return x + x\n"


class Failing:
    """A model that is gone."""

    name = "openai/gone"

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        raise ProposerError(f"openai/gone cannot be used in {request.iteration}")


@pytest.fixture
def recording(tmp_path: Path) -> Proposer:
    codes = ["def f(x):\n    return 2 * x\n", "def f(x):\n    return x << 1\n", "def f(x):\n    return x * 2\n"]
    answers = [f"<thinking>{n}</thinking><solution>```python\n{code}```</solution>" for n, code in enumerate(codes)]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"content": answer}) + "\n" for answer in answers))
    return open_proposer(f"replay:{path}")


def request(
    target: Target, iteration: int, history: Sequence[JudgedCandidate] = (), *, is_last: bool = False
) -> ProposalRequest:
    measured = Measurement(1.0, 1.0, 1, 1.0)
    return ProposalRequest(
        target, Objective.TIME, measured, True, iteration, 1, history=tuple(history), is_last=is_last
    )


def judged(proposals: Sequence[Proposal], target: Target, iteration: int, decision: Decision) -> list[JudgedCandidate]:
    """What the loop remembers of an iteration."""
    return [
        JudgedCandidate(
            f"{iteration}.{number}",
            iteration,
            each.proposer,
            Verdict.ACCEPTED,
            decision,
            "as judged",
            source=splice(target, each.rewrite) if each.rewrite else "",
        )
        for number, each in enumerate(proposals, start=1)
    ]


def who(proposals: Sequence[Proposal]) -> set[str]:
    return {proposal.proposer.partition(": ")[0] for proposal in proposals}


def test_while_rules_gain_nobody_else_is_asked(recording: Proposer, make_target: MakeTarget) -> None:
    target = make_target(SEARCHES, "common")
    chain = ChainProposer([RulesProposer(), recording])
    first = chain.propose(request(target, 1))
    assert who(first) == {"rules"}
    assert first == RulesProposer().propose(request(target, 1))
    winner = next(each for each in first if each.rewrite)
    assert winner.rewrite is not None
    better = with_source(target, splice(target, winner.rewrite))
    history = judged(first, target, 1, Decision.PROMISING)
    again = RulesProposer().propose(request(better, 2, history))
    asked = chain.propose(request(better, 2, history))
    assert who(asked) == ({"rules"} if again else {"replay"})  # the recording only where rules are done with it


def test_the_next_is_asked_in_the_same_iteration_where_rules_know_nothing(
    recording: Proposer, make_target: MakeTarget
) -> None:
    chain = ChainProposer([RulesProposer(), recording])
    proposals = chain.propose(request(make_target(PLAIN, "f"), 1))
    assert [(each.proposer, each.reasoning) for each in proposals] == [("replay:answers.jsonl", "0")]


def test_the_next_is_asked_beside_rules_that_gained_nothing(make_target: MakeTarget) -> None:
    target = make_target(SEARCHES, "common")
    chain = ChainProposer([RulesProposer(), Failing()])
    first = chain.propose(request(target, 1))
    history = judged(first, target, 1, Decision.NOT_BETTER)
    with pytest.raises(ProposerError, match="cannot be used in 1"):  # its own first turn, and rules have nothing new
        ChainProposer([RulesProposer(()), Failing()]).propose(request(target, 2, history))
    second = ChainProposer([RulesProposer(), Failing()]).propose(request(target, 2, history[:1]))
    assert who(second) == {"rules", "openai/gone"}


def test_in_the_last_iteration_all_are_asked(recording: Proposer, make_target: MakeTarget) -> None:
    target = make_target(SEARCHES, "common")
    proposals = ChainProposer([RulesProposer(), recording]).propose(request(target, 1, is_last=True))
    assert who(proposals) == {"rules", "replay:answers.jsonl"}
    assert proposals[-1].proposer == "replay:answers.jsonl"


def test_a_recording_gives_its_answers_in_its_own_turns(recording: Proposer, make_target: MakeTarget) -> None:
    target = make_target(PLAIN, "f")
    chain = ChainProposer([RulesProposer(), recording])
    history: list[JudgedCandidate] = []
    for iteration, expected in ((2, "0"), (3, "1"), (6, "2")):
        (proposal,) = chain.propose(request(target, iteration, history))
        assert proposal.reasoning == expected
        history += judged([proposal], target, iteration, Decision.NOT_BETTER)
    assert chain.propose(request(target, 7, history)) == []


def test_a_member_that_fails_does_not_stop_the_others(recording: Proposer, make_target: MakeTarget) -> None:
    target = make_target(PLAIN, "f")
    failed, answered = ChainProposer([Failing(), recording]).propose(request(target, 1))
    assert (failed.proposer, failed.rewrite) == ("openai/gone", None)
    assert "cannot be used" in failed.error
    assert answered.rewrite is not None


def test_a_failure_is_the_chains_where_nobody_else_had_anything(make_target: MakeTarget) -> None:
    with pytest.raises(ProposerError, match="openai/gone cannot be used"):
        ChainProposer([RulesProposer(), Failing()]).propose(request(make_target(PLAIN, "f"), 1))
