"""Docker containers: one for each task, some ready for the next, none left, whoever is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import docker
import pytest

from afterburner.sandbox import (
    CancelledError,
    Command,
    ContainerSpec,
    Limits,
    Program,
    Sandbox,
    TestCase,
    Verdict,
)
from afterburner.sandbox.docker_backend import DockerBackend
from afterburner.sandbox.languages import find_language

if TYPE_CHECKING:
    from collections.abc import Callable

    from afterburner.sandbox.docker_daemon import DockerDaemon
    from afterburner.sandbox.docker_settings import DockerOptions


LABEL = "afterburner.sandbox"


def containers(docker_daemon: DockerDaemon, sandbox: Sandbox) -> set[str]:
    """Those of one sandbox, running or not."""
    return {container["Id"] for container in docker_daemon.labelled(f"{LABEL}={sandbox._folder}")}


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()


def test_each_task_has_a_container_of_its_own_that_is_gone_afterwards(
    open_docker: Callable[..., Sandbox], docker_daemon: DockerDaemon
) -> None:
    sandbox = open_docker(pool_size=1)
    # Each container has another inode for its `/tmp`, and the cases of a task share one.
    program = Program("python", "import os; print(open('/proc/self/cgroup').read(), os.stat('/dev/shm').st_dev)")
    spec = sandbox.backend.toolchain(find_language("python"))
    seen: set[str] = set()
    for _ in range(3):
        with sandbox.container(ContainerSpec(spec.binds, image=spec.image)) as container:
            assert container.run(Command(("/bin/true",)), b"", Limits()).exit_code == 0
            assert container.run(Command(("/bin/true",)), b"", Limits()).exit_code == 0
            name = container.folder.name
            assert name not in seen
            seen.add(name)
    assert sandbox.run(program, [TestCase()]).verdict == "accepted"
    assert eventually(lambda: len(containers(docker_daemon, sandbox)) <= 2), "those that are ready for the two kinds"
    sandbox.backend.close()
    assert containers(docker_daemon, sandbox) == set()
    assert list(sandbox._folder.iterdir()) == []


def test_many_threads_share_the_pool(open_docker: Callable[..., Sandbox], docker_daemon: DockerDaemon) -> None:
    sandbox = open_docker()
    results: dict[int, str] = {}

    def work(number: int) -> None:
        case = TestCase(b"%d" % number, b"%d %d" % (number, number))
        results[number] = sandbox.run(Program("python", f"print({number}, input())"), [case], Limits(60, 60)).verdict

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == dict.fromkeys(range(4), Verdict.ACCEPTED)
    sandbox.backend.close()
    assert containers(docker_daemon, sandbox) == set()


def test_stopping_ends_what_runs_at_once(open_docker: Callable[..., Sandbox], docker_daemon: DockerDaemon) -> None:
    sandbox = open_docker()
    threading.Timer(1.5, sandbox.stop).start()
    started = time.monotonic()
    with pytest.raises(CancelledError):
        sandbox.run(Program("python", "import time; time.sleep(60)"), [TestCase()], Limits(60, 60))
    assert time.monotonic() - started < 30
    sandbox.backend.close()
    assert containers(docker_daemon, sandbox) == set()


def test_the_cores_can_be_chosen(open_docker: Callable[..., Sandbox]) -> None:
    sandbox = open_docker(cpuset="0", pool_size=0)
    report = sandbox.run(Program("python", "import os; print(os.sched_getaffinity(0))"), [TestCase(b"", b"{0}")])
    assert report.verdict == "accepted", report.cases[0].stdout


def test_containers_of_a_killed_process_end(
    docker_daemon: DockerDaemon, docker_options: DockerOptions, docker_image: str
) -> None:
    source = f"""
        from afterburner.sandbox import Command, ContainerSpec, Limits, open_sandbox
        from afterburner.sandbox.docker_settings import DockerOptions

        options = DockerOptions(address={docker_options.address!r}, pool_size=1)
        with open_sandbox("docker", docker=options) as sandbox:
            with sandbox.container(ContainerSpec(image={docker_image!r})) as container:
                print(sandbox._folder, flush=True)
                container.run(Command(("/bin/sleep", "60")), b"", Limits(60, 60))
    """
    with subprocess.Popen([sys.executable, "-c", textwrap.dedent(source)], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        folder = owner.stdout.readline().strip()
        assert eventually(lambda: len(docker_daemon.labelled(f"{LABEL}={folder}")) == 2), "one at work, one ready"
        owner.kill()
    assert owner.returncode == -signal.SIGKILL
    assert eventually(lambda: docker_daemon.labelled(f"{LABEL}={folder}") == [])


def test_what_was_never_started_is_removed_by_the_next(
    open_docker: Callable[..., Sandbox], docker_options: DockerOptions, docker_daemon: DockerDaemon, docker_image: str
) -> None:
    living = open_docker()
    assert isinstance(living.backend, DockerBackend)
    labels = dict(living.backend._choices.labels)
    with closing(docker.APIClient(docker_options.address)) as client:
        kept = client.create_container(docker_image, "true", labels=labels)["Id"]
        left = client.create_container(docker_image, "true", labels={**labels, LABEL: "/nowhere/run-1"})["Id"]
        elsewhere = client.create_container(docker_image, "true", labels={**labels, f"{LABEL}.machine": "another"})[
            "Id"
        ]
    open_docker()
    found = {container["Id"] for container in docker_daemon.labelled(LABEL)}
    assert left not in found
    assert {kept, elsewhere} <= found
    docker_daemon.remove(elsewhere)
    living.backend.close()
    assert containers(docker_daemon, living) == set()
