"""Nothing survives a run: no folder, no process, no mount; also when the host process is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from afterburner.sandbox import AfterburnerError, Limits, Program, TestCase
from afterburner.sandbox.leftovers import workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.sandbox import Sandbox

HOST = """
import sys
from afterburner.sandbox import Limits, Program, TestCase, open_sandbox
from afterburner.sandbox.leftovers import workspace
source = '''
import os, sys, time
os.fork(); os.setsid() if os.getpid() != os.getsid(0) else None
print("up", flush=True)
while True: time.sleep(0.05)
'''
with open_sandbox() as sandbox, workspace() as folder:
    (folder / "staged").write_text("x")
    print(folder, flush=True)
    sandbox.run(Program("python", source, arguments=(sys.argv[1],)), [TestCase()], Limits(wall_time_s=120))
"""


@pytest.fixture(autouse=True)
def runtime_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for workspaces that no other test uses."""
    folder = tmp_path / "runtime"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    return folder


def processes_with(token: str) -> list[str]:
    found = []
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = command.read_bytes()
        except OSError:
            continue
        if token.encode() in text and int(command.parent.name) != os.getpid():
            found.append(text.decode(errors="replace"))
    return found


def wait_until(condition: object, seconds: float = 30) -> bool:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def host_process(sandbox: Sandbox) -> Iterator[tuple[subprocess.Popen[str], str, Path]]:
    """Another process that runs a program in a sandbox: it, the program's token, and its workspace."""
    assert sandbox
    token = f"token-{uuid.uuid4().hex}"
    with subprocess.Popen([sys.executable, "-c", HOST, token], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        folder = Path(process.stdout.readline().strip())
        # the host itself, and the program with its child
        assert wait_until(lambda: len(processes_with(token)) == 3), processes_with(token)
        yield process, token, folder
        process.kill()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_host_that_is_killed_leaves_no_process_and_the_next_start_removes_its_folder(
    host_process: tuple[subprocess.Popen[str], str, Path], number: int
) -> None:
    process, token, folder = host_process
    process.send_signal(number)
    process.wait(30)
    assert wait_until(lambda: not processes_with(token)), processes_with(token)
    assert token not in Path("/proc/self/mountinfo").read_text()
    if number == signal.SIGKILL:
        assert (folder / "staged").exists()
    with workspace() as other:
        assert not folder.exists()
        assert list(other.parent.glob("run-*")) == [other]


def test_an_interrupt_ends_the_run_at_once(host_process: tuple[subprocess.Popen[str], str, Path]) -> None:
    process, token, folder = host_process
    process.send_signal(signal.SIGINT)
    assert process.wait(30) != 0
    assert wait_until(lambda: not processes_with(token))
    assert not folder.exists(), "an interrupted host cleans up itself"


def test_a_workspace_is_private_and_goes_with_its_context(runtime_folder: Path) -> None:
    with workspace() as folder:
        assert folder.is_relative_to(runtime_folder)
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "deep" / "er").mkdir(parents=True)
        (folder / "deep" / "er" / "file").write_text("x")
        (folder / "deep" / "er").chmod(0o500)
        (folder / "link").symlink_to("/")
    assert not folder.exists()
    assert Path("/usr").exists()


def test_workspaces_in_use_are_left_alone() -> None:
    with workspace() as first, workspace() as second:
        assert first != second
        assert first.exists()
    assert not first.exists()
    assert not second.exists()


def test_without_a_runtime_folder_the_temporary_one_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with workspace() as folder:
        assert folder.is_relative_to(tmp_path / f"afterburner-agent-{os.geteuid()}")


def test_a_place_that_others_can_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = tmp_path / f"afterburner-agent-{os.geteuid()}"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(AfterburnerError, match="TMPDIR"), workspace():
        pass


def test_a_run_leaves_the_workspace_of_its_sandbox_empty(sandbox: Sandbox) -> None:
    before = set(sandbox._folder.iterdir())  # what other tests have staged there goes with the sandbox
    sandbox.run(Program("python", "raise SystemExit(1)"), [TestCase()], Limits())
    assert set(sandbox._folder.iterdir()) == before
