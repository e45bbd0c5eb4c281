"""Several proposers, one after another: `rules,openai/gpt-4o` takes what rules find before it asks a model.

In each iteration the members are asked in their order, for the same incumbent. The asking ends with the first that
proposes something, so that a request is paid for only when what costs nothing has nothing new to say. Two things
carry it further, to the next member in the same iteration:

- the member proposed in the iteration before, too, and gained nothing there: it had its chance;
- it is the last iteration: whoever has not been asked by now never will be.

A member that fails is reported as a candidate that was refused, and the next one is asked. If none of those asked had
anything and one failed, its failure is the chain's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.models.prompts.proposer import Proposal, asks_model
from afterburner.agent.types import Decision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.models.prompts.proposer import ProposalRequest, Proposer

_GAINED = {Decision.IMPROVED, Decision.PROMISING}


class ChainProposer:
    """Asks its members in order; who comes when follows from the request alone, so a resumed run goes on as it would.

    To a member its own turns are the iterations: a recording gives its first answers when it is first asked. The
    request says in which iteration of the run that is, too.

    Whose a candidate is, its proposer's name says: `rules: hoisted-set` is of `rules`, and what the fallback
    `openai/b` answered for the member `openai/a` becomes `openai/a: openai/b` here.
    """

    def __init__(self, members: Sequence[Proposer]) -> None:
        """Take the members in the order in which they are to be asked.

        Raises:
            UnknownModelError: two have the same name, so what one proposed could not be told from the other's.
        """
        self.members = tuple(members)
        names = [member.name for member in members]
        if len(set(names)) < len(names):
            raise UnknownModelError(f"The chain {','.join(names)} has members of the same name. Rename one.")
        self.name = ",".join(names)
        self.asks_model = any(map(asks_model, self.members))

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give this iteration's candidates.

        Raises:
            ProposerError: a member failed, and no other of those asked had anything to propose.
        """
        proposals: list[Proposal] = []
        failure: ProposerError | None = None
        for member in self.members:
            try:
                own = replace(request, iteration=1 + len(_turns(member.name, request)), in_run=request.iteration)
                found = [_named(proposal, member.name) for proposal in member.propose(own)]
            except ProposerError as error:
                failure = error
                found = [Proposal(member.name, None, error=str(error))]
            proposals += found
            usable = any(proposal.rewrite is not None for proposal in found)
            if usable and not request.is_last and not _gained_nothing(member.name, request):
                break
        if failure is not None and all(proposal.rewrite is None for proposal in proposals):
            raise failure
        return proposals


def _named(proposal: Proposal, name: str) -> Proposal:
    """The proposal under the name of the member that it came from; a fallback answers under its own."""
    return proposal if _is_of(proposal.proposer, name) else replace(proposal, proposer=f"{name}: {proposal.proposer}")


def _turns(name: str, request: ProposalRequest) -> set[int]:
    """The iterations in which a member proposed something."""
    return {record.iteration for record in request.history if _is_of(record.proposer, name)}


def _gained_nothing(name: str, request: ProposalRequest) -> bool:
    """Whether a member proposed in the iteration before, and none of it was better than the incumbent."""
    before = [
        record.decision
        for record in request.history
        if record.iteration == request.iteration - 1 and _is_of(record.proposer, name)
    ]
    return bool(before) and not _GAINED.intersection(before)


def _is_of(proposer: str, name: str) -> bool:
    """Whether a candidate came from this member; rules say which of them after a colon, and so do fallbacks."""
    return proposer == name or proposer.startswith(f"{name}: ")
