"""What a job tells the runner that runs it: outputs, the summary, annotations, and text that must not be a command."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError
from afterburner.ci_action.formats.phrases import verdict
from afterburner.ci_action.report.document import Decision

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from afterburner.ci_action.report.document import CiDocument

MOST_SUMMARY = 1_000_000  # characters; GitHub takes 1 MiB
_MOST_ANNOTATIONS = 10  # of each kind in a step: GitHub drops the rest


class Commands:
    """Speaks to the runner in its own commands, and keeps it from obeying what foreign code prints.

    Args:
        variables: of the environment.
        is_text: whether stdout is for people. A document on stdout is kept free of commands, and from `stop` on the
            runner obeys nothing of the step any more.
    """

    def __init__(self, variables: Mapping[str, str], *, is_text: bool = True) -> None:
        self._is_on = variables.get("GITHUB_ACTIONS") == "true"
        self._is_text = is_text
        self._token = secrets.token_hex(16)

    def stop(self) -> None:
        """From now on the runner obeys nothing: code of a pull request prints, too."""
        if self._is_on:
            sys.stderr.write(f"::stop-commands::{self._token}\n")
            sys.stderr.flush()

    def resume(self) -> None:
        """The runner obeys again. On the stream that the last foreign text went to, or it could come too early."""
        if self._is_on and self._is_text:
            self._say(f"::{self._token}::")

    def annotate(self, document: CiDocument, *, without: Collection[str] = ()) -> None:
        """Show each result at its line: slow-downs as warnings, rewrites as notices.

        Args:
            document: the report.
            without: the keys of functions that are shown elsewhere, as by a suggestion.
        """
        if not (self._is_on and self._is_text):
            return
        for kind, decision in (("warning", Decision.SLOWER), ("notice", Decision.IMPROVED)):
            for each in [each for each in document.of(decision) if each.key not in without][:_MOST_ANNOTATIONS]:
                place = f"file={_property(each.file)},line={each.line},endLine={each.last_line}"
                message = f"{each.function}: {verdict(each, document)}"
                self._say(f"::{kind} {place},title=Afterburner Agent::{_data(message)}")

    def _say(self, line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


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
