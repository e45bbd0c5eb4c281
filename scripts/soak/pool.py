"""Sandbox services behind nginx, as examples/service puts them: started, killed, stopped gracefully, started again."""

from __future__ import annotations

import os
import random
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx

from afterburner.sandbox.service_token import BEARER_VARIABLE
from scripts.soak.hosts import PRIVATE, HostFailedError

if TYPE_CHECKING:
    from scripts.soak.watch import Watch

PROXY = Path(__file__).parents[2] / "examples" / "service" / "nginx.conf"
_UNPACKED = Path(__file__).parents[2] / ".venv" / "servers" / "usr" / "sbin"
_START_S, _END_S, _LOOK_AGAIN_S = 120.0, 150.0, 0.1
_GRACE_S = 130  # as in the Compose file: a little longer than a case may take
_MOST_MEMORY = "8G"  # as much as an attack asks for
_ON_THIS_MACHINE = """\
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-errors.log;
"""
_LOGS = """\
    log_format tries '$request_uri $status $upstream_status';
    access_log {folder}/nginx-requests.log tries;
    client_body_temp_path {folder}/nginx-bodies;
    proxy_temp_path {folder}/nginx-answers;
    fastcgi_temp_path {folder}/nginx-others;
    uwsgi_temp_path {folder}/nginx-others;
    scgi_temp_path {folder}/nginx-others;
"""


