"""From the name of a model to the proposer that speaks for it; nothing heavy is imported until it is asked for."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError
from afterburner.agent.proposers.base import MODEL_EXAMPLES

if TYPE_CHECKING:
    from afterburner.agent.proposers.base import Proposer


def open_proposer(
    model: str, *, timeout_s: float = 120.0, temperature: float | None = None, retries: int = 2
) -> Proposer:
    """Open the proposer that `model` names: `rules`, `replay:<file.jsonl>`, or any model string of LiteLLM.

    The last three settings are for language models alone. A model that nobody knows and a key that is missing are
    found here, before any work is done.

    Raises:
        ProposerError: there is no such model, its key is missing, or the recording cannot be read.
    """
    if model == "rules":
        from afterburner.agent.proposers.rules import RulesProposer  # noqa: PLC0415 - brings libcst and every rule

        return RulesProposer()
    if model.startswith("replay:"):
        from afterburner.agent.proposers.replay import ReplayProposer  # noqa: PLC0415 - lazy map

        return ReplayProposer(model.removeprefix("replay:"))
    if model.startswith("vllm:"):
        raise ProposerError(
            f"{model} is not available yet: no model runs inside this program. Serve it with `vllm serve` and use "
            "hosted_vllm/<name> with HOSTED_VLLM_API_BASE."
        )
    if not model.strip() or "/" not in model:
        near = difflib.get_close_matches(model.partition(":")[0], ["rules", "replay"], n=1)
        if near:
            raise ProposerError(f"Unknown model {model!r}. Did you mean {near[0]}? Examples: {MODEL_EXAMPLES}.")
    from afterburner.agent.proposers.litellm_model import LiteLLMProposer  # noqa: PLC0415 - lazy map

    proposer = LiteLLMProposer(model, timeout_s=timeout_s, temperature=temperature, retries=retries)
    proposer.check()
    return proposer
