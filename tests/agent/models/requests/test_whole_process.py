"""Who else downloads something in this process, by httpx or LiteLLM, notices nothing of our limits."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx
import pytest
from fault_proxy import Fault, FaultProxy, Kind
from model_server import serving

from afterburner.agent.models.registry import open_proposer
from afterburner.agent.models.requests.litellm_module import import_litellm
from afterburner.agent.models.requests.refusals import MOST_RESPONSE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from model_server import ModelServer

    from afterburner.agent.models.prompts.proposer import ProposalRequest

    MakeRequest = Callable[..., ProposalRequest]


class _LongDownload(BaseHTTPRequestHandler):
    """Sends whoever comes by address to the same server by name, and gives it more than any model answers."""

    def do_GET(self) -> None:
        if self.headers["Host"].startswith("127.0.0.1"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_address[1]}/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Length", str(MOST_RESPONSE_BYTES + 1))
        self.end_headers()
        for _ in range(64):
            self.wfile.write(b"x" * (MOST_RESPONSE_BYTES // 64))
        self.wfile.write(b"x")

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def a_download() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _LongDownload) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.nightly
@pytest.mark.usefixtures("server")
def test_an_ordinary_client_goes_to_another_host_and_reads_more_than_our_limit(
    request_of: MakeRequest,
) -> None:
    variables = dict(os.environ)
    (proposal,) = open_proposer("openai/gpt-4o-mini").propose(request_of())
    assert proposal.rewrite is not None
    assert dict(os.environ) == variables
    with a_download() as address, httpx.Client(follow_redirects=True, timeout=60) as client:
        response = client.get(address)
    assert (response.url.host, len(response.content)) == ("localhost", MOST_RESPONSE_BYTES + 1)


@pytest.mark.parametrize("model", ["openai/gpt-4o-mini", "gemini/gemini-2.0-flash"])
def test_who_calls_litellm_directly_is_sent_where_the_server_says(
    server: ModelServer, name_all: Callable[[str], None], request_of: MakeRequest, model: str
) -> None:
    there = f"http://localhost:{server.server_address[1]}/v1/chat/completions"
    name_all(server.url)
    open_proposer("openai/gpt-4o-mini").propose(request_of())
    before, litellm = len(server.asked), import_litellm()
    with serving(FaultProxy(server.url, lambda _: Fault(Kind.STATUS, 307, headers={"Location": there}))) as proxy:
        name_all(proxy.url)
        with asyncio.Runner() as runner, suppress(litellm.APIError, litellm.APIConnectionError):  # of OpenAI's form
            runner.get_loop()  # LiteLLM's blocking calls use the thread's loop, or open one and leave it open
            litellm.completion(model, [{"role": "user", "content": "Hi"}], max_retries=0, timeout=20)
    assert len(server.asked) == before + 1


HOST = """
import logging, os, sys
if "first" in sys.argv:
    import litellm
logging.getLogger("LiteLLM").setLevel(logging.INFO)
os.environ["LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD"] = "1"
variables = dict(os.environ)
from afterburner.agent.models.requests.litellm_module import import_litellm
litellm = import_litellm()
level = logging.getLogger("LiteLLM").level
logging.getLogger("LiteLLM").setLevel(logging.WARNING)
import_litellm()
print(level, logging.getLogger("LiteLLM").level, dict(os.environ) == variables, litellm.client_session)
print(type(litellm.in_memory_llm_clients_cache).__module__, type(litellm.module_level_client.client).__module__)
"""


@pytest.mark.nightly
@pytest.mark.parametrize(("who", "level"), [("first", logging.INFO), ("later", logging.CRITICAL)])
def test_what_a_program_has_told_litellm_is_left_alone(who: str, level: int) -> None:
    """Loggers, the environment and clients, whether it imports LiteLLM before us or after us."""
    variables = os.environ | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [sys.executable, "-c", HOST, who]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, env=variables)
    told, classes = done.stdout.splitlines()
    assert told == f"{level} {logging.WARNING} True None"
    assert classes.split() == ["litellm.caching.llm_caching_handler", "httpx"]
