"""What a token costs, from the price map that LiteLLM ships; nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

_INPUT = ("input_cost_per_token", "cache_creation_input_token_cost")
_OUTPUT = ("output_cost_per_token", "output_cost_per_reasoning_token")
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
    """Find a model in the map. LiteLLM writes 0 where it knows no price (`ollama/…`): that is not known, either."""
    entries: dict[str, dict[str, Any]] = litellm.model_cost
    entry = entries.get(f"{provider}/{name}") or entries.get(name) or {}
    if entry.get("litellm_provider", provider) != provider and f"{provider}/{name}" not in entries:
        entry = {}  # another provider's model of the same name
    price = Price(_most(entry, _INPUT), _most(entry, _OUTPUT))
    most = entry.get("max_output_tokens") or entry.get("max_tokens")
    return Known(price if price.input_usd and price.output_usd else None, int(most) if most else None)


def cost_of(litellm: ModuleType, model: str, response: object, price: Price | None) -> float | None:
    """What an answer cost by LiteLLM's reckoning, USD; None where the price is not known."""
    if price is None:
        return None
    try:
        return float(litellm.completion_cost(completion_response=response, model=model))
    except Exception:  # noqa: BLE001 - whatever it stumbles over, the price itself is known
        usage: Any = getattr(response, "usage", None)
        return price.most(int(usage.prompt_tokens), int(usage.completion_tokens))


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
