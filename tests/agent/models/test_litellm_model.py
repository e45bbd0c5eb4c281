"""A language model behind a real HTTP server that speaks OpenAI's protocol: answers, failures, and what users read."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from afterburner.agent.errors import ProposerError
from afterburner.agent.models.litellm_proposer import LiteLLMProposer
from afterburner.agent.models.prompts.proposer import ProposalRequest, Proposer
from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests import patience
from afterburner.agent.models.requests.known_keys import VARIABLES, missing_variable, variable_of
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.types import Objective, Rewrite
from afterburner.sandbox import Measurement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

KEY = "sk-test-0123456789"
SOURCE = 'def f(x):\n    """Double."""\n    return x + x\n'
GOOD = "<thinking>Shift.</thinking><solution>```python\ndef f(x):\n    return x << 1\n```</solution>"
PROVIDER_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_API_BASE",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OLLAMA_API_BASE",
)


class FakeProvider(ThreadingHTTPServer):
    """Answers as the name of the model says, and keeps what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, Any]] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: FakeProvider

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        earlier = len(self.server.asked)
        self.server.asked.append(body)
        kind = body["model"]
        if kind == "hangs":
            self.server.closing.wait(20)
        elif kind == "refuses" or self.headers["Authorization"] != f"Bearer {KEY}":
            self._send(401, {"error": {"message": f"Incorrect API key: {KEY}", "code": "invalid_api_key"}})
        elif kind == "unknown":
            self._send(404, {"error": {"message": "The model does not exist", "code": "model_not_found"}})
        elif kind == "busy":
            self._send(429, {"error": {"message": "Too many requests"}})
        elif kind == "broken" or (kind == "recovers" and earlier < 1):
            self._send(500, {"error": {"message": "out of order"}})
        elif kind == "garbage":
            self._send_bytes(200, b"<html>no json</html>")
        else:
            content = {"chatty": "Sure, here you go!", "silent": None, "long-winded": GOOD[:-18]}.get(kind, GOOD)
            count = 1 if kind == "single" else body.get("n", 1)
            reason = "length" if kind == "long-winded" else "stop"
            message = {"role": "assistant", "content": content}
            if kind == "untagged":
                message |= {"content": f"Here:\n{GOOD[37:-11]}\n", "reasoning_content": "I think."}
            if kind == "reasons":
                message["reasoning_content"] = "Long thoughts about <solution>."
            choices = [{"index": i, "message": message, "finish_reason": reason} for i in range(count)]
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            answer = {"id": "1", "object": "chat.completion", "created": 1, "model": kind, "choices": choices}
            self._send(200, {**answer, "usage": usage})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        self._send_bytes(status, json.dumps(body).encode())

    def _send_bytes(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def running() -> Iterator[FakeProvider]:
    server = FakeProvider()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def event_loop() -> Iterator[None]:
    """A loop that is closed afterwards: LiteLLM's blocking calls use the thread's, or open one and leave it open."""
    with asyncio.Runner() as runner:
        runner.get_loop()
        yield


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    for name in PROVIDER_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with running() as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield server


def ask(proposer: Proposer, target: Target, count: int = 1, iteration: int = 1) -> list[Any]:
    measured = Measurement(1.5, 1.0, 2048, 100.0)
    return proposer.propose(ProposalRequest(target, Objective.MEMORY, measured, True, iteration, count, seed=7))


def test_a_good_answer_becomes_a_proposal(provider: FakeProvider, make_target: MakeTarget) -> None:
    proposer = open_proposer("openai/good", temperature=0.7)
    (proposal,) = ask(proposer, make_target(SOURCE, "f"))
    assert proposal.rewrite == Rewrite('def f(x):\n    """Double."""\n    return x << 1\n')
    assert (proposal.proposer, proposal.reasoning, proposal.error) == ("openai/good", "Shift.", "")
    (asked,) = provider.asked
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    for part in ("memory-efficient", "Double.", "return x + x", "Time: 1.5 s", "<thinking>"):
        assert part in asked["messages"][1]["content"]
    assert asked["temperature"] == 0.7
    assert asked["seed"] == 1007
    assert "n" not in asked


def test_a_reasoning_models_own_thoughts_do_not_disturb_its_answer(
    provider: FakeProvider, make_target: MakeTarget
) -> None:
    (proposal,) = ask(open_proposer("openai/reasons"), make_target(SOURCE, "f"))
    assert (proposal.reasoning, proposal.error) == ("Shift.", "")
    assert len(provider.asked) == 1


def test_the_servers_address_may_come_under_its_other_name(
    provider: FakeProvider, make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
    monkeypatch.delenv("OPENAI_API_BASE")
    assert ask(open_proposer("openai/good"), make_target(SOURCE, "f"))[0].rewrite is not None


@pytest.mark.parametrize("address", ["127.0.0.1:8001/v1", "localhost:8001/v1", "ftp://localhost/v1"])
def test_an_address_without_its_protocol_is_told_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("HOSTED_VLLM_API_BASE", address)
    with pytest.raises(ProposerError, match=r"has to begin with http:// or https://; set HOSTED_VLLM_API_BASE"):
        open_proposer("hosted_vllm/good")


def test_an_answer_without_tags_is_read_all_the_same_and_says_how(
    provider: FakeProvider, make_target: MakeTarget
) -> None:
    (proposal,) = ask(open_proposer("openai/untagged"), make_target(SOURCE, "f"))
    assert proposal.rewrite == Rewrite('def f(x):\n    """Double."""\n    return x << 1\n')
    assert (proposal.reasoning, proposal.answer_form) == ("I think.", "missing tags, prose around")
    assert len(provider.asked) == 1


def test_several_answers_are_asked_for_at_once(provider: FakeProvider, make_target: MakeTarget) -> None:
    assert len(ask(open_proposer("openai/good"), make_target(SOURCE, "f"), count=3)) == 3
    assert [asked.get("n") for asked in provider.asked] == [3]


def test_a_server_that_gives_one_at_a_time_is_asked_again(provider: FakeProvider, make_target: MakeTarget) -> None:
    assert len(ask(open_proposer("openai/single"), make_target(SOURCE, "f"), count=3)) == 3
    assert len({asked["seed"] for asked in provider.asked}) == 3


@pytest.mark.parametrize(
    ("model", "error"),
    [("chatty", "no <thinking>"), ("silent", "empty"), ("long-winded", "cut off")],
)
def test_a_malformed_answer_is_a_proposal_that_says_so(
    provider: FakeProvider, make_target: MakeTarget, model: str, error: str
) -> None:
    (proposal,) = ask(open_proposer(f"openai/{model}"), make_target(SOURCE, "f"))
    assert proposal.rewrite is None
    assert error in proposal.error
    assert len(provider.asked) == 1


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "FIRST_WAIT_S", 0.1)
    monkeypatch.setattr(patience, "FIRST_BUSY_WAIT_S", 0.1)


@pytest.mark.usefixtures("short_waits")
@pytest.mark.parametrize(
    ("model", "message", "requests"),
    [
        ("refuses", "Check the key in OPENAI_API_KEY", 1),
        ("unknown", "Check the name of the model", 1),
        ("busy", "Wait, or ask for fewer", 2),
        ("broken", "server failed", 2),
        ("garbage", "cannot be used", None),
    ],
)
def test_a_failure_is_explained_and_repeated_only_where_that_may_help(
    provider: FakeProvider, make_target: MakeTarget, model: str, message: str, requests: int | None
) -> None:
    with pytest.raises(ProposerError, match=message) as caught:
        ask(open_proposer(f"openai/{model}", retries=1), make_target(SOURCE, "f"))
    assert f"openai/{model}" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    if requests is not None:
        assert len(provider.asked) == requests


def test_a_passing_failure_is_overcome(provider: FakeProvider, make_target: MakeTarget) -> None:
    assert ask(open_proposer("openai/recovers"), make_target(SOURCE, "f"))[0].rewrite is not None
    assert len(provider.asked) == 2


def test_a_server_that_never_answers_is_given_up(provider: FakeProvider, make_target: MakeTarget) -> None:
    begin = time.monotonic()
    with pytest.raises(ProposerError, match=r"did not answer within 0\.3 s"):
        ask(open_proposer("openai/hangs", timeout_s=0.3), make_target(SOURCE, "f"))
    assert time.monotonic() - begin < 15  # the server would hold on for 20
    assert len(provider.asked) == 1


def test_a_server_that_is_not_there_is_explained(make_target: MakeTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as gone:
        monkeypatch.setenv("OPENAI_API_BASE", gone.url)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(ProposerError, match="cannot be reached: check its address"):
        ask(open_proposer("openai/good", retries=0), make_target(SOURCE, "f"))


@pytest.mark.usefixtures("provider")
class TestBeforeAnyWork:
    """What can be known without a request is said when the proposer is opened."""

    @pytest.mark.parametrize(
        ("model", "message"),
        [
            ("anthropic/claude-x", "set ANTHROPIC_API_KEY"),
            ("gemini/gemini-x", "GEMINI_API_KEY"),
            ("no-such-model", "knows no provider.*Examples: rules"),
            ("no/such", "knows no provider"),
            ("", "Unknown model ''"),
            ("  ", "Unknown model"),
            ("openai/", "no model"),
            ("rule", "Did you mean rules"),
            ("replay", "Did you mean replay"),
        ],
    )
    def test_a_model_that_cannot_be_asked(self, model: str, message: str) -> None:
        with pytest.raises(ProposerError, match=message) as caught:
            open_proposer(model)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("empty", [None, "", " "])
    def test_a_missing_key_names_its_variable(self, monkeypatch: pytest.MonkeyPatch, empty: str | None) -> None:
        """As does one that is set to nothing, as in CI where a secret is not given to a fork."""
        monkeypatch.delenv("OPENAI_API_KEY")
        if empty is not None:
            monkeypatch.setenv("OPENAI_API_KEY", empty)
        for model in ("openai/good", "gpt-4o"):
            with pytest.raises(ProposerError, match=f"{model} needs a key: set OPENAI_API_KEY"):
                open_proposer(model)
        assert os.environ.get("OPENAI_API_KEY") == empty, "the environment is as it was"

    @pytest.mark.parametrize(("name", "variables"), VARIABLES.items())
    def test_litellm_reads_the_known_keys_where_they_are_said_to_be(
        self, monkeypatch: pytest.MonkeyPatch, name: str, variables: tuple[str, ...]
    ) -> None:
        """A missing key is told before LiteLLM is imported."""
        for each in variables:
            monkeypatch.delenv(each, raising=False)
        assert import_litellm().validate_environment(f"{name}/any")["missing_keys"] == [variables[0]]
        assert missing_variable(f"{name}/any") == variables[0]
        for each in variables:
            with monkeypatch.context() as patched:
                patched.setenv(each, "k")
                assert import_litellm().validate_environment(f"{name}/any")["missing_keys"] == []
                assert missing_variable(f"{name}/any") is None
                assert variable_of(f"{name}/any") == each
        assert variable_of(f"{name}/") is None, "it is told that no model is named"

    @pytest.mark.parametrize("provider_name", ["hosted_vllm", "lm_studio"])
    @pytest.mark.usefixtures("provider")
    def test_a_missing_address_of_a_server_names_its_variable(self, provider_name: str) -> None:
        """LiteLLM would ask some other server, time and again."""
        with pytest.raises(ProposerError, match=f"set {provider_name.upper()}_API_BASE, for example to http"):
            open_proposer(f"{provider_name}/mine")

    @pytest.mark.parametrize("model", ["ollama/qwen", "hosted_vllm/qwen", "gpt-4o", "openai/anything"])
    def test_a_model_that_may_work_is_opened(
        self, provider: FakeProvider, model: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HOSTED_VLLM_API_BASE", provider.url)
        assert isinstance(open_proposer(model), LiteLLMProposer)
        assert provider.asked == []


def test_the_ways_to_no_language_model_do_not_import_one(make_target: MakeTarget) -> None:
    target = make_target(SOURCE, "f")
    code = (
        "import sys\nfrom afterburner.agent.models.registry import open_proposer\n"
        "open_proposer('rules')\n"
        "assert 'litellm' not in sys.modules and 'openai' not in sys.modules and 'tenacity' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=target.project_root)
