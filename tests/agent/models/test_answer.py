"""The answer format is read strictly, and what is wrong is said."""

from __future__ import annotations

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.prompts.answer_format import Answer, AnswerFormatError, parse_answer

CODE = "def f():\n    return 1\n"


def answer(solution: str, thinking: str = "Why.") -> str:
    return f"<thinking>{thinking}</thinking><solution>{solution}</solution>"


@pytest.mark.parametrize(
    "text",
    [
        answer(f"```python\n{CODE}```"),
        f"\n <thinking>\nWhy.\n</thinking>\n\n<solution>\n```python\n{CODE}```\n</solution>\n\n",
        answer(f"First:\n```python\nx = 1\n```\nThen:\n```py\n{CODE}```\nDone."),
        answer(f"````python\n{CODE}````"),
        answer(f"```\n{CODE}```"),
        answer(f"~~~python title=\n{CODE}~~~"),
        answer(f"```python\n{CODE}```\n").replace("\n", "\r\n"),
    ],
    ids=["bare", "spaced", "last-block-counts", "longer-fence", "no-language", "tildes", "crlf"],
)
def test_a_well_formed_answer_gives_thinking_and_code(text: str) -> None:
    found = parse_answer(text)
    assert found.thinking == "Why."
    assert found.code.replace("\r\n", "\n") == CODE


def test_fences_inside_the_code_do_not_end_it() -> None:
    code = 'def f():\n    """Say.\n\n    ```python\n    f()\n    ```\n    """\n    return 1\n'
    assert parse_answer(answer(f"````python\n{code}````")) == Answer("Why.", code)
    inner = "x = 1  # ```\ny = '```python'\n"
    assert parse_answer(answer(f"```python\n{inner}```")).code == inner


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        (f"```python\n{CODE}```", "no <thinking>"),
        (f"<solution>```python\n{CODE}```</solution>", "no <thinking>"),
        ("<thinking>a<solution>```\nx\n```</solution>", "no </thinking>"),
        ("<thinking>a</thinking>\nx = 1", "no <solution>"),
        ("<thinking>a</thinking><solution>```\nx\n```", "no </solution>"),
        (f"Sure!\n{answer(f'```{CODE}```')}", "outside"),
        (f"{answer(f'```{CODE}```')}\nBye.", "outside"),
        (f"<thinking>a</thinking> so <solution>```\n{CODE}```</solution>", "outside"),
        (answer(f"```python\n{CODE}```", "<thinking>a</thinking>"), "nests"),
        (answer(f"```python\n{CODE}```", "a <solution> b"), "nests"),
        (answer(answer(f"```python\n{CODE}```")), "nests"),
        (answer("a") + answer("b"), "more than once"),
        (f"<solution>```\n{CODE}```</solution><thinking>a</thinking>", "wrong order"),
        (answer("x = 1"), "no code block"),
        (answer("```python x = 1```"), "no code block|not closed"),
        (answer(f"```python\n{CODE}"), "not closed"),
        (answer(f"```python\n{CODE}```\n```python\nx"), "not closed"),
        (answer("```python\n\n```"), "empty"),
    ],
)
def test_what_is_wrong_with_an_answer_is_said(text: str, message: str) -> None:
    with pytest.raises(AnswerFormatError, match=message) as caught:
        parse_answer(text)
    assert isinstance(caught.value, ProposerError)
