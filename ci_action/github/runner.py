"""What a job tells the runner that runs it: outputs, the summary, annotations, and text that must not be a command."""

from __future__ import annotations

import secrets
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError
from afterburner.ci_action.formats.phrases import verdict
from afterburner.ci_action.report.document import Decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from afterburner.ci_action.report.document import CiDocument

MOST_SUMMARY = 1_000_000  # characters; GitHub takes 1 MiB
_MOST_ANNOTATIONS = 10  # of each kind in a step: GitHub drops the rest


@contextmanager
def without_commands(variables: Mapping[str, str]) -> Iterator[None]:
    """Keep the runner from obeying lines that are printed while the block runs: code of a pull request prints, too."""
    if variables.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = secrets.token_hex(16)
    _command(f"::stop-commands::{token}")
    try:
        yield
    finally:
        _command(f"::{token}::")


def write_outputs(outputs: Mapping[str, str], variables: Mapping[str, str]) -> None:
    """Set outputs of the step, as `name<<delimiter`, so that no value can set another one.

    Raises:
        AfterburnerError: the runner's file cannot be written.
    """
    place = variables.get("GITHUB_OUTPUT")
    if not place:
        return
    text = ""
    for name, value in outputs.items():
        delimiter = f"ghadelimiter_{secrets.token_hex(16)}"
        text += f"{name}<<{delimiter}\n{value}\n{delimiter}\n"
    _append("GITHUB_OUTPUT", place, text)


def write_step_summary(text: str, variables: Mapping[str, str]) -> None:
    """Show Markdown on the page of the run.

    Raises:
        AfterburnerError: the runner's file cannot be written.
    """
    if place := variables.get("GITHUB_STEP_SUMMARY"):
        _append("GITHUB_STEP_SUMMARY", place, text[:MOST_SUMMARY] + "\n")


def annotate(document: CiDocument, variables: Mapping[str, str]) -> None:
    """Show each result at its line: rewrites as notices, slow-downs as warnings."""
    if variables.get("GITHUB_ACTIONS") != "true":
        return
    for kind, decision in (("warning", Decision.SLOWER), ("notice", Decision.IMPROVED)):
        for each in document.of(decision)[:_MOST_ANNOTATIONS]:
            place = f"file={_property(each.file)},line={each.line},endLine={each.last_line}"
            message = f"{each.function}: {verdict(each, document)}"
            _command(f"::{kind} {place},title=Afterburner Agent::{_data(message)}")


def _command(line: str) -> None:
    sys.stderr.flush()
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _append(name: str, place: str, text: str) -> None:
    try:
        with Path(place).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise AfterburnerError(f"{name}={place}: cannot be written: {error.strerror or error}.") from error
