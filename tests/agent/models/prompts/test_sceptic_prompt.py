"""What a sceptic is asked, and what is read of its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.code.locate import with_source
from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.sceptic_prompt import DoubtRequest, messages_for_doubt
from afterburner.agent.models.prompts.snippet import MOST_CHARS, snippet_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.agent.types import Target

BEFORE = "LIMIT = 'not for others'\n\n\ndef f(x):\n    return [y for y in x]\n"
AFTER = "import math\nLIMIT = 'not for others'\n\n\ndef _g(x):\n    return list(x)\n\n\ndef f(x):\n    return _g(x)\n"


def test_it_sees_both_versions_and_nothing_else_of_the_file(make_target: Callable[..., Target]) -> None:
    target = make_target(BEFORE, "f")
    request = DoubtRequest(target, with_source(target, AFTER), "1.1", 1, describe=lambda _: "A copy.")
    system, user = (message["content"] for message in messages_for_doubt(request))
    assert "testing programs" in system
    assert "## Problem description\nA copy." in user
    assert "## Version A\n```python\ndef f(x):\n    return [y for y in x]\n```" in user
    assert "## Version B\n```python\nimport math\n" in user
    assert "def _g(x):\n    return list(x)\n" in user
    assert "def f(x):\n    return _g(x)\n```" in user
    assert "not for others" not in user


@pytest.mark.parametrize(
    ("answer", "snippet"),
    [
        ("<thinking>why</thinking>\n```python\nf(1)\nf(2)\n```\n", "f(1)\nf(2)"),
        ("```\nf(1)\n```\nand\n~~~py\nf('```')\n~~~\n", "f(1)\nf('```')"),
        ("```text\nno\n```\n```python\nf(1)\nf(", "f(1)\nf("),
        ("``` python\r\nf(1)\r\n```\r\n", "f(1)"),
    ],
)
def test_what_stands_in_blocks_of_python_is_the_snippet(answer: str, snippet: str) -> None:
    assert snippet_of(answer).replace("\r", "") == snippet


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("", "no calls"),
        ("f(1)", "no calls"),
        ("```text\nf(1)\n```", "no calls"),
        ("```python\n" + "f(1)\n" * MOST_CHARS, "longer than 20,000"),
    ],
)
def test_an_answer_without_calls_is_none(answer: str, said: str) -> None:
    with pytest.raises(ProposerError, match=said):
        snippet_of(answer)
