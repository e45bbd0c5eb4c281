"""`afterburner-agent mcp`: the server for coding agents, on stdin and stdout."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from afterburner.agent import UsageError
from afterburner.agent.cli.from_options import option_of
from afterburner.agent.cli.needs import needing_extra
from afterburner.agent.options import Caps, ModelOptions
from afterburner.lsp_server.mcp_server.roots import Roots

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)
_PACKAGE = "afterburner-agent"


def mcp(
    *,
    root: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="A folder whose projects the agent may use; repeat for more. Default: the roots that the client "
            "names, else the current folder.",
        ),
    ] = None,
    model: Annotated[str | None, option_of(ModelOptions, "model")] = None,
    max_cost: Annotated[float | None, option_of(Caps, "cost_usd")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Log what happens to stderr.")] = False,
) -> None:
    """Start the MCP server: coding agents have their rewrites checked and measured instead of guessing.

    The agent's program starts it and speaks to it on stdin and stdout. docs/agents.md has the settings for several.
    """
    with needing_extra("mcp", "The MCP server"):
        from afterburner.lsp_server.mcp_server.tools import make_server  # noqa: PLC0415 - the SDK is an extra
    logging.basicConfig(stream=sys.stderr, level=logging.INFO if verbose else logging.CRITICAL)
    given = {name: value for name, value in (("model", model), ("max_cost", max_cost)) if value is not None}
    with _ended_by_client():
        make_server(version(_PACKAGE), _roots(root or []), given).run("stdio")


@contextmanager
def _ended_by_client() -> Iterator[None]:
    """A client that is gone ends the server, and is no error of it. The SDK raises what its writer has met."""
    try:
        yield
    except* BrokenPipeError:
        logger.info("the client is gone")


def _roots(named: list[str]) -> Roots:
    folders = tuple(Path(each).resolve() for each in named)
    for folder in folders:
        if not folder.is_dir():
            raise UsageError(f"--root {folder}: it is no folder. Name the folder of a project, or one above it.")
    return Roots(folders, Path.cwd())
