"""One container: its life, what it sees, and what the host believes of it."""

from __future__ import annotations

import errno
import math
import os
import signal
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import (
    Command,
    ContainerSpec,
    Limits,
    Program,
    SandboxInternalError,
    TestCase,
    UsageError,
    Verdict,
)
from afterburner.sandbox import container as container_module
from afterburner.sandbox.bubblewrap import BubblewrapContainer, BubblewrapParts
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.preflight import find_bubblewrap
from afterburner.sandbox.types import Bind

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
    from contextlib import ExitStack

    from afterburner.sandbox import PythonEnvironment, Sandbox

TMP = "/tmp"  # noqa: S108 - the sandbox's


@pytest.fixture
def shell(sandbox: Sandbox) -> Callable[..., str]:
    """What a shell command prints in a container of its own."""

    def run(command: str, *binds: Bind) -> str:
        result = sandbox.run_raw(ContainerSpec(binds), Command(("/bin/sh", "-c", command)), b"", Limits())
        assert result.exit_code == 0, result
        return result.stdout.decode().strip()

    return run


def test_one_container_serves_many_runs(sandbox: Sandbox) -> None:
    with sandbox.container(ContainerSpec()) as container:
        for number in range(5):
            command = Command(("/bin/sh", "-c", f"echo $X; cat; exit {number}"), {"X": str(number)})
            result = container.run(command, b"in %d" % number, Limits())
            assert (result.exit_code, result.signal, result.limit) == (number, None, None)
            assert result.stdout == b"%d\nin %d" % (number, number)
            assert container.usable
    assert not container.usable


def test_a_limit_ends_a_run_and_not_the_container(sandbox: Sandbox) -> None:
    with sandbox.container(ContainerSpec()) as container:
        sleep = Command(("/bin/sleep", "60"))
        assert container.run(sleep, b"", Limits(wall_time_s=0.1)).limit == "wall"
        assert container.run(Command(("/bin/true",)), b"", Limits()).exit_code == 0


def test_binds_appear_read_only_also_below_tmp_and_inside_one_another(
    shell: Callable[..., str], tmp_path: Path
) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "inner"
    (outer / "sub").mkdir(parents=True)
    inner.mkdir()
    (outer / "file").write_text("outer")
    (inner / "file").write_text("inner")
    binds = [
        Bind(str(inner), f"{TMP}/deep/er/sub"),
        Bind(str(outer), f"{TMP}/deep/er"),
        Bind(str(outer / "file"), "/opt/f"),
    ]
    printed = shell("cd /tmp/deep/er; cat file sub/file /opt/f; touch x sub/x /opt/x 2>&1 | grep -c Read-only", *binds)
    assert printed == "outerinnerouter3"
    assert sorted(path.name for path in outer.iterdir()) == ["file", "sub"]


def test_binds_below_tmp_survive_the_cleaning_between_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept\n")
    spec = ContainerSpec((Bind(str(tmp_path), f"{TMP}/a/b/folder"), Bind(str(tmp_path / "file"), f"{TMP}/a/single")))
    with sandbox.container(spec) as container:
        for _ in range(3):
            look = "find /tmp -type f | sort; cat /tmp/a/single; echo >/tmp/a/b/left; echo >/tmp/a/left; chmod 0 /tmp/a"
            result = container.run(Command(("/bin/sh", "-c", look)), b"", Limits())
            assert result.stdout == b"/tmp/a/b/folder/file\n/tmp/a/single\nkept\n", result
            assert container.usable


def test_a_bind_that_does_not_exist_is_named(sandbox: Sandbox) -> None:
    with (
        pytest.raises(SandboxInternalError, match="/no/such/place"),
        sandbox.container(ContainerSpec((Bind("/no/such/place", "/x"),))),
    ):
        pass


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (Command(("/no/such/program",)), errno.ENOENT),
        (Command(("/etc/passwd",)), errno.EACCES),
        (Command(("/bin/true",), working_directory="/nowhere"), errno.ENOENT),
    ],
)
def test_a_command_that_cannot_be_started_says_why(sandbox: Sandbox, command: Command, reason: int) -> None:
    with sandbox.container(ContainerSpec()) as container:
        with pytest.raises(SandboxInternalError, match=os.strerror(reason)):
            container.run(command, b"", Limits())
        assert not container.usable


