"""`afterburner-agent lsp`: the language server, on stdin and stdout."""

from __future__ import annotations

import logging
import os
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent.cli.needs import needing_extra

if TYPE_CHECKING:
    from typing import BinaryIO

_PACKAGE = "afterburner-agent"
_SWITCH_S = 0.001  # so that typing is not held up by a run in another thread; Python's own 5 ms would be felt


def lsp(
    *,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak on stdin and stdout; this is the default.")] = False,
    tcp: Annotated[
        int | None, typer.Option(metavar="PORT", min=1, max=65535, help="Listen on this port of 127.0.0.1 instead.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what happens to stderr.")] = False,
) -> None:
    """Start the language server: "Optimize this function" in editors.

    An editor starts it and speaks to it on stdin and stdout. docs/editors.md has the settings for several editors.
    """
    with needing_extra("lsp", "The language server"):
        from afterburner.lsp_server.features import make_server  # noqa: PLC0415 - pygls is an extra, and slow to import
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if verbose else logging.CRITICAL)
    sys.setswitchinterval(_SWITCH_S)
    server = make_server(version(_PACKAGE), may_trust_client=tcp is None)
    if tcp is not None:
        server.start_tcp("127.0.0.1", tcp)
        return
    del stdio
    stdin, stdout = _take_streams()
    server.start_io(stdin, stdout)


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Our own ends of stdin and stdout. Whoever else prints, or a child process, gets stderr and an empty stdin."""
    sys.stdout.flush()
    stdin, stdout = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return stdin, stdout
