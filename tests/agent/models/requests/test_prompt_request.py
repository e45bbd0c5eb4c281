"""Prompts that are sent as they are, and answers that are kept as they came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.batching import answer_each
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.model_answers import ModelAnswer
from afterburner.agent.models.requests.prompt_request import Answerer, PromptRequest

if TYPE_CHECKING:
    from model_server import ModelServer

MODELS = ("openai/gpt-4o-mini", "hosted_vllm/m")


def answerer(model: str) -> Answerer:
    opened = open_proposer(model, retries=0)
    assert isinstance(opened, Answerer)
    return opened


def prompt(number: int, count: int = 1, known: int = 0) -> PromptRequest:
    messages = ({"role": "system", "content": "You write."}, {"role": "user", "content": f"Prompt {number}\n"})
    return PromptRequest("sum", number, messages, count, known, seed=1_000 * number)


@pytest.mark.parametrize("model", MODELS)
def test_the_messages_are_sent_byte_for_byte_and_the_whole_answer_comes_back(server: ModelServer, model: str) -> None:
    """LiteLLM takes thoughts out of a text: they are put back where they were."""
    request = prompt(2, count=3, known=1)
    answers = answerer(model).answer(request)
    assert all(each.body["messages"] == list(request.messages) for each in server.asked)
    assert [each.body["seed"] for each in server.asked] == [2_001], "the known answer had seed 2000"
    assert len(answers) == 2
    for each in answers:
        assert "<thinking>" not in each.content
        assert each.whole.startswith("<thinking>Shift.</thinking><solution>```python\ndef f(x):")


def test_thoughts_that_a_server_gives_apart_stay_apart_from_tags_that_are_there() -> None:
    text = "<thinking>a</thinking><solution>b</solution>"
    assert ModelAnswer(text, "m", reasoning="thoughts of another kind").whole == text
    assert ModelAnswer("<solution>b</solution>", "m", reasoning="a").whole == text
    assert ModelAnswer("b", "m").whole == "b"


def test_after_a_failure_no_further_prompt_is_begun_and_what_came_before_is_kept(server: ModelServer) -> None:
    def breaks(_: object, number: int) -> str:
        if number == 3:
            raise ConnectionAbortedError
        return f"answer {number}"

    server.answer = breaks
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    kept: list[str] = []
    with pytest.raises(ProposerError):
        answer_each(
            answerer(MODELS[1]),
            [prompt(number) for number in range(1, 7)],
            lambda request, found: kept.extend(f"{request.number}: {each.whole}" for each in found),
            most=1,
        )
    assert kept == ["1: answer 1", "2: answer 2"]
    assert len(server.asked) == 3
