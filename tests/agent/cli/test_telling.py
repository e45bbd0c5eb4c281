"""`run --tell`, end to end: what a server that speaks OpenAI's protocol is really sent, and what is not sent."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import CommandLine

    from afterburner.sandbox import Sandbox

pytestmark = pytest.mark.slow

KEY = "sk-live-0123456789abcdef"
SLOW = f'''\
API_KEY = "{KEY}"


def common(left, right):
    """Keep the order of the left."""
    result = []
    for name in left:
        if name in right:
            result.append(name)
    return result


if __name__ == "__main__":
    left = [f"name-{{number}}" for number in range(1200)]
    right = [f"name-{{number * 3}}" for number in range(800)]
    print(len(common(left, right)), common(right[:400], left[::2])[:4])
    print(len(common(left[100:1100], right[:700])), len(common(left[::2], right[::3])))
    print(common([], right), common(["a", "b", "a"], ["a"]))
'''
WRONG = "Sets are faster:\n```python\ndef common(left, right):\n    return sorted(set(left) & set(right))\n```\n"
ENDLESS = "<thinking>I wonder whether"
TITLES = ("Original solution", "Original performance", "Line profile", "Counterexample", "Earlier attempts")


class Server(ThreadingHTTPServer):
    """Gives its answers one after the other, and keeps what it was asked."""

    def __init__(self, *answers: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.prompts: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        body: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = self.server.answers[len(self.server.prompts)]
        self.server.prompts.append(body["messages"][-1]["content"])
        choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        data = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                           "usage": usage}).encode()  # fmt: skip
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Keep the tests' output clean."""


@contextmanager
def serving(*answers: str) -> Iterator[Server]:
    server = Server(*answers)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture
def project(program: CommandLine, sandbox: Sandbox) -> Path:  # noqa: ARG001 - skips where there is no sandbox
    folder = program.home / "shop"
    folder.mkdir()
    (folder / "names.py").write_text(SLOW, encoding="utf-8")
    return folder


def run(program: CommandLine, folder: Path, server: Server, *options: str) -> subprocess.CompletedProcess[str]:
    return program(
        *("run", "names.py", "--function", "common", "--model", "openai/m", "--json", "-", *options),
        folder=folder,
        OPENAI_API_BASE=f"http://127.0.0.1:{server.server_address[1]}/v1",
        OPENAI_API_KEY=KEY,
    )


def titles(prompt: str) -> list[str]:
    """Which of the sections that may be left out are there."""
    return [title for title in TITLES if f"## {title}\n" in prompt]


def section(prompt: str, title: str) -> str:
    return prompt.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_by_default_a_model_is_told_everything_that_the_run_found_out(program: CommandLine, project: Path) -> None:
    with serving(WRONG, ENDLESS, ENDLESS) as server:
        done = run(program, project, server, "--iterations", "3")
    assert done.returncode == 0, done.stderr
    first, second, third = server.prompts
    assert titles(first) == list(TITLES[:3])
    assert titles(second) == titles(third) == list(TITLES)

    rows = section(first, "Line profile").splitlines()
    shares = {row.split("%")[1].split(maxsplit=1)[1]: float(row.split("%")[0]) for row in rows if "%" in row}
    assert max(shares, key=lambda code: shares[code]) == "if name in right:"
    assert section(third, "Line profile") == section(first, "Line profile"), "it is made once for each incumbent"

    assert "common(" in section(second, "Counterexample")
    assert "1.1 wrong: " in section(second, "Earlier attempts")
    assert "2.1 refused: The answer has no </thinking>" in section(third, "Earlier attempts")
    assert all(KEY not in prompt for prompt in server.prompts)

    candidates = json.loads(done.stdout)["candidates"]
    assert [each["answer_form"] for each in candidates] == ["no tags, prose around", None, None]
    assert "1.1 openai/m (no tags, prose around): wrong" in done.stderr


@pytest.mark.parametrize(
    ("tell", "told"),
    [
        ("paper", ["Original solution", "Original performance"]),
        ("no-feedback,history", ["Original solution", "Earlier attempts"]),
        ("no-original,counterexample", ["Original performance", "Counterexample"]),
    ],
)
def test_what_is_not_named_is_not_sent(program: CommandLine, project: Path, tell: str, told: list[str]) -> None:
    with serving(WRONG, ENDLESS) as server:
        done = run(program, project, server, "--iterations", "2", "--tell", tell)
    assert done.returncode == 0, done.stderr
    assert titles(server.prompts[1]) == told
    assert "line by line" not in done.stderr, "nobody would read the profile"
    assert json.loads(done.stdout)["settings"]["tell"] == tell


def test_a_wrong_name_is_found_before_anything_is_done(program: CommandLine, project: Path) -> None:
    with serving() as server:
        done = run(program, project, server, "--tell", "numbers,profil")
    assert done.returncode == 2
    assert "--tell knows no 'profil'" in done.stderr
    assert done.stdout == ""
    assert server.prompts == []
