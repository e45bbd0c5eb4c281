"""That a vLLM server has another model is found out before any prompt; where it is not certain, nothing is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.litellm_proposer import LiteLLMProposer
from tests.models.model_server import ModelServer, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


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
