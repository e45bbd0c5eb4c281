"""What `init` would write: the settings in pyproject.toml, a workflow for pull requests, the settings of VS Code."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.whole_files import create_file, replace_file
from afterburner.sandbox import AfterburnerError, UsageError
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from afterburner.agent.types import Objective

WORKFLOW = ".github/workflows/afterburner.yml"
_PLACEHOLDER = "your-organisation/afterburner-agent@0000000000000000000000000000000000000000"
_PLACEHOLDER_COMMENT = "Put in where you keep Afterburner Agent, and the commit that you have looked at."
_INSTALL = "python -m pip install pytest -r requirements.txt"
_ACTION = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?@[0-9a-f]{40}", re.ASCII)
_HINTS = "afterburner.hints"
_NO_TABLE = "its `tool` cannot be extended by a table; add [tool.afterburner] yourself"


@dataclass(frozen=True, slots=True)
class Change:
    """A file as it would be. `before` is None if there is none yet. `after` is None if it stays; `reason` says why."""

    path: Path
    before: str | None
    after: str | None
    reason: str

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.splitlines(keepends=True) for text in (self.before or "", self.after or ""))
        name = str(self.path)
        lines = difflib.unified_diff(old, new, "/dev/null" if self.before is None else name, name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Write it: all or nothing, and only over what was shown.

        Raises:
            AfterburnerError: the file is another one by now, or cannot be written.
        """
        if self.after is None:
            return
        path = Path(os.path.realpath(self.path))
        try:
            self._check_as_shown()
            if self.before is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                create_file(path, self.after.encode())
            else:
                replace_file(path, self.after.encode(), self._check_as_shown)
        except OSError as error:
            raise AfterburnerError(
                f"{self.path} cannot be written: {error.strerror or error}. It was left as it is."
            ) from error

    def _check_as_shown(self) -> None:
        if _text(self.path) != self.before:
            raise AfterburnerError(f"{self.path} has changed meanwhile; it was left as it is. Run this again.")


def settings_table(folder: Path, objective: Objective) -> Change:
    """The table `[tool.afterburner]` in pyproject.toml, at its end.

    It names no model: in a project that is not trusted, that would end every run.

    Raises:
        UsageError: pyproject.toml is no TOML, or cannot be read.
    """
    path = folder / "pyproject.toml"
    before = _text(path)
    try:
        tools = tomllib.loads(before or "").get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}. Fix it first; nothing was written.") from error
    if not isinstance(tools, dict):
        return Change(path, before, None, _NO_TABLE)
    if "afterburner" in tools:
        return Change(path, before, None, "it has a table [tool.afterburner] already")
    table = (
        "[tool.afterburner] # settings for `afterburner-agent run`; `afterburner-agent config` shows them all\n"
        f'objective = "{objective}"\n'
        "max-seconds = 300 # time limit for a run, or for a whole folder\n"
    )
    newline = _newline(before)
    gap = "" if not before else newline if before.endswith(newline) else 2 * newline
    after = f"{before or ''}{gap}{table.replace(chr(10), newline)}"
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:  # as behind `tool = {…}`
        return Change(path, before, None, _NO_TABLE)
    return Change(path, before, after, "the settings of a run")


def workflow(folder: Path, action: str) -> Change:
    """The workflow of docs/ci.md, which measures pull requests.

    Its step that installs what the tests need is made for what lies in the folder.

    Raises:
        UsageError: `action` is not written as OWNER/REPOSITORY@COMMIT, or a file cannot be read.
    """
    path = folder / WORKFLOW
    before = _text(path)
    if before is not None:
        return Change(path, before, None, "it is there already")
    if not (folder / ".git").exists():
        return Change(path, None, None, f"GitHub looks for it at the top of a repository, and {folder} is none")
    if not action:
        return Change(path, None, None, "no --action OWNER/REPOSITORY@COMMIT says where Afterburner Agent is kept")
    if not _ACTION.fullmatch(action):
        raise UsageError(
            f"--action {scrub_line(action)}: write it as OWNER/REPOSITORY@COMMIT, with all 40 digits of the commit."
        )
    text = resources.files(__package__).joinpath("pull-request.yml").read_text(encoding="utf-8")
    text = text.replace(f"      # {_PLACEHOLDER_COMMENT}\n", "").replace(_PLACEHOLDER, action)
    text = text.replace(_INSTALL, f"python -m pip install pytest{_own_requirements(folder)}")
    return Change(path, None, text, "measures every pull request")


def _own_requirements(folder: Path) -> str:
    if (folder / "requirements.txt").is_file():
        return " -r requirements.txt"
    return " -e ." if any((folder / name).is_file() for name in ("pyproject.toml", "setup.py")) else ""


def editor_settings(folder: Path) -> Change:
    """`afterburner.hints` in .vscode/settings.json: VS Code marks the functions that take much of the tests' time.

    Raises:
        UsageError: the file cannot be read.
    """
    path = folder / ".vscode" / "settings.json"
    before = _text(path)
    settings = _json(before or "{}")
    if not isinstance(settings, dict):  # it may have comments, which JSON cannot hold
        return Change(path, before, None, f'it is not plain JSON; add `"{_HINTS}": true` yourself')
    if _HINTS in settings:
        return Change(path, before, None, f"it sets {_HINTS} already")
    newline = _newline(before)
    head, brace, tail = (before if before and before.strip() else f"{{{newline}}}{newline}").rpartition("}")
    indent = re.search(r"(?m)^([ \t]+)\"", head)
    comma = "," if settings else ""
    line = f'{indent[1] if indent else "    "}"{_HINTS}": true'
    after = f"{head.rstrip()}{comma}{newline}{line}{newline}{brace}{tail}"
    if _json(after) != {**settings, _HINTS: True}:
        return Change(path, before, None, f'add `"{_HINTS}": true` yourself')
    return Change(path, before, after, "marks slow functions in VS Code, by a profile of the tests")


def _json(text: str) -> object:
    """What a text says as JSON; None: it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def _newline(text: str | None) -> str:
    return "\r\n" if "\r\n" in (text or "") else "\n"


def _text(path: Path) -> str | None:
    """What a file holds, with its own line ends; None: there is none."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        told = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise UsageError(f"{path} cannot be read: {told}. Nothing was written.") from error
