"""A model's server that sends its clients elsewhere: code and keys stay with the host that the user has named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.registry import open_proposer

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