def test_a_word_with_a_nul_is_refused(sandbox: Sandbox) -> None:
    with sandbox.container(ContainerSpec()) as container, pytest.raises(SandboxInternalError, match="NUL"):
        container.run(Command(("/bin/echo", "a\0b")), b"", Limits())


@pytest.mark.parametrize(
    "limits",
    [Limits(wall_time_s=math.inf), Limits(cpu_time_s=math.nan), Limits(memory_kib=0), Limits(processes=-1)],
)
def test_limits_that_limit_nothing_are_refused(sandbox: Sandbox, limits: Limits) -> None:
    with pytest.raises(UsageError, match="positive and finite"):
        sandbox.run_raw(ContainerSpec(), Command(("/bin/true",)), b"", limits)


def test_many_long_binds_and_a_long_environment_pass(sandbox: Sandbox, tmp_path: Path) -> None:
    """More than a pipe holds at once."""
    binds = tuple(Bind(str(tmp_path), f"/opt/{number:0100}") for number in range(400))
    variables = {f"V{number}": "x" * 1000 for number in range(100)}
    result = sandbox.run_raw(
        ContainerSpec(binds), Command(("/bin/sh", "-c", "ls /opt | wc -l; env | grep -c ^V"), variables), b"", Limits()
    )
    assert result.stdout.split() == [b"400", b"100"]


@pytest.fixture
def fake(
    sandbox: Sandbox,  # noqa: ARG001 - skips where there is no sandbox
    python: PythonEnvironment,
    tmp_path: Path,
) -> Callable[[str], BubblewrapContainer]:
    """A container whose meter is a Python script; `send` and `receive` talk to the host."""

    def make(source: str) -> BubblewrapContainer:
        path = tmp_path / "meter"
        start = (
            "import os, socket, sys, time\n"
            "if sys.argv[1] == 'launch': os.execv(sys.argv[2], sys.argv[2:])\n"
            "host = socket.socket(fileno=int(sys.argv[1]))\n"
        )
        path.write_text(f"#!{python.executable} -IS\n{start}{source}\n")
        path.chmod(0o755)
        bubblewrap = find_bubblewrap().path
        return BubblewrapContainer(ContainerSpec(python.binds), BubblewrapParts(bubblewrap, path, tmp_path))

    return make


READY = "host.sendall(b'AFTBMTR2'); host.recv(10)"
# A frame that says it is a result of 104 bytes, and how a result starts.
RESULT = "(3).to_bytes(8, 'little') + (104).to_bytes(8, 'little') + b'AFTREST2'"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("sys.exit('cannot live')", "cannot live"),
        ("host.sendall(b'AFTBMTR9'); time.sleep(60)", "another version"),
        (f"{READY}; sys.exit('gone')", "gone"),
        (f"{READY}; host.sendall(b'y' * 1000); time.sleep(60)", "else than a frame"),
        (f"{READY}; host.sendall((1).to_bytes(8, 'little') + b'\\xff' * 8); time.sleep(60)", "else than a frame"),
        (f"{READY}; host.sendall({RESULT} + b'\\xff' * 96); time.sleep(60)", "else than a result"),
        (f"{READY}; host.sendall({RESULT} + bytes(96)); time.sleep(60)", "number of samples"),
        (f"{READY}; host.sendall({RESULT} + bytes(24) + b'\\xff' * 7 + bytes(65)); time.sleep(60)", "wall time"),
    ],
)
def test_a_meter_that_dies_or_talks_nonsense_is_an_internal_error(
    fake: Callable[[str], BubblewrapContainer], source: str, complaint: str
) -> None:
    with pytest.raises(SandboxInternalError, match=complaint), fake(source) as container:
        container.run(Command(("/bin/true",)), b"", Limits(wall_time_s=1))


