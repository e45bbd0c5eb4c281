"""What the tests of targets and of proposers share, and a language model of this machine behind a real server."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.agent.targets.locate import find_target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.agent.types import Target

    MakeTarget = Callable[..., Target]

LOCAL_MODELS_NEED = ("torch", "transformers", "accelerate", "peft", "fastapi", "uvicorn")
ANSWER = '''\
<thinking>
A list is searched for each name; a set is not.
</thinking>
<solution>
```python
def common(left, right):
    """Keep the order of the left."""
    known = set(right)
    return [name for name in left if name in known]
```
</solution>'''


@pytest.fixture
def make_target(tmp_path: Path) -> MakeTarget:
    """Write a file byte for byte and find a function in it (None: the whole program)."""

    def make(source: str | bytes, function: str | None, name: str = "module.py") -> Target:
        path = tmp_path / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        return find_target(path, function, whole_program=function is None)

    return make


@pytest.fixture(scope="session")
def local_models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the models `good` (always gives `ANSWER`), `random` (garbage), and `adapter` (LoRA on `random`)."""
    missing = [name for name in LOCAL_MODELS_NEED if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}: .venv/bin/pip install -r requirements/models.txt")
    folder = tmp_path_factory.mktemp("models")
    (folder / "answer.txt").write_text(ANSWER, encoding="utf-8")
    script = Path(__file__).with_name("local_models") / "make.py"
    command = [sys.executable, str(script), str(folder), str(folder / "answer.txt")]
    done = subprocess.run(command, env=_offline(), capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@dataclass(frozen=True)
class LocalServer:
    """`transformers serve` over the local models: OpenAI's protocol, answered by a real model."""

    url: str  # ends in /v1
    log: Path

    def requests(self) -> int:
        """How many chats were asked for so far, by the server's own log."""
        return self.log.read_text("utf-8").count("POST /v1/chat/completions")


@pytest.fixture(scope="session")
def local_server(local_models: Path) -> Iterator[LocalServer]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve", "--host", "127.0.0.1"]
    log = local_models / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--port", str(port), "--device", "cpu"],
            cwd=local_models,
            env=_offline(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield LocalServer(f"http://127.0.0.1:{port}/v1", log)
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _offline() -> dict[str, str]:
    return os.environ | {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "OMP_NUM_THREADS": "1"}


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 200
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 - our own http address
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    raise AssertionError(f"the server did not start:\n{log.read_text('utf-8')[-2000:]}")
