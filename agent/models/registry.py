"""From the name of a model to the proposer that speaks for it; nothing heavy is imported until it is asked for."""

from __future__ import annotations

import difflib
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.errors import UnknownModelError
from afterburner.agent.models.chain import ChainProposer
from afterburner.agent.models.prompts.proposer import MODEL_EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from afterburner.agent.models.prompts.proposer import Proposer
    from afterburner.agent.models.requests.model_session import ModelSession

_HERE = "afterburner.agent.models"
# What a name is or begins with, and the class that is opened with what follows.
KINDS = {
    "rules": f"{_HERE}.rules_proposer:RulesProposer",
    "replay:": f"{_HERE}.replay_proposer:ReplayProposer",
    "vllm:": f"{_HERE}.vllm_engine:VllmProposer",
}
EVERY_OTHER = f"{_HERE}.litellm_proposer:LiteLLMProposer"


def open_proposer(
    model: str,
    *,
    timeout_s: float = 120.0,
    temperature: float | None = None,
    retries: int = 3,
    fallbacks: Sequence[str] = (),
    model_session: ModelSession | None = None,
) -> Proposer:
    """Open the proposer that `model` names: one of `KINDS`, any model string of LiteLLM, or several with commas.

    All other settings are for language models alone: see `LiteLLMProposer`. A model that nobody knows and a
    key that is missing are found here, before any work is done.

    Raises:
        UnknownModelError: there is no such model or recording.
        ProposerError: its key or its engine is missing, or the recording cannot be read.
    """
    names = members(model)
    of_models = {
        "timeout_s": timeout_s,
        "retries": retries,
        "fallbacks": tuple(fallbacks),
        "model_session": model_session,
    }
    opened = [_open_one(name, temperature, of_models) for name in names]
    if model_session is not None:
        model_session.begin()
    if len(opened) == 1:
        return opened[0]
    return ChainProposer(opened)


def needs_litellm(model: str) -> bool:
    """Whether LiteLLM speaks for the model, or for a member of the chain; a name that nobody knows needs nothing."""
    try:
        return not all(map(_kind_of, members(model)))
    except UnknownModelError:
        return False


def members(model: str) -> list[str]:
    """Split a chain at its commas; a comma in the name of a file that is there splits nothing.

    Raises:
        UnknownModelError: a member is empty or named twice.
    """
    prefix, colon, path = model.partition(":")
    if "," not in model or (prefix + colon in KINDS and Path(path).exists()):
        return [model]
    names = [name.strip() for name in model.split(",")]
    if not all(names):
        raise UnknownModelError(f"{model!r} is a chain with an empty member. Write it like rules,openai/gpt-4o.")
    if len(set(names)) < len(names):
        raise UnknownModelError(f"{model!r} is a chain that names a member twice. Name each once.")
    return names


def _open_one(name: str, temperature: float | None, of_models: Mapping[str, Any]) -> Proposer:
    kind = _kind_of(name)
    proposer_class = _load(KINDS.get(kind, EVERY_OTHER))
    opened: Proposer
    if kind == "rules":
        opened = proposer_class()
    elif kind == "replay:":
        model_session: ModelSession | None = of_models["model_session"]
        opened = proposer_class(name.removeprefix(kind), model_session.scrub if model_session is not None else None)
    elif kind == "vllm:":
        opened = proposer_class(
            name.removeprefix(kind), temperature=temperature, model_session=of_models["model_session"]
        )
    else:
        opened = proposer_class(name, temperature=temperature, **of_models)
    check = getattr(opened, "check", None)
    if check is not None:
        check()
    return opened


def _kind_of(name: str) -> str:
    """The key of `KINDS` that a name belongs to; empty: a model string of LiteLLM."""
    for kind in KINDS:
        if name == kind or (kind.endswith(":") and name.startswith(kind)):
            return kind
    before = name.partition(":")[0]
    if "/" not in before:
        near = difflib.get_close_matches(before.lower(), [kind.rstrip(":") for kind in KINDS], n=1)
        if near or not name.strip():
            meant = f" Did you mean {near[0]}?" if near else ""
            raise UnknownModelError(f"Unknown model {name!r}.{meant} Examples: {MODEL_EXAMPLES}.")
    return ""


def _load(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)
