"""A model's server that sends its clients elsewhere: code and keys stay with the host that the user has named."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.model_session import ModelSession

if TYPE_CHECKING:
    from collections.abc import Callable

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]


def to(host: str, server: ModelServer) -> Callable[[int], Fault]:
    place = f"http://{host}:{server.server_address[1]}/v1/chat/completions"
    return lambda _number: Fault(Kind.STATUS, 307, headers={"Location": place})


def test_another_host_gets_nothing(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest, any_model: str
) -> None:
    with serving(FaultProxy(server.url, to("localhost", server))) as proxy:
        name_all(proxy.url)
        with pytest.raises(ProposerError, match=r"sends us to http://localhost; if you trust that one"):
            open_proposer(any_model, retries=3, timeout_s=20).propose(request_of())
    assert len(proxy.arrived) <= 3, "asking again leads nowhere else (of Ollama LiteLLM asks what the model can, too)"
    assert server.asked == []


def test_the_same_host_may_have_moved_it(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest
) -> None:
    with serving(FaultProxy(server.url, to("127.0.0.1", server))) as proxy:
        name_all(proxy.url)
        (proposal,) = open_proposer("openai/gpt-4o-mini").propose(request_of())
    assert proposal.rewrite is not None
    assert len(server.asked) == 1


@pytest.mark.parametrize("model", ["openai/gpt-4o-mini", "azure/m"])
def test_a_client_that_the_host_gives_to_litellm_is_not_ours(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest, model: str
) -> None:
    """Whether it was there before us or comes later: no request of ours is sent by it."""
    litellm: Any = import_litellm()
    assert litellm.client_session is None
    with (
        httpx.Client(follow_redirects=True) as theirs,
        serving(FaultProxy(server.url, to("localhost", server))) as proxy,
    ):
        name_all(proxy.url)
        litellm.client_session = theirs
        try:
            with pytest.raises(ProposerError, match="sends us to http://localhost"):
                open_proposer(model, retries=0, timeout_s=20).propose(request_of())
            assert litellm.client_session is theirs
        finally:
            litellm.client_session = None
    assert server.asked == []


def test_nothing_is_sent_where_litellm_would_not_use_our_client(
    server: ModelServer, request_of: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposer = open_proposer("openai/gpt-4o-mini", model_session=(session := ModelSession()))
    monkeypatch.setattr(import_litellm(), "__class__", type("Theirs", (ModuleType,), {}))
    with pytest.raises(ProposerError, match="does not use our HTTP client"):
        proposer.propose(request_of())
    assert server.asked == []
    assert session.budget.usage().lost == 0
