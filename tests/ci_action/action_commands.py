"""What a step tells its runner: commands in what it prints, and lines in the files whose paths it was given.

The rules are those of the runner itself (`ActionCommandManager` and `FileCommandManager` of github.com/actions/runner):
a command may also stand after `##[` in the middle of a line, and stderr counts as well as stdout.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LEVELS = ("error", "warning", "notice", "debug")
_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
_OLD = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))
_STOP = "stop-commands"
_SILENT = frozenset({"group", "endgroup", "echo"})
_REFUSED = frozenset({"set-env", "add-path"})
_UNKNOWN_HERE = frozenset({"add-matcher", "remove-matcher"})
_KNOWN = frozenset({*LEVELS, *_SILENT, *_REFUSED, *_UNKNOWN_HERE, "set-output", "save-state", "add-mask"})


class FileCommandError(Exception):
    """The runner cannot read such a file, and fails the step."""


@dataclass(frozen=True)
class Annotation:
    """A message that GitHub shows on the run's page, and beside a line where it names one."""

    level: str
    message: str
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return self.properties.get("file", "")

    @property
    def line(self) -> int:
        return int(self.properties.get("line", "0"))


@dataclass(frozen=True)
class _Command:
    name: str
    properties: Mapping[str, str]
    data: str


@dataclass
class Printed:
    """Reads what one step prints, line by line, and keeps what the commands in it do."""

    annotations: list[Annotation] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    masks: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # commands whose use fails the step
    obeyed: list[str] = field(default_factory=list)  # the lines that were commands
    _resume: str | None = None

    def read(self, line: str) -> bool:
        """Obey a line if it is a command; says whether it was one, so that it is not part of the log.

        Raises:
            NotImplementedError: GitHub knows the command, and this does not.
        """
        command = _parsed(line, {*_KNOWN, _STOP, *([self._resume.lower()] if self._resume else [])})
        if command is None:
            return False
        if self._resume is not None:
            if command.name != self._resume.lower():
                return False
            self._resume = None
        elif command.name == _STOP:
            self._stop(command.data)
        else:
            self._obey(command)
        self.obeyed.append(line)
        return True

    def _stop(self, token: str) -> None:
        if not token or token.lower() in {*_KNOWN, _STOP, "pause-logging"}:
            self.refused.append(f"Invalid ::stop-commands:: token '{token}'")
        else:
            self._resume = token

    def _obey(self, command: _Command) -> None:
        name = command.name
        if name in _UNKNOWN_HERE:
            raise NotImplementedError(f"the workflow command {name}")
        if name in _REFUSED:
            self.refused.append(f"The `{name}` command is disabled.")
        elif name in LEVELS:
            self.annotations.append(Annotation(name, command.data, command.properties))
        elif name == "add-mask":
            self.masks += [command.data] if command.data.strip() else []
        elif name == "set-output":
            self._set_output(command)
        elif name == "save-state":
            self.annotations.append(Annotation("warning", "The `save-state` command is deprecated."))

    def _set_output(self, command: _Command) -> None:
        if not command.properties.get("name"):
            self.refused.append("Required field 'name' is missing in ##[set-output] command.")
            return
        self.outputs[command.properties["name"]] = command.data
        self.annotations.append(Annotation("warning", "The `set-output` command is deprecated."))


def read_pairs(text: str) -> list[tuple[str, str]]:
    """Read a file of `NAME=value` and `NAME<<DELIMITER`, as `GITHUB_OUTPUT` and `GITHUB_ENV` are.

    Raises:
        FileCommandError: A line is neither, or a delimiter does not come again.
    """
    lines = iter(text.split("\n"))
    return [_pair(line, lines) for line in lines if line]


def _pair(line: str, lines: Iterator[str]) -> tuple[str, str]:
    equals, heredoc = line.find("="), line.find("<<")
    if equals >= 0 and (heredoc < 0 or equals < heredoc):
        name, _, value = line.partition("=")
        if not name:
            raise FileCommandError(f"Invalid format '{line}'. Name must not be empty")
        return name, value
    if heredoc < 0:
        raise FileCommandError(f"Invalid format '{line}'")
    name, _, delimiter = line.partition("<<")
    if not name or not delimiter:
        raise FileCommandError(f"Invalid format '{line}'. Name must not be empty and delimiter must not be empty")
    return name, "\n".join(_until(delimiter, lines))


def _until(delimiter: str, lines: Iterator[str]) -> Iterable[str]:
    found: list[str] = []
    for line in lines:
        if line == delimiter:
            return found
        found.append(line)
    raise FileCommandError(f"Invalid value. Matching delimiter not found '{delimiter}'")


def _parsed(line: str, known: set[str]) -> _Command | None:
    return _new_form(line.lstrip(), known) or _old_form(line, known)


def _new_form(line: str, known: set[str]) -> _Command | None:
    """Read `::name key=value,key=value::data`."""
    end = line.find("::", 2) if line.startswith("::") else -1
    if end < 0:
        return None
    name, _, properties = line[2:end].partition(" ")
    if name.lower() not in known:
        return None
    return _Command(name.lower(), _properties(properties.strip(), ",", _PROPERTY), _unescaped(line[end + 2 :], _DATA))


def _old_form(line: str, known: set[str]) -> _Command | None:
    """Read `##[name key=value;key=value]data`, which may stand anywhere in a line."""
    start = line.find("##[")
    end = line.find("]", start) if start >= 0 else -1
    if end < 0:
        return None
    name, _, properties = line[start + 3 : end].partition(" ")
    if name.lower() not in known:
        return None
    return _Command(name.lower(), _properties(properties, ";", _OLD), _unescaped(line[end + 1 :], _OLD))


def _properties(text: str, separator: str, escapes: tuple[tuple[str, str], ...]) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(separator)]
    return {name: _unescaped(value, escapes) for name, _, value in pairs if name and value}


def _unescaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for escape, meant in escapes:
        text = text.replace(escape, meant)
    return text
