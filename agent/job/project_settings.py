"""`[tool.afterburner]` of the pyproject.toml that a file belongs to.

The file comes with the project, and so perhaps from someone whose code is only about to be looked at. Most settings it
may set by itself. Not what names a model, which costs money and is sent the code, nor a file or a program, nor what a
rewrite may import: for these the user has to trust the project.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from afterburner.agent.errors import SettingsError
from afterburner.agent.job.setting_values import field_types, outer_name, settings_from, written_defaults
from afterburner.agent.job.trust import TRUST_VARIABLE, TrustQuestion, TrustRequest
from afterburner.agent.option_kinds import EnvironmentKind, options_of
from afterburner.agent.options import GROUPS
from afterburner.sandbox import UsageError
from afterburner.sandbox.project import find_project_root
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from afterburner.agent.job.trust import Trust
    from afterburner.agent.options import RunSettings

NAME = "pyproject.toml"
TABLE = "tool.afterburner"
PREFIX = "AFTERBURNER_"  # of the variables that are settings
# What a run is asked for each time: its target, and what becomes of the result.
NOT_SETTINGS = frozenset({"function", "calls", "cases", "apply", "yes", "record"})
_PATHS = ("FILE", "DIR", "PATH")
_NEEDS_TRUST = (*_PATHS, "MODEL", "URL", "COMMAND", "MODULES", "IMAGE")
_NOT_OURS = stat.S_ISVTX | stat.S_IWOTH  # the mode of a folder such as /tmp, where a file may be anyone's
_OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")
_FIELD = re.compile(r"(?P<group>\w+)\((?P<field>\w+)=(?P<value>.*?)\): ", re.DOTALL)  # as `check` names it
_LONGEST_SHOWN = 60  # characters of a value in a message
_LARGEST_INTEGER = 2**63  # TOML promises no more


@dataclass(frozen=True, slots=True)
class Setting:
    """An option that a project file may name: its long form, type as annotated, default, variable and metavar."""

    option: str
    annotation: Any
    default: Any
    variable: str
    metavar: str | None = None

    @property
    def is_text(self) -> bool:
        """Whether its values may be any text."""
        return _kind(self.annotation)[0] == "text"

    @property
    def needs_trust(self) -> bool:
        """Whether its values are texts that name a model, a file, a program or modules, or nobody says what."""
        if self.annotation is EnvironmentKind:  # an image is made by the installers of what the project names
            return True
        return self.is_text and self.metavar in (None, *_NEEDS_TRUST)


@dataclass(frozen=True, slots=True)
class ProjectSettings:
    """What a project file sets, by name; `refused` says why of what it may not, which only matters where it counts."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


def variable_of(name: str) -> str:
    """The variable that sets an option."""
    return f"{PREFIX}{name.upper()}"


# A project's file may set these for the command line, too; for a session they mean nothing.
_OF_THE_COMMAND_LINE = {
    "progress": Setting("--progress", Literal["text", "json", "none"], "text", variable_of("progress")),
    "quiet": Setting("--quiet", bool, default=False, variable=variable_of("quiet")),
    "top": Setting("--top", int | None, None, variable_of("top")),
    "jobs": Setting("--jobs", int | None, None, variable_of("jobs")),
}


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """What a run of a project would be asked for, as its pyproject.toml says.

    Attributes:
        settings: the defaults, and what the file sets in place of them.
        path: the file; None: there is none.
        refused: why not, by the name of each setting that needs a trust which the project does not have. None counts.
    """

    settings: RunSettings
    path: Path | None
    refused: Mapping[str, str]


def read_project_options(
    start: Path, trust: Trust, given: Mapping[str, Any], given_by: str, doubtful: Collection[str] = ()
) -> ProjectOptions:
    """What the pyproject.toml of a file, or of a folder, sets, and the caller's own settings, which come first.

    Args:
        start: the file or the folder.
        trust: see `read_project_settings`.
        given: the caller's own settings, by the same names; None of a value: not given.
        given_by: who they are from, for messages.
        doubtful: which of them the project itself may have set; `trust` is asked about these, too.

    Raises:
        SettingsError: the file cannot be read, or one of both sets what is no setting, or a wrong value.
    """
    defaults = written_defaults()
    known = {
        name: Setting(f"--{name.replace('_', '-')}", annotation, defaults[name], variable_of(name), option.metavar)
        for name, (option, annotation) in field_types().items()
        if name not in NOT_SETTINGS
    }
    found = read_project_settings(start, known | _OF_THE_COMMAND_LINE, dict.fromkeys(NOT_SETTINGS, ""), trust)
    own = _checked(given, given_by, known)
    doubted = [
        name
        for name, value in own.items()
        if name in doubtful and known[name].needs_trust and value != _plain(known[name].default)
    ]
    is_allowed = not doubted or trust(_settings_request(start, f"{given_by} set {', '.join(doubted)}"))
    unused = {} if is_allowed else {name: own.pop(name) for name in doubted}
    values = (dict(found.values) if found is not None else {}) | own
    refused = {name: why for name, why in found.refused.items() if name not in own} if found is not None else {}
    refused |= {
        name: f"{given_by}: {name} = {_shown(value)}: it needs your agreement." for name, value in unused.items()
    }
    try:
        settings = settings_from(str(start), {name: values.get(name, default) for name, default in defaults.items()})
    except UsageError as error:
        places = [*([f"{found.path}: [{TABLE}]"] if found else []), *([given_by] if own else [])]
        raise SettingsError(f"{' or '.join(places) or start}: {_in_names(str(error), known)}") from error
    return ProjectOptions(settings, found.path if found else None, refused)


