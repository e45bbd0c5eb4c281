"""That a vLLM server has another model is found out before any prompt; where it is not certain, nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.litellm_proposer import LiteLLMProposer
from afterburner.agent.models.requests.guarded_client import GuardedClient
from tests.models.model_server import ModelServer, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.models.prompts.proposer import ProposalRequest


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(ModelServer(lambda _request, _number: "")) as started:
        for provider in ("HOSTED_VLLM", "LM_STUDIO"):
            monkeypatch.setenv(f"{provider}_API_BASE", started.url)
        yield started


def test_another_model_is_told_with_the_names_that_there_are(server: ModelServer) -> None:
    server.served = ["Qwen/Qwen2.5-Coder-3B", "my-adapter"]
    with pytest.raises(ProposerError) as told:
        LiteLLMProposer("hosted_vllm/Qwen/Qwen2.5-Coder-7B").await_server()
    assert str(told.value) == (
        "hosted_vllm/Qwen/Qwen2.5-Coder-7B cannot be used. Its server, "
        f"127.0.0.1:{server.server_address[1]}/v1, has no model of that name. It serves: Qwen/Qwen2.5-Coder-3B, "
        "my-adapter."
    )
    assert not server.asked


@pytest.mark.parametrize(
    ("model", "served"),
    [
        ("hosted_vllm/Qwen/Qwen2.5-Coder-3B", ["Qwen/Qwen2.5-Coder-3B"]),
        ("hosted_vllm/my-adapter", ["Qwen/Qwen2.5-Coder-3B", "my-adapter"]),
        ("hosted_vllm/any", []),
        ("lm_studio/any", ["another"]),
    ],
)
def test_a_model_that_may_be_there_is_left_to_the_request(server: ModelServer, model: str, served: list[str]) -> None:
    server.served = served
    LiteLLMProposer(model).await_server()


def test_a_list_that_is_not_vllms_says_nothing(server: ModelServer) -> None:
    server.served, server.owner = ["Qwen/Qwen2.5-Coder-3B"], "Qwen"  # of a cache, as `transformers serve` lists it
    LiteLLMProposer("hosted_vllm/my-folder").await_server()


def test_one_model_that_is_served_is_enough(server: ModelServer) -> None:
    server.served = ["there"]
    LiteLLMProposer("hosted_vllm/gone", fallbacks=["hosted_vllm/there"]).await_server()


@pytest.mark.parametrize("provider", ["hosted_vllm", "lm_studio", "openai"])
def test_that_any_server_of_ones_own_does_not_list_the_model_is_a_hint(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    server.served, server.owner, server.is_vllm = ["there", "tagged:latest"], "library", False
    LiteLLMProposer(f"{provider}/stored").await_server()
    assert LiteLLMProposer(f"{provider}/stored").unlisted() == (
        f"{provider}/stored: its server, 127.0.0.1:{server.server_address[1]}/v1, does not list a model of that name. "
        "It lists: there, tagged:latest. It may answer as one of these, or not at all."
    )
    assert not LiteLLMProposer(f"{provider}/there").unlisted()
    assert not LiteLLMProposer(f"{provider}/tagged").unlisted()
    server.served = []  # it has no such list
    assert not LiteLLMProposer(f"{provider}/stored").unlisted()


@pytest.mark.parametrize(
    ("served", "told"),
    [
        (["there", "other"], ", and it does not list a model of that name. It lists: there, other. ("),
        (["stored"], ": try again later. ("),
        ([], ": try again later. ("),
    ],
)
def test_a_failure_of_a_server_that_does_not_list_the_model_says_so_instead_of_to_try_later(
    server: ModelServer, request_of: Callable[..., ProposalRequest], served: list[str], told: str
) -> None:
    def fail(_request: object, _number: int) -> str:
        raise ConnectionError("the connection is closed without a word")

    server.answer, server.handle_error = fail, lambda *_: None  # type: ignore[method-assign] - keeps the output clean
    server.served, server.owner, server.is_vllm = served, "library", False
    with pytest.raises(ProposerError) as failed:
        LiteLLMProposer("lm_studio/stored", retries=0).propose(request_of())
    assert str(failed.value).startswith(
        f"lm_studio/stored cannot be used. Its server failed or gave no usable answer{told}"
    )


@pytest.mark.parametrize("provider", ["hosted_vllm", "lm_studio"])
def test_a_name_that_is_not_found_is_answered_with_those_that_there_are(
    server: ModelServer, request_of: Callable[..., ProposalRequest], provider: str
) -> None:
    server.served, server.is_strict = ["there", "other"], True
    with pytest.raises(ProposerError) as failed:
        LiteLLMProposer(f"{provider}/their").propose(request_of())
    assert str(failed.value).startswith(
        f"{provider}/their cannot be used. Its server does not list a model of that name. It lists: there, other. ("
    )


def test_an_address_without_its_v1_is_told_before_and_after_a_request(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, request_of: Callable[..., ProposalRequest]
) -> None:
    server.served, server.is_strict = ["there"], True
    address = f"127.0.0.1:{server.server_address[1]}"
    for given in (f"http://{address}", f"http://{address}/"):
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", given)
        proposer = LiteLLMProposer("hosted_vllm/there")
        assert proposer.unlisted() == (
            f"hosted_vllm/there: there is nothing at the address of its server, {address}, but models at {address}/v1. "
            "Add /v1 to it."
        )
        with pytest.raises(ProposerError) as failed:
            proposer.propose(request_of())
        assert str(failed.value).startswith(
            f"hosted_vllm/there cannot be used. Check the address of its server, {address} (most end in /v1), and the "
            "name of the model. ("
        )
    server.served = []
    assert not proposer.unlisted(), "below /v1 there is nothing either"


def test_the_list_of_openai_itself_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(GuardedClient, "get", lambda *_, **__: pytest.fail("a request"))
    assert not LiteLLMProposer("openai/gpt-4o").unlisted()
