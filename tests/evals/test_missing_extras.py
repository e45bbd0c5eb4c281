"""What a person is told who lacks the libraries of evaluation."""

from __future__ import annotations

import pytest

from afterburner.evals.commands.needs import needing_extra
from afterburner.evals.errors import EvaluationError


@pytest.mark.parametrize(
    ("model", "extras"),
    [
        ("openai/gpt-4o", "[evals,llm]"),
        ("rules,hosted_vllm/my-model", "[evals,llm]"),
        ("rules", "[evals]"),
        ("replay:answers.jsonl", "[evals]"),
        ("vllm:model", "[evals]"),
        ("rules,", "[evals]"),
        ("", "[evals]"),
    ],
)
def test_a_model_of_litellm_needs_its_extra_too_and_both_are_named(model: str, extras: str) -> None:
    """Whoever installs the one alone is told of the other after that."""
    with pytest.raises(EvaluationError, match="This needs numpy, which is not installed") as told, needing_extra(model):
        raise ModuleNotFoundError(name="numpy")
    assert extras in str(told.value)
