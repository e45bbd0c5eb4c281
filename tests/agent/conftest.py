"""What the tests of targets and of proposers share, and real servers of this machine: a language model, PostgreSQL."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from loops import UntimedJudge

from afterburner.agent.code.locate import find_target
from afterburner.agent.judge import behaviour, confirming
from afterburner.agent.judge.first_calls import FirstCalls
from afterburner.agent.judge.slower_on_larger import LargerGlances
from afterburner.agent.session import one_run

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
def brief_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round of made inputs before an offer, and no counterexample made smaller: for tests that are not about it."""
    monkeypatch.setattr(behaviour, "OFFER_ROUNDS", 1)
    monkeypatch.setattr(behaviour, "OFFER_LEAST", 1)
    monkeypatch.setattr(confirming, "SHRINKING_S", 0.0)
    monkeypatch.setattr(confirming, "make_larger_inputs", lambda *_: None)
    monkeypatch.setattr(confirming, "on_larger_inputs", lambda *_: None)
    monkeypatch.setattr(behaviour, "glance_at_larger_inputs", lambda *_, **_named: LargerGlances())
    monkeypatch.setattr(one_run, "make_ladder", lambda *_: None)
    monkeypatch.setattr(confirming, "look_at_later_calls", lambda *_: FirstCalls())


@pytest.fixture
def untimed_sessions(monkeypatch: pytest.MonkeyPatch, brief_search: None) -> None:  # noqa: ARG001 - it patches, too
    """Runs of a session count each rewrite that does the same as twice as fast."""
    monkeypatch.setattr(one_run, "Judge", UntimedJudge)


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
    port = _free_port()
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


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


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


USER, PASSWORD = "runner", "pg-S3cret:/@%word"  # with all that a URL has to hide
PASSWORD_IN_URL = "pg-S3cret%3A%2F%40%25word"  # noqa: S105 - of a server that lives as long as the tests


@dataclass
class PostgresServer:
    """A throw-away PostgreSQL server of Debian's, which asks for a password, on a port of this machine."""

    binaries: Path
    folder: Path
    port: int
    _process: subprocess.Popen[bytes] | None = None
    account: dict[str, object] = field(default_factory=dict)  # as whom to start it: it refuses to run as root

    def url(self, database: str, user: str = f"{USER}:{PASSWORD_IN_URL}") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        if os.getuid() == 0:
            self.account = {"user": "nobody", "group": "nogroup", "extra_groups": ()}
            shutil.chown(self.folder, "nobody", "nogroup")
        password = self.folder / "password"
        password.write_text(PASSWORD)
        password.chmod(0o644)
        options = ["--username", USER, "--pwfile", str(password), "--auth", "scram-sha-256"]
        options += ["--encoding", "UTF8", "--locale", "C", "--no-sync"]
        command = [str(self.binaries / "initdb"), "-D", str(self.folder / "data"), *options]
        made = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False, **self.account)  # type: ignore[call-overload]
        assert made.returncode == 0, made.stderr

    def start(self) -> None:
        settings = ["listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.folder}"]
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "data"), "-F"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *(part for setting in settings for part in ("-c", setting))],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.account,
            )  # type: ignore[call-overload]  # fmt: skip
        ready = [str(self.binaries / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        deadline = time.monotonic() + 60
        while subprocess.run(ready, check=False).returncode != 0:
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """Cut every connection, as when its machine is shut down."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(60)
            self._process = None

    def new_database(self, options: str = "") -> str:
        """The name of an empty one."""
        name = f"store_{secrets.token_hex(4)}"
        self.execute("postgres", f"CREATE DATABASE {name} {options}")
        return name

    def execute(self, database: str, statement: str) -> list[tuple[object, ...]]:
        """What a statement gives, by a connection beside those of the program."""
        import psycopg  # noqa: PLC0415 - who tests no server needs none

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            done = connection.execute(statement)
            return done.fetchall() if done.description else []

    def dump(self, database: str) -> str:
        """All that a database holds, bytes in hexadecimal."""
        command = [str(self.binaries / "pg_dump"), "--dbname", self.url(database)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.skip("needs a PostgreSQL server: apt-get install postgresql")
    with tempfile.TemporaryDirectory(prefix="postgres-", ignore_cleanup_errors=True) as folder:
        server = PostgresServer(found[-1].parent, Path(folder), _free_port())
        server.make()
        server.start()
        yield server
        server.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def run_store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Keep runs in an empty store, of each kind."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres")
        monkeypatch.setenv("AFTERBURNER_STORE", server.url(server.new_database()))
    return str(request.param)
