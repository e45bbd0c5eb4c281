"""What a job tells the runner that runs it: outputs, the summary, annotations, and text that must not be a command."""

from __future__ import annotations

import os
import secrets
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent import AfterburnerError
from afterburner.ci_action.formats.phrases import verdict
from afterburner.ci_action.report.document import Decision

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from afterburner.ci_action.report.document import CiDocument

MOST_SUMMARY = 1_000_000  # characters; GitHub takes 1 MiB
_MOST_ANNOTATIONS = 10  # of each kind in a step: GitHub drops the rest


class Commands:
    """Speaks to the runner in its own commands, and keeps it from obeying what foreign code prints.

    The runner reads stdout and stderr side by side, so only what is on one stream is sure to be read in its order.

    Args:
        variables: of the environment.
        is_text: whether stdout is for people. A document on stdout is kept free of commands, and from `stop` on the
            runner obeys nothing of the step any more.
    """

    def __init__(self, variables: Mapping[str, str], *, is_text: bool = True) -> None:
        self._is_on = variables.get("GITHUB_ACTIONS") == "true"
        self._is_text = is_text
        self._token = ""

    def stop(self) -> None:
        """From now on the runner obeys nothing but `annotate`: code of a pull request prints, too.

        Text for people goes to one stream with stderr, unless it goes to a file, which the runner does not read.
        """
        if not self._is_on:
            return
        if self._is_text and not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
            sys.stdout.flush()
            sys.stderr.flush()
            os.dup2(sys.stdout.fileno(), sys.stderr.fileno())
        _say([self._stopping()])

    def annotate(self, document: CiDocument, *, without: Collection[str] = ()) -> None:
        """Show each result at its line: slow-downs as warnings, rewrites as notices.

        Args:
            document: the report.
            without: the keys of functions that are shown elsewhere, as by a suggestion.
        """
        if not (self._is_on and self._is_text):
            return
        lines = []
        for kind, decision in (("warning", Decision.SLOWER), ("notice", Decision.IMPROVED)):
            for each in [each for each in document.of(decision) if each.key not in without][:_MOST_ANNOTATIONS]:
                place = f"file={_property(each.file)},line={each.line},endLine={each.last_line}"
                message = f"{each.function}: {verdict(each, document)}"
                lines.append(f"::{kind} {place},title=Afterburner Agent::{_data(message)}")
        if lines:
            _say([f"::{self._token}::", *lines, self._stopping()])

    def _stopping(self) -> str:
        """The command with a new token, for the log shows the one that has allowed commands again."""
        self._token = secrets.token_hex(16)
        return f"::stop-commands::{self._token}"


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


def _say(lines: Sequence[str]) -> None:
    """Write them in one go, after all that was printed before."""
    sys.stdout.flush()
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


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
