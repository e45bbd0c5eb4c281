"""What a model is asked that writes calls of a function that nothing calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.agent.models.prompts.calls_prompt import CallsRequest, messages_for_calls

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target


def test_it_sees_the_function_what_is_known_of_it_and_what_the_user_states(
    make_target: Callable[..., Target],
) -> None:
    target = make_target("SECRET = 'not for others'\n\n\ndef f(x):\n    return [y for y in x]\n", "f")
    request = CallsRequest(target, describe=lambda _: "A copy.", assume=("len(x) > 1",))
    system, user = (message["content"] for message in messages_for_calls(request))
    assert "testing programs" in system
    assert "Nothing in the project calls `f`" in user
    assert "## Problem description\nA copy." in user
    assert "## The function\n```python\ndef f(x):\n    return [y for y in x]\n```" in user
    assert "## What holds for every call\n```python\nlen(x) > 1" in user
    assert "not for others" not in user
