"""One sandbox for all jobs of a session, opened once, by a thread that no cancelled job waits for."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from afterburner.agent import Job, open_session
from afterburner.agent.session.shared_sandbox import SharedSandbox
from afterburner.sandbox import CancelledError, CancelToken, SandboxUnavailableError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_job_that_is_cancelled_does_not_wait_for_a_daemon_that_never_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "shop.py"
    path.write_text("def double(number):\n    return number + number\n\n\ndouble(2)\n")
    token, asked = CancelToken(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as daemon:
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{daemon.getsockname()[1]}")

        def accept_and_cancel() -> None:
            connection, _ = daemon.accept()
            with connection:
                connection.recv(1)  # the first byte of its question, which is never answered
                token.cancel()
                asked.wait(600)

        server = threading.Thread(target=accept_and_cancel)
        server.start()
        with open_session(sandbox="docker", store=None) as session, pytest.raises(CancelledError):
            session.optimize(Job.from_file(path, function="double"), cancel=token)
        assert any(thread.name == "open sandbox" for thread in threading.enumerate())  # it waits, and we do not
        asked.set()
        server.join()


def test_all_threads_share_one_sandbox_and_the_first_one_that_fails_does_not_spoil_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = SharedSandbox("bubblewrap")
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        with pytest.raises(SandboxUnavailableError):
            shared.get(CancelToken())
    first = shared.get(CancelToken())
    assert shared.get(CancelToken()) is first
    folder = first.staging_folder()
    shared.close()
    assert not folder.exists()
