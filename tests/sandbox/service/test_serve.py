"""`afterburner-agent sandbox serve`, as it is typed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from afterburner.sandbox import Sandbox

_COMMAND = [str(Path(sys.executable).with_name("afterburner-agent")), "sandbox", "serve"]
_ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "AFTERBURNER_SERVICE_TOKEN"}


def _refused(*arguments: str) -> str:
    done = subprocess.run(
        [*_COMMAND, *arguments], capture_output=True, text=True, check=False, env=_ENVIRONMENT, timeout=60
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())


def test_other_machines_are_not_served_without_a_token() -> None:
    for host in ("0.0.0.0", "::"):  # noqa: S104 - it is refused
        said = _refused("--host", host)
        assert "token" in said
        assert "--token-file" in said


def test_a_token_on_the_command_line_is_no_option() -> None:
    assert "No such option" in _refused("--token", "0123456789abcdef")


def test_a_file_without_a_token_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert "no usable token" in _refused("--token-file", str(tmp_path / "empty"))
    assert "cannot be read" in _refused("--token-file", str(tmp_path / "missing"))


def test_a_port_that_is_taken_is_named(sandbox: Sandbox) -> None:
    del sandbox  # where there is none, the test is skipped
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}" in _refused("--port", str(port))


@pytest.mark.parametrize(
    ("option", "value"),
    [("--rate", "0"), ("--grace", "-1"), ("--body", "much"), ("--memory", "1"), ("--sandbox", "http://localhost:1")],
)
def test_options_without_sense_are_refused(option: str, value: str) -> None:
    assert _refused(option, value)


def test_it_serves_with_a_token_from_a_file_within_the_limits_that_were_typed(sandbox: Sandbox, tmp_path: Path) -> None:
    del sandbox  # where there is none, the test is skipped
    token, log = tmp_path / "token", tmp_path / "log"
    token.write_text("0123456789abcdef\n", encoding="ascii")
    options = ("--port", "0", "--token-file", str(token), "--wall", "3", "--memory", "512M", "--body", "4K")
    with log.open("wb") as stderr:
        process = subprocess.Popen([*_COMMAND, *options], stderr=stderr, env=_ENVIRONMENT)
    try:
        deadline = time.monotonic() + 60
        while (told := re.search(r"listening on (\S+)", log.read_text())) is None:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert httpx.get(f"{told[1]}/health").status_code == 401
        with httpx.Client(base_url=told[1], headers={"Authorization": "Bearer 0123456789abcdef"}) as client:
            health = client.get("/health").json()
            assert (health["most"]["wall_time_s"], health["most"]["memory_kib"]) == (3, 512 * 1024)
            assert client.post("/run", content=b"x" * 5000).status_code == 413
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