def test_a_meter_that_sleeps_is_overruled_by_the_hosts_clock(
    fake: Callable[[str], BubblewrapContainer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(container_module, "_GRACE_S", 0.1)
    with fake(f"{READY}; time.sleep(60)") as container:
        result = container.run(Command(("/bin/true",)), b"", Limits(wall_time_s=0.1))
        assert (result.limit, result.exit_code, result.signal) == ("wall", None, signal.SIGKILL)
        assert result.measurement.wall_time_s >= 0.2
        with pytest.raises(SandboxInternalError, match="has ended"):
            container.run(Command(("/bin/true",)), b"", Limits())


def test_leaving_a_container_ends_its_processes(sandbox: Sandbox) -> None:
    with sandbox.container(ContainerSpec()) as container:
        process = container._process
        assert process.poll() is None
    assert process.poll() is not None


def test_killing_a_container_from_elsewhere_ends_its_run(sandbox: Sandbox) -> None:
    with sandbox.container(ContainerSpec()) as container:
        threading.Timer(0.2, container.kill).start()
        started = time.monotonic()
        with pytest.raises(SandboxInternalError):
            container.run(Command(("/bin/sleep", "60")), b"", Limits(wall_time_s=60))
        assert time.monotonic() - started < 30


def test_what_was_killed_for_memory_in_an_earlier_run_is_no_verdict_on_a_later_one(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sandbox.container(ContainerSpec()) as container:
        if container._group is None:
            pytest.skip("this user may not make control groups here")
        monkeypatch.setattr(container._group, "memory_kills", lambda: 1)
        threading.Timer(0.2, os.kill, (container._process.pid, signal.SIGKILL)).start()
        with pytest.raises(SandboxInternalError):
            container.run(Command(("/bin/sleep", "60")), b"", Limits(wall_time_s=60))


def test_a_limit_of_months_can_be_waited_for(sandbox: Sandbox) -> None:
    limits = Limits(wall_time_s=1e9, cpu_time_s=1e9)
    assert sandbox.run_raw(ContainerSpec(), Command(("/bin/true",)), b"", limits).exit_code == 0


def test_the_meter_that_is_stopped_from_outside_is_overruled(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container_module, "_GRACE_S", 0.1)
    with sandbox.container(ContainerSpec()) as container:
        children = Path(f"/proc/{container._process.pid}/task/{container._process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGSTOP)
        result = container.run(Command(("/bin/sleep", "60")), b"", Limits(wall_time_s=0.1))
        assert result.limit == "wall"
    end = time.monotonic() + 10
    while Path(f"/proc/{children[0]}").exists() and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(f"/proc/{children[0]}").exists()


def test_an_internal_error_is_raised_and_never_a_verdict(sandbox: Sandbox) -> None:
    environment = replace(own_environment(), executable="/no/such/python")
    with pytest.raises(SandboxInternalError, match="/no/such/python cannot be started"):
        sandbox.run(Program("python", "", environment=environment), [TestCase(b"", b"")])


def test_an_internal_error_is_tried_again_in_a_new_container(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[BubblewrapContainer] = []
    start = BubblewrapContainer.start

    def fail_twice(container: BubblewrapContainer, stack: ExitStack) -> socket.socket:
        opened.append(container)
        line = start(container, stack)
        if len(opened) < 3:
            os.kill(container._process.pid, signal.SIGKILL)
            container._process.wait()  # or what is run may be through before the kill comes
        return line

    monkeypatch.setattr(BubblewrapContainer, "start", fail_twice)
    assert sandbox.run(Program("python", "print(1)"), [TestCase(b"", b"1")]).verdict == Verdict.ACCEPTED
    assert len(opened) == 3
