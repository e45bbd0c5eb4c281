"""Real services: each a process of its own, on a loopback port, with a real sandbox."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from scripts.release.images import download_dependencies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from afterburner.sandbox import Sandbox

TOKEN = "a-token-that-only-these-tests-know"  # noqa: S105 - of a service that lives as long as a test
_SERVE = """
import json, sys
from afterburner.sandbox import open_sandbox
from afterburner.sandbox.service.server import log_to_stderr, serve
from afterburner.sandbox.service.settings import Settings
from afterburner.sandbox.service_token import read_token
log_to_stderr()
with open_sandbox() as sandbox:
    settings = Settings(token=read_token(None), **json.loads(sys.argv[1]))
    serve(sandbox, settings, "127.0.0.1", int(sys.argv[2]), "1.2.3")
"""
_START_S = 60
_END_S = 60
_PATIENCE_S = 200  # another process may have the core meanwhile


@dataclass(frozen=True)
class Packed:
    """A clean copy of what is committed, and the wheels that the images of the service are built from: ours first."""

    tree: Path
    wheels: list[Path]


@dataclass
class Service:
    """A service that runs."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path
    token: str | None

    def client(self, *, authorization: str | None = None) -> httpx.Client:
        if authorization is None and self.token is not None:
            authorization = f"Bearer {self.token}"
        headers = {"Authorization": authorization} if authorization else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False)

    def run(self, source: str, **request: object) -> httpx.Response:
        """Runs Python source on one case, or as the request says."""
        body = {"program": {"language": "python", "source": source}, "cases": [{}]} | request
        with self.client() as client:
            return client.post("/run", json=body)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Tells it to end, waits for that, and gives its exit code."""
        self.process.send_signal(number)
        return self.process.wait(_END_S)


@dataclass(frozen=True)
class Sleeper:
    """A program that runs until it is killed, and that can be recognised from outside."""

    mark: str

    @property
    def request(self) -> dict[str, object]:
        """Runs it for a minute."""
        return self.request_for(60)

    def request_for(self, seconds: float) -> dict[str, object]:
        """Runs it for so long, if nobody ends it before."""
        source = f"import time; time.sleep({seconds})"
        program = {"language": "python", "source": source, "arguments": [self.mark]}
        return {"program": program, "cases": [{}], "limits": {"wall_time_s": 100}}

    def processes(self) -> list[int]:
        """Its processes, in all containers."""
        return [pid for pid, words in _command_lines() if self.mark.encode() in words]

    def wait_for(self, *, running: bool) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while bool(self.processes()) != running:
            assert time.monotonic() < deadline, f"running: {not running}"
            time.sleep(0.01)


def _command_lines() -> Iterator[tuple[int, list[bytes]]]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            yield int(folder.name), (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue


@contextmanager
def _served(log: Path, token: str | None, settings: dict[str, object], port: int = 0) -> Iterator[Service]:
    environment = {name: value for name, value in os.environ.items() if name != "AFTERBURNER_SERVICE_TOKEN"}
    environment |= {"AFTERBURNER_SERVICE_TOKEN": token} if token else {}
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", _SERVE, json.dumps(settings), str(port)],
            stderr=stderr,
            env=environment,
        )
    try:
        yield Service(process, _address(process, log), log, token)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(_END_S)


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + _START_S
    while (told := re.search(r"listening on (\S+)", log.read_text())) is None:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return told[1]


@pytest.fixture(scope="session")
def service(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for all tests that leave it as it is."""
    del sandbox  # where there is none, the tests are skipped
    settings: dict[str, object] = {
        "rate_per_s": 1000.0,
        "burst": 1000,
        "body_bytes": 1 << 20,
        "cases": 20,
        "task_time_s": 1000.0,
    }
    with _served(tmp_path_factory.mktemp("service") / "log", TOKEN, settings) as served:
        yield served


@pytest.fixture
def serve(sandbox: Sandbox, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Starts services of one's own, each on a free port or on a given one; keywords are their settings."""
    del sandbox
    with ExitStack() as stack:

        def start(token: str | None = TOKEN, port: int = 0, **settings: object) -> Service:
            return stack.enter_context(_served(tmp_path / f"log-{uuid.uuid4()}", token, settings, port))

        yield start


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper(str(uuid.uuid4()))


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Packed:
    folder = tmp_path_factory.mktemp("packed")
    tree = folder / "tree"
    root = Path(__file__).parents[3]
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(root), str(tree)], check=True)
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tree / "dist"), str(tree)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = (tree / "dist").glob("*.whl")
    return Packed(tree, download_dependencies(tree, wheel, folder))
