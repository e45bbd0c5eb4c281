"""A model's server with answers that can be used, and an environment that leads to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, StoredRequest, serving

from afterburner.agent.models.prompts.proposer import ProposalRequest
from afterburner.agent.models.requests import patience
from afterburner.agent.types import Objective
from afterburner.agent.usage import Usage
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.types import Target

KEY = "sk-test-0123456789-secret"
EVERY_KIND = (
    *("openai/gpt-4o-mini", "hosted_vllm/m", "anthropic/claude-sonnet-4-5", "ollama/m", "gemini/gemini-2.0-flash"),
    "azure/m",
)
SOURCE = 'def f(x):\n    """Double."""\n    return x + x\n'


def good_answer(asked: StoredRequest, number: int) -> str:
    code = f"def f(x):\n    return x << 1  # answer {number}, seed {asked.body.get('seed')}\n"
    return f"<thinking>Shift.</thinking><solution>```python\n{code}```</solution>"


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "HOSTED_VLLM_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.1)
    monkeypatch.setattr(patience, "FIRST_BUSY_WAIT_S", 0.1)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(ModelServer(good_answer)) as running:
        monkeypatch.setenv("OPENAI_API_BASE", running.url)
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", running.url)
        yield running


@pytest.fixture(params=EVERY_KIND)
def any_model(request: pytest.FixtureRequest) -> str:
    """One model of each kind of client that LiteLLM has."""
    return str(request.param)


@pytest.fixture
def name_all(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Leads all of them to one server."""

    def name(url: str) -> None:
        for provider in ("OPENAI", "HOSTED_VLLM", "ANTHROPIC", "OLLAMA", "GEMINI", "AZURE"):
            monkeypatch.setenv(f"{provider}_API_BASE", url)
            monkeypatch.setenv(f"{provider}_API_KEY", KEY)
        monkeypatch.setenv("AZURE_API_VERSION", "2024-06-01")

    return name


@pytest.fixture
def request_of(make_target: Callable[..., Target]) -> Callable[..., ProposalRequest]:
    def make(count: int = 1, iteration: int = 1, usage: Usage | None = None, source: str = SOURCE) -> ProposalRequest:
        target = make_target(source, "f")
        measured = Measurement(1.5, 1.0, 2048, 100.0)
        return ProposalRequest(target, Objective.TIME, measured, True, iteration, count, seed=7, usage=usage or Usage())

    return make
