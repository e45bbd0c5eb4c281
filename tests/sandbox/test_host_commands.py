"""Commands of our own on the host end with the work that they are for."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from afterburner.sandbox import CancelledError, CancelToken
from afterburner.sandbox.cancel import cancellable, raise_if_cancelled
from afterburner.sandbox.host_commands import run_on_host
from afterburner.sandbox.project import stage_project

TELLS_AND_STAYS = """
import os, sys, time
with open(sys.argv[1], "w") as pipe:
    pipe.write(str(os.getpid()))
time.sleep(600)
"""


def test_a_command_gets_its_input_and_variables_and_gives_what_it_printed(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdin.read(), os.getcwd(), os.environ['GIVEN']); sys.exit('no')"
    done = run_on_host(
        [sys.executable, "-c", code], timeout_s=60, stdin=b"in", folder=tmp_path, variables={"GIVEN": "a value"}
    )
    assert (done.stdout.decode(), done.stderr, done.returncode) == (f"in {tmp_path} a value\n", b"no\n", 1)


def test_a_command_is_killed_when_its_work_is_cancelled(tmp_path: Path) -> None:
    told = tmp_path / "told"
    os.mkfifo(told)
    token, pids = CancelToken(), list[int]()

    def cancel() -> None:
        pids.append(int(told.read_text()))
        token.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with cancellable(token), pytest.raises(CancelledError):
        run_on_host([sys.executable, "-c", TELLS_AND_STAYS, str(told)], timeout_s=600)
    canceller.join()
    assert not Path(f"/proc/{pids[0]}").exists()  # killed, and reaped


def test_what_a_command_has_started_is_killed_with_it(tmp_path: Path) -> None:
    """It holds the outputs open, for which the command would be waited."""
    started, token = tmp_path / "started", CancelToken()
    os.mkfifo(started)
    script = f"sleep 600 & echo $! > {started}; exit 0"
    pids = list[int]()

    def cancel() -> None:
        pids.append(int(started.read_text()))
        token.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with cancellable(token), pytest.raises(CancelledError):
        run_on_host(["sh", "-c", script], timeout_s=600)
    canceller.join()
    assert not Path(f"/proc/{pids[0]}/exe").exists()  # a zombie that nobody reaps is allowed


def test_a_command_that_takes_too_long_is_killed() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run_on_host([sys.executable, "-c", "import time; time.sleep(600)"], timeout_s=0.1)


def test_cancelled_work_begins_no_command_and_copies_no_file(tmp_path: Path) -> None:
    target = tmp_path / "project" / "shop.py"
    target.parent.mkdir()
    target.write_text("price = 1\n")
    token = CancelToken()
    token.cancel()
    with cancellable(token):
        with pytest.raises(CancelledError):
            run_on_host([sys.executable, "-c", f"open({str(tmp_path / 'made')!r}, 'w')"], timeout_s=60)
        with pytest.raises(CancelledError):
            stage_project(target.parent, tmp_path / "copy", target)
    raise_if_cancelled()  # outside of the block nothing is cancelled
    assert not (tmp_path / "made").exists()
    assert not list((tmp_path / "copy").iterdir())
