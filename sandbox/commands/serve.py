"""`afterburner-agent sandbox serve`: the sandbox as an HTTP service."""

from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.extras import install_command
from afterburner.sandbox.opening import open_sandbox
from afterburner.sandbox.service.settings import MOST, Settings, check_address
from afterburner.sandbox.service_token import read_token
from afterburner.sandbox.terminal.options import above_zero, read_size, zero_or_more

_GIB = 1 << 30


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; beyond the loopback only with a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0: any free one.")] = 8000,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the bearer token that clients must send. Default: AFTERBURNER_SERVICE_TOKEN."),
    ] = None,
    backend: Annotated[str, typer.Option("--sandbox", help="auto, bubblewrap or docker.")] = "auto",
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Tasks side by side. Default: one per core, except the cores of the meters."),
    ] = None,
    queue: Annotated[int, typer.Option(min=0, help="Requests that may wait; one more gets a 503.")] = 64,
    rate: Annotated[
        float,
        typer.Option(callback=above_zero, help="Requests per second from one address; more get a 429."),
    ] = 50.0,
    body: Annotated[str, typer.Option(help="The longest request; longer ones get a 413.")] = "16M",
    grace: Annotated[
        float,
        typer.Option(callback=zero_or_more, help="Seconds for running tasks to finish at the end."),
    ] = 10.0,
    wall: Annotated[float, typer.Option(callback=above_zero, help="The most wall time of a case, seconds.")] = 120.0,
    cpu: Annotated[float, typer.Option(callback=above_zero, help="The most CPU time of a case, seconds.")] = 120.0,
    memory: Annotated[str, typer.Option(help="The most memory of a case.")] = "4G",
    output_limit: Annotated[str, typer.Option(help="The most output of a case.")] = "64M",
) -> None:
    """Offer the sandbox over HTTP.

    `POST /run` judges a program on cases, `POST /execute` takes the fields of the original Monolith, `GET /health` says
    what is available, `GET /metrics` is for Prometheus, and `/docs` describes all of it. On SIGTERM or Ctrl-C, running
    tasks have the grace time to finish.
    """
    try:
        from afterburner.sandbox.service import freed_memory, server
    except ImportError as error:
        raise UsageError(
            f"The service needs packages that are not installed ({error.name}). "
            f"Install them: {install_command('service')}"
        ) from error
    if backend.startswith(("http://", "https://")):
        raise UsageError("A service runs programs itself; choose the sandbox 'bubblewrap' or 'docker'.")
    settings = Settings(
        token=read_token(token_file),
        jobs=jobs,
        waiting=queue,
        rate_per_s=rate,
        burst=max(1, int(2 * rate)),
        body_bytes=read_size("--body", body, 1024, _GIB),
        grace_s=grace,
        limits=replace(
            MOST,
            wall_time_s=wall,
            cpu_time_s=cpu,
            memory_kib=read_size("--memory", memory, 1 << 20, 1 << 44) // 1024,
            output_bytes=read_size("--output-limit", output_limit, 1, _GIB),
        ),
    )
    check_address(host, settings.token)
    server.log_to_stderr()
    freed_memory.give_back_freed_memory()
    with open_sandbox(backend) as sandbox:
        server.serve(sandbox, settings, host, port, version("afterburner-agent"))
