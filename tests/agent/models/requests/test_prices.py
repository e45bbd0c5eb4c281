"""The price of a model is its own provider's, and the dearest that may apply."""

from __future__ import annotations

import pytest

from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.prices import Price, look_up


def price_of(name: str) -> Price | None:
    litellm = import_litellm()
    bare, provider, *_ = litellm.get_llm_provider(name)
    return look_up(litellm, bare, provider).price


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "us.anthropic.claude-sonnet-4-20250514-v1:0"),
        ("bedrock/converse/us.anthropic.claude-sonnet-4-20250514-v1:0", "us.anthropic.claude-sonnet-4-20250514-v1:0"),
        ("eu.amazon.nova-pro-v1:0", "eu.amazon.nova-pro-v1:0"),
        ("vertex_ai/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gemini/gemini-2.5-pro", "gemini/gemini-2.5-pro"),
        ("vertex_ai/claude-haiku-4-5", "vertex_ai/claude-haiku-4-5"),
        ("ai21/jamba-1.5-large", "jamba-1.5-large"),
        ("openai/gpt-4o-mini", "gpt-4o-mini"),
    ],
)
def test_a_model_that_the_map_lists_has_at_least_its_price(name: str, key: str) -> None:
    entry, price = import_litellm().model_cost[key], price_of(name)
    assert price is not None
    assert entry["input_cost_per_token"] <= price.input_usd <= 4 * entry["input_cost_per_token"]
    assert entry["output_cost_per_token"] <= price.output_usd <= 4 * entry["output_cost_per_token"]


def test_of_the_regions_of_bedrock_the_dearest_counts() -> None:
    model = "amazon.nova-pro-v1:0"
    costs = import_litellm().model_cost
    region = costs[f"bedrock/us-gov-west-1/{model}"]
    assert region["input_cost_per_token"] > costs[model]["input_cost_per_token"]
    assert price_of(f"bedrock/{model}") == Price(region["input_cost_per_token"], region["output_cost_per_token"])


@pytest.mark.parametrize(
    "name",
    [
        "openai/gemini-2.5-flash",
        "openai/us.anthropic.claude-sonnet-4-20250514-v1:0",
        "bedrock/gpt-4o",
        "vertex_ai/gpt-4o",
        "gemini/claude-haiku-4-5",
        "hosted_vllm/jamba-1.5-large",
        "ollama/gpt-4o",
        "bedrock/arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
    ],
)
def test_another_providers_price_is_no_price(name: str) -> None:
    assert price_of(name) is None


def test_no_model_of_the_map_has_less_than_its_price_there() -> None:
    """Each entry by its own key, as far as LiteLLM knows whom to ask for it."""
    litellm, priced = import_litellm(), 0
    for key, entry in list(litellm.model_cost.items()):
        if entry.get("mode") != "chat" or key.startswith(("github_copilot/", "chatgpt/")):
            continue  # those two log in when they are looked up
        try:
            bare, provider, *_ = litellm.get_llm_provider(key)
        except litellm.BadRequestError:
            continue
        price = look_up(litellm, bare, provider).price
        if price is not None:
            priced += 1
            assert price.input_usd >= (entry.get("input_cost_per_token") or 0.0), key
            assert price.output_usd >= (entry.get("output_cost_per_token") or 0.0), key
    assert priced > 1000
