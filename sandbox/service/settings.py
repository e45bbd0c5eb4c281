"""What the operator of the service decides."""

from __future__ import annotations

import hmac
import ipaddress
from dataclasses import dataclass, field

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.service_token import BEARER_VARIABLE
from afterburner.sandbox.types import Limits

MOST = Limits(
    wall_time_s=120.0,
    cpu_time_s=120.0,
    memory_kib=4 * 1024 * 1024,
    output_bytes=64 * 1024 * 1024,
    processes=256,
    file_kib=1024 * 1024,
    open_files=1024,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """Bounds of the service. Each is there so that no client can use up what belongs to all."""

    token: str | None = field(default=None, repr=False)  # None: no token is asked for, and only loopback is served
    jobs: int | None = None  # tasks side by side; None: as many as there are cores for it
    waiting: int = 64  # requests beside those that run; the next one is answered 503
    rate_per_s: float = 50.0  # requests of one client address, sustained; more are answered 429
    burst: int = 100  # requests of one client address at once
    body_bytes: int = 16 * 1024 * 1024  # of one request; longer ones are answered 413
    transfer_time_s: float = 60.0  # for a request to come in, else 408; for a client to read on, else it is hung up on
    cases: int = 1000  # of one task
    task_time_s: float = 3600.0  # number of cases times their wall limit
    kept_output_bytes: int = 64 * 1024 * 1024  # of stdout that one response reports, over all cases
    grace_s: float = 10.0  # for what runs when the service is told to end
    limits: Limits = MOST  # that a client gets of each

    def accepts(self, credentials: bytes) -> bool:
        """Whether these are the right bearer credentials; takes as long for nearly right ones as for wrong ones."""
        return self.token is None or hmac.compare_digest(credentials, b"Bearer " + self.token.encode())


def check_address(host: str, token: str | None) -> None:
    """Refuses to listen to other machines without a token.

    Raises:
        UsageError: there is none, and the address is not loopback.
    """
    if token is None and not is_loopback(host):
        raise UsageError(
            f"Listening on {host} lets other machines run code here, so it needs a token. Put one into a file and "
            f"give --token-file, or set {BEARER_VARIABLE}; or listen on 127.0.0.1."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches what listens there."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
