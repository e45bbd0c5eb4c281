"""A run sends the code to the model that the user names and to nobody else, whatever is set in the shell."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, StoredRequest, serving

if TYPE_CHECKING:
    from conftest import CommandLine


pytestmark = pytest.mark.slow

SLOW = """\
def common(left, right):
    return [name for name in left if name in list(right)]


if __name__ == "__main__":
    names = [f"name-{number}" for number in range(300)]
    print(len(common(names, names[::3])), common(names[:40], names[::7])[:4], common([], names))
"""
WRONG = "<thinking>Nothing.</thinking><solution>```python\ndef common(left, right):\n    return []\n```</solution>"


class Sink(ThreadingHTTPServer):
    """Stands where a service for traces would, and keeps what arrives."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived: list[tuple[str, bytes]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Sink

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.server.lock:
            self.server.arrived.append((self.path, data))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(b"{}")

    do_GET = do_PATCH = do_POST  # noqa: N815 - the names that http.server looks for

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


@pytest.mark.nightly
@pytest.mark.usefixtures("sandbox")
def test_no_tracer_of_the_shell_is_told_of_a_run(program: CommandLine) -> None:
    (program.home / "names.py").write_text(SLOW)
    (program.home / "answers.jsonl").write_text(json.dumps({"content": WRONG}) + "\n")
    with serving(Sink()) as sink:
        switches = ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2", "LANGCHAIN_TRACING")
        variables = dict.fromkeys(switches, "true") | {"LANGSMITH_API_KEY": "lsv2_x", "LANGSMITH_ENDPOINT": sink.url}
        done = program.afresh(
            "run", "names.py", "--function", "common", "--model", "replay:answers.jsonl", "--iterations", "1",
            **variables,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert sink.arrived == []


@pytest.mark.usefixtures("sandbox")
def test_litellm_writes_no_prompt_where_the_report_goes(program: CommandLine) -> None:
    (program.home / "names.py").write_text(SLOW)

    def answer(_asked: StoredRequest, _number: int) -> str:
        return WRONG

    with serving(ModelServer(answer)) as server:
        done = program.afresh(
            "run", "names.py", "--function", "common", "--model", "openai/gpt-4o-mini", "--iterations", "1",
            "--json", "-",
            OPENAI_API_BASE=server.url, OPENAI_API_KEY="any", LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD="1",
            LITELLM_LOG="DEBUG",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["usage"]["requests"] == 1
    assert "Original solution" not in done.stderr
