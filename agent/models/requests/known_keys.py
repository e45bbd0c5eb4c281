"""Where the best-known providers' keys are, known without LiteLLM, whose import takes seconds."""

from __future__ import annotations

import os

VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "mistral": ("MISTRAL_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "xai": ("XAI_API_KEY",),
    "groq": ("GROQ_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY",),
}


def variable_of(name: str) -> str | None:
    """The variable that the key of `provider/model` is read from: the first one that is set, or the usual one.

    None: the provider is not one of the best-known, or no model is named.
    """
    provider, _, model = name.partition("/")
    variables = VARIABLES.get(provider, ()) if model else ()
    return next((each for each in variables if os.environ.get(each, "").strip()), next(iter(variables), None))


def missing_variable(name: str) -> str | None:
    """The variable that has to be set before this model can be asked, as far as that is known here."""
    variable = variable_of(name)
    return variable if variable is not None and not os.environ.get(variable, "").strip() else None
