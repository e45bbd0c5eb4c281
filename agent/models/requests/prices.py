"""What a token costs, from the price map that LiteLLM ships; nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_INPUT = ("input_cost_per_token", "cache_creation_input_token_cost")
_OUTPUT = ("output_cost_per_token", "output_cost_per_reasoning_token")
_BEDROCK = "bedrock"
_REGIONAL = (_BEDROCK, "bedrock_mantle", "azure")
_VERTEX = ("vertex_ai", "vertex_ai_beta")
_ALSO = {_BEDROCK: ("bedrock_converse",), "ai21_chat": ("ai21",)}  # the map's other words for a provider
_OTHER_SERVICE = ("batches", "priority", "flex")  # that we do not ask for


@dataclass(frozen=True, slots=True)
class Price:
    """The most that a token can cost, whatever the length of the prompt or the kind of the token."""

    input_usd: float
    output_usd: float

    def most(self, prompt_tokens: int, completion_tokens: int) -> float:
        """The most that so many tokens can cost, USD."""
        return prompt_tokens * self.input_usd + completion_tokens * self.output_usd


@dataclass(frozen=True, slots=True)
class Known:
    """What the map says of a model; `price` is None where it is not known."""

    price: Price | None
    max_output_tokens: int | None


def look_up(litellm: ModuleType, name: str, provider: str) -> Known:
    """Find a model in the map. LiteLLM writes 0 where it knows no price (`ollama/…`): that is not known, either.

    Another provider's model of the same name has another price. Where prices differ by region the dearest counts: which
    region answers is not known before.
    """
    entries: dict[str, dict[str, Any]] = litellm.model_cost
    if provider == _BEDROCK:
        name = name.removeprefix("converse/").removeprefix("invoke/")  # the way there, not the model
    entry = entries.get(f"{provider}/{name}") or entries.get(name) or {}
    if not _is_of(str(entry.get("litellm_provider", provider)), provider) and f"{provider}/{name}" not in entries:
        entry = {}
    every = [entry]
    if entry and provider in _REGIONAL:
        every += [other for key, other in entries.items() if _is_elsewhere(key, name, provider)]
    price = Price(max(_most(each, _INPUT) for each in every), max(_most(each, _OUTPUT) for each in every))
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return Known(price if _priced(entry) else None, int(most) if most else None)


def _is_of(listed: str, provider: str) -> bool:
    """Whether the map's word for who serves a model means the provider that LiteLLM asks."""
    if provider in _VERTEX:
        return listed in _VERTEX or listed.startswith("vertex_ai-")
    return listed == provider or listed in _ALSO.get(provider, ())


def _is_elsewhere(key: str, name: str, provider: str) -> bool:
    """Whether a key of the map is the model in one region: `bedrock/ap-northeast-1/anthropic.claude-v1`."""
    service, _, rest = key.partition("/")
    return service == provider and rest.partition("/")[2] == name


def _priced(entry: dict[str, Any]) -> bool:
    return bool(_most(entry, _INPUT) and _most(entry, _OUTPUT))


def cost_of(litellm: ModuleType, model: str, response: object, price: Price | None) -> float | None:
    """What an answer cost by LiteLLM's reckoning, USD; None where the price is not known.

    Where LiteLLM stumbles, or reckons nothing for it, the price itself is known.
    """
    if price is None:
        return None
    try:
        cost = float(litellm.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - whatever it stumbles over
        cost = 0.0
    usage: Any = getattr(response, "usage", None)
    return cost if cost > 0 else price.most(int(usage.prompt_tokens or 0), int(usage.completion_tokens or 0))


def _most(entry: dict[str, Any], names: tuple[str, ...]) -> float:
    """The largest of all tiers, such as `input_cost_per_token_above_200k_tokens`."""
    return max(
        (
            float(value)
            for key, value in entry.items()
            if key.startswith(names) and isinstance(value, int | float) and not key.endswith(_OTHER_SERVICE)
        ),
        default=0.0,
    )