class Service:
    """One place of the pool: a port, and whatever process serves there now."""

    def __init__(self, folder: Path, watch: Watch) -> None:
        self.port = _free_port()
        self.is_ending = False
        self._watch = watch
        self._log = folder / f"service-{self.port}.log"
        self._variables = {variable: str(folder / name) for variable, name in PRIVATE.items()}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Of the process that serves here, or did last."""
        return 0 if self._process is None else self._process.pid

    def start(self) -> None:
        """Starts a process here; `wait` waits until it serves."""
        program = Path(sys.executable).with_name("afterburner-agent")
        options = ["--port", str(self.port), "--rate", "10000", "--grace", str(_GRACE_S), "--memory", _MOST_MEMORY]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [program, "sandbox", "serve", *options],
                stdout=log,
                stderr=log,
                env={**os.environ, **self._variables},
                process_group=0,  # Ctrl-C is for us; we then end it gracefully
            )
        self._watch.hosts.add(self.pid)
        self._watch.all_hosts.add(self.pid)

    def wait(self) -> None:
        """Waits until it serves.

        Raises:
            HostFailedError: it does not.
        """
        if self._process is None or not _answers(self._process, self.address):
            raise HostFailedError(f"A service did not start: {self._log.read_text('utf-8')[-2000:]}")

    def kill(self) -> None:
        """Ends it at once, without a chance to tidy up.

        Raises:
            HostFailedError: it had ended by itself, and not because it was asked to.
        """
        if self._process is None:
            return
        if self._process.poll() is not None and self._process.pid in self._watch.hosts:
            asked, self.is_ending = self.is_ending, False
            self._watch.hosts.discard(self.pid)
            if not asked or self._process.returncode != 0:
                raise HostFailedError(f"A service ended by itself: {self._log.read_text('utf-8')[-2000:]}")
        self.abandon()

    def abandon(self) -> None:
        """Ends it at once, whatever has become of it."""
        self.is_ending = False
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._watch.hosts.discard(self.pid)

    def ask_to_end(self) -> None:
        """Tells it to finish what runs, and to end; `has_ended` says when it has."""
        self.is_ending = True
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)

    def has_ended(self) -> bool:
        """Whether it has, after `ask_to_end`.

        Raises:
            HostFailedError: it ended with an error.
        """
        if self._process is None or self._process.poll() is None:
            return False
        self._check_status()
        return True

    def end(self) -> None:
        """Lets it end gracefully, and waits for that.

        Raises:
            HostFailedError: it ended otherwise.
        """
        if self._process is None or self._process.pid not in self._watch.hosts:
            return
        if not self.is_ending:  # a second signal kills, and so does one during the start
            self.wait()
            self.ask_to_end()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self.kill()
            raise HostFailedError(f"A service was still running {_END_S:.0f} s after SIGTERM.") from None
        self._check_status()

    def _check_status(self) -> None:
        self.is_ending = False
        self._watch.hosts.discard(self.pid)
        status = self._process.returncode if self._process else 0
        if status != 0:
            raise HostFailedError(f"A service ended with status {status}: {self._log.read_text('utf-8')[-2000:]}")


class Pool:
    """Some services and the proxy in front of them; leaving it ends them gracefully."""

    def __init__(self, size: int, folder: Path, watch: Watch) -> None:
        for name in PRIVATE.values():
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        os.environ.setdefault(BEARER_VARIABLE, secrets.token_hex(16))
        self.services = [Service(folder, watch) for _ in range(size)]
        self._folder = folder
        self._watch = watch
        self._port = _free_port()
        self._proxy: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The one address of all of them."""
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._abandon()
            raise
        return self

    def _start(self) -> None:
        program = find_nginx()
        if program is None:
            raise HostFailedError("nginx is missing. `make setup-tests` unpacks it on Debian; elsewhere, install it.")
        configuration, errors = self._folder / "nginx.conf", self._folder / "nginx-errors.log"
        configuration.write_text(self._configuration(), "utf-8")
        for service in self.services:
            service.start()
        for service in self.services:
            service.wait()
        self._proxy = subprocess.Popen([program, "-e", errors, "-c", configuration], process_group=0)
        self._watch.hosts.add(self._proxy.pid)
        if not _answers(self._proxy, self.url):
            raise HostFailedError(f"nginx does not start: {errors.read_text('utf-8')[-2000:]}")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            for service in self.services:
                with suppress(*(() if kind is None else (HostFailedError,))):  # no second error hides the first
                    service.end()
        finally:
            self._abandon()

    def _abandon(self) -> None:
        for service in self.services:
            service.abandon()
        if self._proxy is not None:
            self._proxy.terminate()
            self._proxy.wait()
            self._watch.hosts.discard(self._proxy.pid)

    def answers(self) -> Counter[str]:
        """What the proxy answered to submissions, and how often it asked more than one service."""
        told: Counter[str] = Counter()
        for line in (self._folder / "nginx-requests.log").read_text("utf-8").splitlines():
            path, status, tries = line.split(" ", 2)
            if path == "/run":
                told[status] += 1
                told["sent on"] += "," in tries
        return told

    def _configuration(self) -> str:
        """The proxy's file of examples/service, for services on ports of this machine."""
        servers = "\n        ".join(f"server 127.0.0.1:{each.port} max_fails=0;" for each in self.services)
        text = PROXY.read_text("utf-8")
        for old, new in (
            ("    resolver 127.0.0.11 valid=5s;\n", _LOGS.format(folder=self._folder)),
            ("server sandbox:8000 resolve max_fails=0;", servers),
            ("listen 8000;", f"listen 127.0.0.1:{self._port};"),
        ):
            if text.count(old) != 1:
                raise HostFailedError(f"{PROXY} has changed: it must contain {old.strip()!r} exactly once.")
            text = text.replace(old, new)
        return _ON_THIS_MACHINE.format(folder=self._folder) + text


def find_nginx() -> str | None:
    """The one of this machine, which may be on no user's path, or the one that setup.sh unpacks; None: neither."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:{_UNPACKED}")


def _answers(process: subprocess.Popen[bytes], address: str) -> bool:
    """Whether a service answers at an address, before the process ends and in good time."""
    headers = {"Authorization": f"Bearer {os.environ[BEARER_VARIABLE]}"}
    deadline = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(httpx.HTTPError):
            if httpx.get(f"{address}/health", headers=headers, trust_env=False).is_success:
                return True
        time.sleep(_LOOK_AGAIN_S)
    return False


def _free_port() -> int:
    """One that no outgoing connection takes while the service that listens there starts again."""
    first, _ = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split())
    while True:
        port = random.randrange(1024, first)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
