"""What the setting `assume`, which holds for a whole workspace, states of one function."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.bindings import names_read
from afterburner.agent.code.locate import function_texts
from afterburner.agent.code.source_text import dedent, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME = "assume"


def stated_of(settings: Mapping[str, Any], source: str, function: str | None) -> tuple[Mapping[str, Any], str]:
    """The settings without what is stated of parameters that a function does not have, and a sentence that says so.

    The sentence is empty where nothing is left out, as for a function that is still to be found.

    Args:
        settings: of a run, by their names in pyproject.toml.
        source: of the module.
        function: `name` or `Class.name`.

    Raises:
        TargetError: the source cannot be parsed.
    """
    stated = settings.get(_NAME)
    text = function_texts(source).get(function or "")
    if text is None or not isinstance(stated, list):
        return settings, ""
    parameters = _parameters(text)
    others = [each for each in stated if isinstance(each, str) and _is_of_another(each, parameters)]
    if not others:
        return settings, ""
    kept = [each for each in stated if each not in others]
    told = " and ".join(f"`{each}`" for each in others)
    sentence = f"Left out: {told} of the setting afterburner.assume, for {function} has no such parameter."
    return {**settings, _NAME: kept}, sentence


def _parameters(text: str) -> set[str]:
    node = parse(dedent(text)).body[0]
    return {each.arg for each in ast.walk(getattr(node, "args", node)) if isinstance(each, ast.arg)}


def _is_of_another(expression: str, parameters: set[str]) -> bool:
    """Whether it names something, and no parameter; what cannot be parsed is told when it is checked."""
    try:
        names = names_read(ast.parse(expression, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(names) and not names & parameters
