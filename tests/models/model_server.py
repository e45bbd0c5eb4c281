"""A real HTTP server that speaks OpenAI's protocol: it answers what it was given to answer, and counts what it does."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class StoredRequest:
    """A request as it arrived."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def prompt(self) -> str:
        return "\n".join(message["content"] for message in self.body["messages"])

    @property
    def output_limit(self) -> int | None:
        return self.body.get("max_tokens") or self.body.get("max_completion_tokens")


class ModelServer(ThreadingHTTPServer):
    """Answers with `answer(request, number)`; what it charges for is in `prompt_tokens` and `completion_tokens`."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(
        self, answer: Callable[[StoredRequest, int], str], *, delay_s: float = 0.0, gives_several: bool = True
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.delay_s = delay_s
        self.gives_several = gives_several
        self.served: list[str] = []  # what `/v1/models` lists; empty: this is no vLLM
        self.owner = "vllm"  # of these models
        self.is_vllm = True  # whether it tells a version, as vLLM does
        self.is_strict = False  # whether it turns away what it does not list, as vLLM does
        self.asked: list[StoredRequest] = []
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def reply(self, asked: StoredRequest) -> dict[str, Any]:
        """Make the response, and charge for it."""
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(self.delay_s)
        count = asked.body.get("n", 1) if self.gives_several else 1
        choices = [self._choice(asked, number, index) for index in range(count)]
        used = {
            "prompt_tokens": len(asked.prompt) // CHARS_PER_TOKEN + 1,
            "completion_tokens": sum(len(each["message"]["content"]) // CHARS_PER_TOKEN + 1 for each in choices),
        }
        with self._lock:
            self._at_once -= 1
            self.prompt_tokens += used["prompt_tokens"]
            self.completion_tokens += used["completion_tokens"]
        usage = {**used, "total_tokens": sum(used.values())}
        head = {"id": "1", "object": "chat.completion", "created": 1, "model": asked.body["model"]}
        return {**head, "choices": choices, "usage": usage}

    def _choice(self, asked: StoredRequest, number: int, index: int) -> dict[str, Any]:
        content, reason = self.answer(asked, number), "stop"
        if asked.output_limit is not None and len(content) > CHARS_PER_TOKEN * (asked.output_limit - 1):
            content, reason = content[: CHARS_PER_TOKEN * (asked.output_limit - 1)], "length"
        return {"index": index, "message": {"role": "assistant", "content": content}, "finish_reason": reason}


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_GET(self) -> None:
        models = [{"id": name, "object": "model", "owned_by": self.server.owner} for name in self.server.served]
        if self.path == "/version" and models and self.server.is_vllm:
            self._send({"version": "0.11.0"})
        elif self.path == "/v1/models" and models:
            self._send({"object": "list", "data": models})
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.is_strict and (self.path != "/v1/chat/completions" or body["model"] not in self.server.served):
            self.send_error(404)
        else:
            self._send(self.server.reply(StoredRequest(self.path, body, dict(self.headers))))

    def _send(self, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def serving(server: Any) -> Iterator[Any]:
    """Serve in a thread while the block runs."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
