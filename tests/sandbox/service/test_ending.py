"""How runs and the service itself end: no process outlives its client, and no answer is lost."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Service, Sleeper

    Serve = Callable[..., Service]

pytestmark = pytest.mark.slow


def test_a_client_that_leaves_takes_its_run_with_it(serve: Serve, sleeper: Sleeper) -> None:
    service = serve(jobs=1, waiting=4)
    with service.client() as client, pytest.raises(httpx.ReadTimeout):
        client.post("/run", json=sleeper.request, timeout=3)
    sleeper.wait_for(running=False)
    assert service.run("print(1)").json()["report"]["verdict"] == "accepted"
    assert "499" in service.log.read_text()


def test_a_client_that_leaves_the_queue_is_not_run_at_all(serve: Serve, sleeper: Sleeper) -> None:
    service = serve(jobs=1, waiting=4)
    with ThreadPoolExecutor() as pool:
        busy = pool.submit(service.run, "import time; time.sleep(3)")
        with service.client() as client, pytest.raises(httpx.ReadTimeout):
            client.post("/run", json=sleeper.request, timeout=1)
        assert busy.result().status_code == 200
    assert not sleeper.processes()
    with service.client() as client:
        assert client.get("/health").json()["queue"]["waiting"] == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_told_to_end_finishes_what_runs(serve: Serve, sleeper: Sleeper, number: int) -> None:
    service = serve(grace_s=30)
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request_for(2))
        sleeper.wait_for(running=True)
        assert service.end(number) == 0
        assert running.result().json()["report"]["verdict"] == "accepted"
        with pytest.raises(httpx.ConnectError):
            client.get("/health")


def test_what_still_runs_after_the_grace_time_is_killed_and_told_so(serve: Serve, sleeper: Sleeper) -> None:
    service = serve(grace_s=0.5)
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request)
        sleeper.wait_for(running=True)
        assert service.end() == 0
        assert not sleeper.processes()
        answer = running.result()
    assert (answer.status_code, answer.json()["kind"]) == (503, "busy")


def test_a_second_signal_ends_it_at_once(serve: Serve, sleeper: Sleeper) -> None:
    service = serve(grace_s=50)
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request)
        sleeper.wait_for(running=True)
        service.process.send_signal(signal.SIGTERM)
        while "shutting down" not in service.log.read_text():
            pass
        assert service.end() == 0
        assert running.result().status_code == 503
    assert not sleeper.processes()


def test_a_service_that_is_killed_leaves_nothing(serve: Serve, sleeper: Sleeper) -> None:
    service = serve()
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request)
        sleeper.wait_for(running=True)
        service.process.kill()
        with pytest.raises(httpx.RemoteProtocolError):
            running.result()
    sleeper.wait_for(running=False)


def test_a_sandbox_that_fails_once_is_not_noticed(serve: Serve, sleeper: Sleeper) -> None:
    service = serve()
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request_for(2))
        _kill_container(sleeper)
        assert running.result().json()["report"]["verdict"] == "accepted"


def test_a_sandbox_that_keeps_failing_is_an_error_500_and_no_verdict(serve: Serve, sleeper: Sleeper) -> None:
    service = serve()
    answered = threading.Event()
    with ThreadPoolExecutor() as pool, service.client() as client:
        running = pool.submit(client.post, "/run", json=sleeper.request)
        running.add_done_callback(lambda _: answered.set())
        while not answered.is_set():
            _kill_container(sleeper, unless=answered)
        answer = running.result()
    assert (answer.status_code, answer.json()["kind"]) == (500, "internal")
    assert set(answer.json()) == {"status", "kind", "error"}
    assert "ERROR the sandbox failed: " in service.log.read_text()


def _kill_container(sleeper: Sleeper, unless: threading.Event | None = None) -> None:
    """Kills the meter, which is the parent of the program, from outside."""
    while not (found := sleeper.processes()):
        if unless is not None and unless.wait(0.01):
            return
    for pid in found:
        try:
            parent = int(Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
            os.kill(parent, signal.SIGKILL)
        except (OSError, ValueError):
            continue
