"""Runs short commands of our own on the host (git, ruff): they end with their time, or with the work they are for."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from afterburner.sandbox.cancel import current_token

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def run_on_host(
    command: Sequence[str],
    *,
    timeout_s: float,
    stdin: bytes = b"",
    folder: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command of ours, never of a project's, and give what it printed and its exit code.

    Args:
        command: the program and its arguments.
        timeout_s: after which it is killed.
        stdin: what it may read.
        folder: where it runs; None: here.
        variables: its environment; None: ours.

    Raises:
        CancelledError: the work that it is for was cancelled; see `cancellable`.
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took too long.
    """
    token = current_token()
    token.raise_if_cancelled()
    with (
        subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
        ) as process,
        token.on_cancel(lambda: _kill_group(process.pid)),
    ):
        try:
            printed, complaints = process.communicate(stdin, timeout=timeout_s)
        except BaseException:
            _kill_group(process.pid)
            raise
    token.raise_if_cancelled()
    return subprocess.CompletedProcess(command, process.returncode, printed, complaints)


def _kill_group(group: int) -> None:
    """Kill a command and what it has started: `git` may be a script, whose children hold the outputs open."""
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
