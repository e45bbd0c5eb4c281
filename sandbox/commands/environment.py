"""`afterburner-agent environment`: the images that projects' code runs in."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from pydantic import Field, NonNegativeInt
from rich.table import Table
from rich.text import Text

from afterburner.sandbox.errors import SandboxUnavailableError, UsageError
from afterburner.sandbox.extras import install_command
from afterburner.sandbox.terminal.console import open_console
from afterburner.sandbox.terminal.destinations import write_result
from afterburner.sandbox.terminal.document import Document
from afterburner.sandbox.terminal.options import json_option
from afterburner.sandbox.terminal.text import display_path, scrub_line

if TYPE_CHECKING:
    from afterburner.sandbox.docker_daemon import DockerDaemon

_MEGABYTE = 1_000_000

app = typer.Typer(
    name="environment",
    help="List and remove the Docker images that --environment image makes of projects.",
    invoke_without_command=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class EnvironmentPart(Document):
    """One image."""

    name: str = Field(description="What `environment remove` takes.")
    project: str = Field(description="The folder of the project that it was made for.")
    declared: str = Field(description="What it was made of, such as `uv.lock, Python 3.12`.")
    created: NonNegativeInt = Field(description="When, in seconds since 1970.")
    size_bytes: NonNegativeInt = Field(description="Of all its layers; others may share those of its base.")


class EnvironmentsDocument(Document):
    """The result of `afterburner-agent environment list --json FILE`."""

    schema_: Literal[1] = Field(default=1, alias="schema", description="Version of this contract.")
    environments: list[EnvironmentPart] = Field(description="Newest first.")


@app.callback()
def root(context: typer.Context) -> None:
    """List and remove the Docker images that --environment image makes of projects."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


@app.command(name="list")
def list_environments(*, json: Annotated[str | None, json_option()] = None) -> None:
    """List the images, newest first."""
    with _daemon() as daemon:
        from afterburner.sandbox.environments.images import environment_images

        found = environment_images(daemon)
    if json is not None:
        parts = [EnvironmentPart.model_validate(image) for image in found]
        write_result("--json", json, EnvironmentsDocument(environments=parts).to_text().encode("ascii"))
        return
    console = open_console(sys.stdout)
    if not found:
        console.print("No images yet. `afterburner-agent run FILE --environment image` makes one.")
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("name", "made", "size", "project", "from"):
        is_whole = column in {"name", "made", "size"}
        table.add_column(column, overflow="fold", no_wrap=is_whole, justify="right" if column == "size" else "left")
    for image in found:
        table.add_row(
            image.name,
            time.strftime("%Y-%m-%d %H:%M", time.localtime(image.created)),
            f"{image.size_bytes / _MEGABYTE:,.0f} MB",
            Text(display_path(image.project)),
            Text(scrub_line(image.declared)),
        )
    console.print(table)


@app.command(name="remove")
def remove(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…", help="As `list` shows them.")] = None,
    *,
    every: Annotated[bool, typer.Option("--all", help="Remove all of them.")] = False,
) -> None:
    """Remove images. The next run makes what it needs again."""
    if every == bool(names):
        raise UsageError("Give the names of the images to remove, as `environment list` shows them, or --all.")
    with _daemon() as daemon:
        from afterburner.sandbox.environments.images import environment_images, remove_environment

        known = {image.name for image in environment_images(daemon)}
        wanted = sorted(known) if every else list(dict.fromkeys(names or ()))
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UsageError(
                f"No such image: {', '.join(unknown)}. `afterburner-agent environment list` shows the names."
            )
        for name in wanted:
            remove_environment(daemon, name)
            typer.echo(f"removed {name}")


@contextmanager
def _daemon() -> Iterator["DockerDaemon"]:
    try:
        from afterburner.sandbox.docker_daemon import DockerDaemon
    except ModuleNotFoundError as error:
        raise SandboxUnavailableError(
            f"This command needs the Python package {error.name}. Install it: {install_command('docker')}"
        ) from error
    with closing(DockerDaemon()) as daemon:
        yield daemon