def _in_names(message: str, settings: Mapping[str, Setting]) -> str:
    """A message about options, or fields of the groups in `options.py`, with the names of settings in their place."""
    fields = {
        (kind.__name__, name): outer_name(name, option).replace("_", "-")
        for kind in GROUPS.values()
        for name, option in options_of(kind).items()
    }
    if (found := _FIELD.match(message)) and (name := fields.get((found["group"], found["field"]))):
        message = f"{name} = {found['value']}: {message[found.end() :]}"
    names = {setting.option: name.replace("_", "-") for name, setting in settings.items()}
    return _OPTION.sub(lambda found: names.get(found[0], found[0]), message)


def _checked(given: Mapping[str, Any], given_by: str, settings: Mapping[str, Setting]) -> dict[str, Any]:
    """The caller's settings by their names, each of its type."""
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in settings:
            shown = scrub_line(key.replace("_", "-"))
            raise SettingsError(f"{given_by}: {shown}: there is no such setting.{_listed(name, settings)}")
        if value is not None:
            _check_type(f"{given_by}: {key} = {_shown(value)}", value, settings[name].annotation)
            values[name] = value
    return values


def read_project_settings(
    start: Path, settings: Mapping[str, Setting], not_settings: Mapping[str, str], trust: Trust
) -> ProjectSettings | None:
    """What the nearest pyproject.toml with a table for us sets; None if there is none up to the project's top folder.

    Args:
        start: the file to optimise, or a folder.
        settings: by name, with underscores.
        not_settings: options that are none, by name, with their long form.
        trust: decides whether the project may choose a model, a file, a program or modules; asked if it tries to.

    Raises:
        SettingsError: the file cannot be read, has a key that is no setting, or a value of the wrong type.
    """
    for path in _candidates(start):
        table = _read_table(path)
        if table is not None:
            return _check(path, table, settings, not_settings, trust)
    return None


def _candidates(start: Path) -> Iterator[Path]:
    folder = Path(os.path.abspath(start))  # noqa: PTH100 - Path.resolve would follow links, to another project perhaps
    folder = folder if os.path.isdir(folder) else folder.parent  # noqa: PTH112 - Path.is_dir may raise
    try:
        root = find_project_root(folder / NAME)
    except OSError:
        return  # whoever reads FILE says so in better words
    for each in (folder, *folder.parents):
        if os.path.isfile(each / NAME) and not each.stat().st_mode & _NOT_OURS:  # noqa: PTH113 - likewise
            yield each / NAME
        if each == root:
            return


def _read_table(path: Path) -> dict[str, Any] | None:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{_shown_path(path)}: cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{_shown_path(path)}: is not UTF-8, which TOML has to be.") from error
    except (ValueError, RecursionError) as error:
        why = scrub_line(str(error)) if isinstance(error, tomllib.TOMLDecodeError) else "it is too deep or too large"
        raise SettingsError(f"{_shown_path(path)}: is not valid TOML: {why}.") from error
    tool = document.get("tool")
    table = tool.get("afterburner") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(f"{_shown_path(path)}: {TABLE} has to be a table: write [{TABLE}].")
    return table


def _check(
    path: Path,
    table: dict[str, Any],
    settings: Mapping[str, Setting],
    not_settings: Mapping[str, str],
    trust: Trust,
) -> ProjectSettings:
    values: dict[str, Any] = {}
    refused: dict[str, str] = {}
    chosen = _that_need_trust(table, settings)

    @cache
    def is_trusted() -> bool:
        return trust(_settings_request(path, f"{_shown_path(path)} sets {chosen}"))

    seen: set[str] = set()
    for key, value in table.items():
        name = key.replace("-", "_")
        setting = settings.get(name)
        if setting is None:
            raise SettingsError(_no_setting(path, key, settings, not_settings))
        if name in seen:
            raise SettingsError(f"{place(path, name)}: it is there twice, with - and with _. Leave one of them.")
        seen.add(name)
        _check_type(place(path, key, value), value, setting.annotation)
        if value == _plain(setting.default) or not setting.needs_trust or is_trusted():
            values[name] = _from_folder(value, path.parent, setting)
        else:
            refused[name] = _no_trust(path, key, value, setting)
    return ProjectSettings(path, values, refused)


