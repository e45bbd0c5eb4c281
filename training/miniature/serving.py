"""Serves a model over OpenAI's protocol by `transformers serve`, without a network."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.cores import divide_cores
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ADDRESS = "HOSTED_VLLM_API_BASE"
# Without a limit, the server takes most of the machine's memory for its KV cache, and each step processes all of it.
_BATCHING = ["--continuous-batching", "--cb-block-size", "32", "--cb-num-blocks", "256", "--cb-max-batch-tokens", "512"]
_START_S = 300.0  # until a server answers, on a busy machine
_END_S = 30.0


@contextmanager
def served(model: Path, log: Path) -> Iterator[str]:
    """Serve a model, and set `HOSTED_VLLM_API_BASE` to its address in this process, so serve only one at a time.

    Args:
        model: its folder.
        log: what the server prints.

    Yields:
        Its name for `--model`.

    Raises:
        TrainingError: the server does not start.
    """
    port = _free_port()
    command = [*_ending_with_us(), str(Path(sys.executable).with_name("transformers")), "serve", str(model), *_BATCHING]
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "OMP_NUM_THREADS": "1"}
    before = os.environ.get(_ADDRESS)
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            env={**os.environ, **offline},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    if sys.platform == "linux":
        os.sched_setaffinity(server.pid, divide_cores().watching)  # programs are measured on the others
    try:
        _wait(f"http://127.0.0.1:{port}/health", server, log)
        os.environ[_ADDRESS] = f"http://127.0.0.1:{port}/v1"
        yield f"hosted_vllm/{model}"
    finally:
        if before is None:
            os.environ.pop(_ADDRESS, None)
        else:
            os.environ[_ADDRESS] = before
        _end(server)


def _ending_with_us() -> list[str]:
    """A command prefix that ends the server when this process is killed, so that it does not compete with the next."""
    return ["setpriv", "--pdeathsig", "TERM", "--"] if shutil.which("setpriv") else []


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers.

    Raises:
        TrainingError: it has ended, or does not answer in time.
    """
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):  # noqa: S310 - an http address of our own
                if server.poll() is None:  # else another program has taken the port
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TrainingError(f"transformers serve did not start. Its output is in {log}.")


def _end(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(_END_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
