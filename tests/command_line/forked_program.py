"""Starts the program as forks of one process that has imported it: a run's imports take seconds, and tests make many.

Each run is a process of its own, with an environment, a folder, outputs and an end of its own. Only what imports do is
shared, so a test that is about imports, or about a variable that Python or a library reads while it starts, starts a
new process instead.

As a script, this file is the process that forks: `python forked_program.py SOCKET SCRIPT`.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import untimed_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_STARTED_S = 120.0
_SOURCES = Path(__file__).parents[2]
_FLOORS = ("sandbox", "agent")
_INSIDE = ("sandbox/driver/", "agent/inputs/inside/")  # run inside the sandbox, and nowhere else
_USED_LATER = ("langgraph.graph", "langgraph.checkpoint.sqlite", "libcst", "openai.resources.chat", "psycopg")


class Forks:
    """The client of the process that forks."""

    def __init__(self, address: str) -> None:
        self._address = address

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        outputs: Path,
        timeout_s: float,
        *,
        untimed: bool = False,
    ) -> int:
        """Runs to the end with stdin empty; the outputs are the files `stdout` and `stderr` below `outputs`.

        `untimed` runs the program of `untimed_program` instead.

        Returns:
            The exit code, as `subprocess` gives it: -9 after SIGKILL.

        Raises:
            subprocess.TimeoutExpired: it did not end in time, and was killed.
        """
        request = {
            "arguments": list(arguments),
            "folder": str(folder),
            "environment": dict(environment),
            "outputs": str(outputs),
            "untimed": untimed,
        }
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout_s)
            connection.connect(self._address)
            answers = connection.makefile("r", encoding="utf-8")
            connection.sendall(json.dumps(request).encode() + b"\n")
            pid = int(answers.readline())
            try:
                return os.waitstatus_to_exitcode(int(answers.readline()))
            except TimeoutError:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                raise subprocess.TimeoutExpired(list(arguments), timeout_s) from None


@contextmanager
def forking(script: str) -> Iterator[Forks]:
    """The process that has imported the program, for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="forks-") as folder:  # the address of a socket has to be short
        address = str(Path(folder, "socket"))
        environment = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8"}
        command = [sys.executable, __file__, address, script]
        server = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL)
        try:
            until_s = time.monotonic() + _STARTED_S
            while not Path(address).exists():
                assert server.poll() is None, "the process that forks did not start"
                assert time.monotonic() < until_s, "the process that forks does not start"
                time.sleep(0.02)
            yield Forks(address)
        finally:
            server.terminate()
            server.wait()


def _import_everything() -> None:
    for floor in _FLOORS:
        for path in sorted((_SOURCES / floor).rglob("*.py")):
            name = path.relative_to(_SOURCES).as_posix()
            if not name.startswith(_INSIDE) and not name.endswith("__.py"):
                with suppress(ImportError):  # it needs an extra that is not installed
                    import_module("afterburner." + name.removesuffix(".py").replace("/", "."))
    import_module("afterburner.agent.models.requests.litellm_module").import_litellm()
    for name in _USED_LATER:
        with suppress(ImportError):
            import_module(name)


def _serve(address: str, script: str) -> None:
    """Forks for each request; returns in the process of a request, which is then to run the program."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{address}.new")
        listener.listen(16)
        Path(f"{address}.new").rename(address)
        while True:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                break
            connection.close()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
    with connection.makefile("r", encoding="utf-8") as requests:
        request = json.loads(requests.readline())
    pid = os.fork()
    if pid == 0:
        connection.close()
        _become(script, **request)
        return
    connection.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):
        connection.sendall(f"{status}\n".encode())
    os._exit(0)


def _become(
    script: str, arguments: list[str], folder: str, environment: dict[str, str], outputs: str, *, untimed: bool
) -> None:
    """Takes what a new process is given, as far as Python has not read it already."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, "stdout", writing), (2, "stderr", writing)):
        opened = os.open(Path(outputs, path), flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115 - for good
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).parent)
    sys.path[1:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    if untimed:
        untimed_program.time_nothing()


def _main(address: str, script: str) -> NoReturn:
    _import_everything()
    gc.collect()
    gc.freeze()
    _serve(address, script)
    try:
        code = import_module("afterburner.agent.cli.main").main()
    except SystemExit as ended:
        code = ended.code
    _end(code)


def _end(code: object) -> NoReturn:
    """Ends as the interpreter does, without taking its modules apart: that takes longer than most runs."""
    if code is not None and not isinstance(code, int):
        sys.exit(str(code))
    threading._shutdown()  # type: ignore[attr-defined]  # as the interpreter calls it: executors end their threads
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    _main(*sys.argv[1:])