def _that_need_trust(table: Mapping[str, Any], settings: Mapping[str, Setting]) -> str:
    """The settings of a project file that need its user's agreement, whole: `model = "…", python = "…"`."""
    found = []
    for key, value in table.items():
        setting = settings.get(key.replace("-", "_"))
        if setting is not None and setting.needs_trust and value != _plain(setting.default):
            found.append(f"{scrub_line(key)} = {scrub_line(json.dumps(value, ensure_ascii=False, default=str))}")
    return ", ".join(found)


def _settings_request(path: Path, detail: str) -> TrustRequest:
    folder = path if path.is_dir() else path.parent
    return TrustRequest(TrustQuestion.USE_SETTINGS, os.path.abspath(folder), detail)  # noqa: PTH100 - keeps links


def place(path: Path, key: str, value: Any = None) -> str:
    """The words for a key of the table, at the start of a message."""
    shown = "" if value is None else f" = {_shown(value)}"
    return f"{_shown_path(path)}: [{TABLE}] {scrub_line(key)}{shown}"


_Kind = Literal["flag", "integer", "number", "choice", "text"]
_WORDS: dict[_Kind, str] = {
    "flag": "true or false",
    "integer": "an integer",
    "number": "a number",
    "choice": "a string",
    "text": "a string",
}


def _kind(annotation: Any) -> tuple[_Kind, bool, tuple[str, ...]]:
    """What values a type takes, whether in an array, and the choices if there are any."""
    if get_origin(annotation) in (Union, UnionType):
        parts = [each for each in get_args(annotation) if each is not NoneType]
        return _kind(parts[0]) if len(parts) == 1 else ("text", False, ())
    if get_origin(annotation) in (list, tuple):
        kind, _, choices = _kind(next(iter(get_args(annotation)), str))
        return kind, True, choices
    if get_origin(annotation) is Literal:
        return "choice", False, tuple(str(each) for each in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return "choice", False, tuple(str(each.value) for each in annotation)
    kinds: dict[Any, _Kind] = {bool: "flag", int: "integer", float: "number"}
    return kinds.get(annotation, "text"), False, ()


def _check_type(where: str, value: Any, annotation: Any) -> None:
    kind, is_array, choices = _kind(annotation)
    elements = value if is_array and isinstance(value, list) else [value]
    if is_array == isinstance(value, list) and all(_fits(each, kind) for each in elements):
        return
    wanted = f"an array, each element {_WORDS[kind]}" if is_array else _WORDS[kind]
    allowed = f": one of {', '.join(choices)}" if choices else ""
    raise SettingsError(f"{where}: this has to be {wanted}{allowed}.")


def _fits(value: Any, kind: _Kind) -> bool:
    if kind == "flag" or isinstance(value, bool):  # Python's True is an int, TOML's is not
        return kind == "flag" and isinstance(value, bool)
    if isinstance(value, int):
        return kind in ("integer", "number") and -_LARGEST_INTEGER <= value < _LARGEST_INTEGER
    return isinstance(value, float) if kind == "number" else kind != "integer" and isinstance(value, str)


def _from_folder(value: Any, folder: Path, setting: Setting) -> Any:
    """A path of the project file counts from the folder that it lies in; a bare name may be on the search path."""
    if setting.metavar not in _PATHS or not isinstance(value, str) or value.startswith("~"):
        return value
    return str(folder / value) if os.sep in value else value


def _no_setting(path: Path, key: str, settings: Mapping[str, Setting], not_settings: Mapping[str, str]) -> str:
    name = key.replace("-", "_")
    if name in not_settings:
        return f"{place(path, key)}: {not_settings[name]} is given on the command line only; remove this line."
    return f"{place(path, key)}: there is no such setting.{_listed(name, settings)}"


def _listed(name: str, settings: Mapping[str, Setting]) -> str:
    """Which setting may have been meant; else which there are."""
    near = get_close_matches(name, settings, n=1)
    named = [each.replace("_", "-") for each in near or sorted(settings)]
    return f" Did you mean {named[0]}?" if near else f" There are: {', '.join(named)}."


def _no_trust(path: Path, key: str, value: Any, setting: Setting) -> str:
    return (
        f"{place(path, key, value)}: a project may not set this by itself. To use it, give {setting.option} or "
        f"set {setting.variable}; or, if you trust the project, add its folder to {TRUST_VARIABLE}."
    )


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


def _shown_path(path: Path) -> str:
    return scrub_line(str(path))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}"
    if isinstance(value, list):
        return "[…]"
    if isinstance(value, int) and abs(value) >= _LARGEST_INTEGER:
        return "an integer of more than 64 bits"
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else str(value)
    return scrub_line(text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…")
