"""Carries out a loop's graph from wherever its checkpoints stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from afterburner.agent.judge.instructions import check_counts_here, check_valgrind
from afterburner.agent.judge.measuring.sequential import MOST_TESTS
from afterburner.agent.loop.state import LoopState, empty_state
from afterburner.agent.loop.untraced import untraced
from afterburner.agent.models.prompts.feedback import parse_telling
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.store.checkpoints import thread_of
from afterburner.agent.usage import NOTHING_USED

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.graph.state import CompiledStateGraph

    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession
    from afterburner.agent.options import RunSettings
    from afterburner.agent.store.stored_run import Prepared

NODES_PER_ITERATION = 4
NODES_AROUND = 5 + MOST_TESTS


class StoredLoop(Protocol):
    """A loop whose state is stored after every node."""

    @property
    def settings(self) -> RunSettings:
        """Of the run."""

    @property
    def model_session(self) -> ModelSession | None:
        """What the requests of the run share, if it makes any."""

    def compile(
        self, checkpointer: BaseCheckpointSaver[str]
    ) -> CompiledStateGraph[LoopState, None, LoopState, LoopState]:
        """Build the LangGraph graph."""


def run_graph(loop: StoredLoop, checkpointer: BaseCheckpointSaver[str], run_id: str) -> LoopState:
    """The state at the end of the loop, from wherever it stands."""
    graph = loop.compile(checkpointer)
    config = thread_of(run_id)
    config["recursion_limit"] = NODES_PER_ITERATION * loop.settings.search.iterations + NODES_AROUND
    stored = graph.get_state(config)
    if stored.values and not stored.next:
        return cast("LoopState", stored.values)
    # by an earlier process, which was killed before it stored anything
    used = loop.model_session.usage() if loop.model_session is not None else None
    start = None if stored.next else empty_state() | {"usage": used or NOTHING_USED}
    with untraced(config) as quiet:
        return cast("LoopState", graph.invoke(start, quiet, durability="sync"))


def used_s(prepared: Prepared | None, state: LoopState | None) -> float:
    """Of the time budget, in earlier processes, as far as it led to something that was stored."""
    if state is not None:
        return state["used_s"]
    return prepared.used_s if prepared is not None else 0.0


def open_proposer_of(settings: RunSettings, model_session: ModelSession, *, is_new: bool = True) -> Proposer:
    """Open the proposer that the settings name, and find out early what else they need.

    Args:
        settings: of the run.
        model_session: what its requests share.
        is_new: whether the run begins now, so that the model will be asked, and no answer of it is stored.

    Raises:
        AfterburnerError: there is none, or something is not installed.
    """
    proposer = open_proposer(
        settings.models.model,
        timeout_s=settings.models.timeout_s,
        retries=settings.models.retries,
        fallbacks=settings.models.fallbacks,
        model_session=model_session,
    )
    if settings.proof.deterministic:
        check_valgrind()
        check_counts_here(settings.inputs)
    await_server = getattr(proposer, "await_server", None)
    if await_server is not None and is_new and not _may_be_answered(settings):
        await_server()
    return proposer


def _may_be_answered(settings: RunSettings) -> bool:
    """Whether another run may have had the same answers: no prompt names the time that was measured."""
    return settings.models.cache and (bool(settings.problem) or not parse_telling(settings.models.tell).numbers)
