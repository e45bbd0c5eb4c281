"""What `init` would write: the settings in pyproject.toml, a workflow for pull requests, the settings of VS Code."""

from __future__ import annotations

import difflib
import json
import os
import re
import stat
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.agent.code.whole_files import create_file, replace_file
from afterburner.sandbox import AfterburnerError, UsageError
from afterburner.sandbox.environments.requirements import FILES, MAIN
from afterburner.sandbox.project import find_project_root
from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.types import Objective

WORKFLOW = ".github/workflows/afterburner.yml"
MOST_BYTES = 1 << 20  # of a file that is added to
_PLACEHOLDER = "your-organisation/afterburner-agent@0000000000000000000000000000000000000000"
_PLACEHOLDER_COMMENT = "Replace with your copy of Afterburner Agent and the commit you reviewed."
_INSTALL = "python -m pip install pytest -r requirements.txt"
_ACTION = re.compile(r"[\w.-]+/[\w.-]+(?:/[\w./-]+)?@[0-9a-f]{40}", re.ASCII)
_HINTS = "afterburner.hints"
_PYTEST = (r"pytest\b(?!-)", r"pytest-")  # itself, else a plugin
_TEST_TOOLS = ("test", "tests", "testing", "dev")  # how projects call the extra, group or file of their tests
_RUN_KINDS = ("base", "main")  # and the file of what they need to run, in the folder `requirements`
_NO_TABLE = "`tool` is no plain table there; add [tool.afterburner] yourself"


@dataclass(frozen=True, slots=True)
class Change:
    """A proposed change to a file of a project.

    `before` is None if the file does not exist, `after` is None if it is left alone; `reason` says why in either case.
    """

    folder: Path
    name: str
    before: str | None
    after: str | None
    reason: str

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.folder / self.name

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (text.splitlines(keepends=True) for text in (self.before or "", self.after or ""))
        lines = difflib.unified_diff(old, new, "/dev/null" if self.before is None else self.name, self.name)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self) -> None:
        """Write atomically, and only if the file is still as shown.

        Raises:
            AfterburnerError: the file has changed, or cannot be written.
        """
        if self.after is None:
            return
        try:
            self._check_as_shown()
            path = Path(os.path.realpath(self.path))
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
        if _text(self.folder, self.name) != self.before:
            raise AfterburnerError(f"{self.path} changed in the meantime and was not written. Run init again.")


def settings_table(folder: Path, objective: Objective) -> Change:
    """The table `[tool.afterburner]` in pyproject.toml, at its end.

    It sets no model: in an untrusted project, every run would then fail.

    Raises:
        UsageError: pyproject.toml is not valid TOML, or cannot be read.
    """
    name = "pyproject.toml"
    before = _text(folder, name)
    root = Path(find_project_root(folder / "any"))
    if before is None and not root.samefile(folder):
        return Change(folder, name, None, None, f"the project's own is in {root}; run `init` there")
    try:
        tools = tomllib.loads(before or "").get("tool", {})
    except (ValueError, RecursionError) as error:  # one of TOML's own, too long a number, too deep a table
        raise UsageError(f"{folder / name} is not valid TOML: {error}. Fix it first; nothing was written.") from error
    if not isinstance(tools, dict):
        return Change(folder, name, before, None, _NO_TABLE)
    if "afterburner" in tools:
        return Change(folder, name, before, None, "it has a table [tool.afterburner] already")
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
        return Change(folder, name, before, None, _NO_TABLE)
    return Change(folder, name, before, after, "the settings of a run")


def workflow(folder: Path, action: str) -> Change:
    """The workflow of docs/ci.md, which measures pull requests.

    Its step that installs what the tests need depends on the files in the folder.

    Raises:
        UsageError: `action` is not written as OWNER/REPOSITORY@COMMIT, or a file cannot be read.
    """
    before = _text(folder, WORKFLOW)
    if before is not None:
        return Change(folder, WORKFLOW, before, None, "it already exists")
    if not os.path.exists(folder / ".git"):
        reason = (
            f"{scrub_line(str(folder))} is not the top folder of a git repository, where GitHub looks for workflows"
        )
        return Change(folder, WORKFLOW, None, None, reason)
    if not action:
        reason = "--action OWNER/REPOSITORY@COMMIT is missing (`git rev-parse HEAD` in your copy prints COMMIT)"
        return Change(folder, WORKFLOW, None, None, reason)
    if not _ACTION.fullmatch(action):
        told = scrub_line(action)
        raise UsageError(f"--action {told}: write it as OWNER/REPOSITORY@COMMIT, with all 40 digits of the commit.")
    text = resources.files(__package__).joinpath("pull-request.yml").read_text(encoding="utf-8")
    text = text.replace(f"      # {_PLACEHOLDER_COMMENT}\n", "").replace(_PLACEHOLDER, action)
    text = text.replace(_INSTALL, f"python -m pip install pytest{_own_requirements(folder)}")
    return Change(folder, WORKFLOW, None, text, "measures every pull request")


def knows_requirements(folder: Path) -> bool:
    """Whether the files in the folder tell what the tests need, so that the workflow installs that.

    Raises:
        UsageError: a file cannot be read.
    """
    return bool(_own_requirements(folder))


def _own_requirements(folder: Path) -> str:
    files = [name for name in FILES if os.path.isfile(folder / name)]
    for_tests = next(filter(None, (_files_of(kind, files) for kind in _TEST_TOOLS)), "")
    if MAIN in files:
        return f" -r {MAIN}{for_tests}"
    try:
        project = tomllib.loads(_text(folder, "pyproject.toml") or "")
    except (ValueError, RecursionError):
        project = {}
    is_package = os.path.isfile(folder / "setup.py") or not project.keys().isdisjoint({"project", "build-system"})
    extra = _test_extra(project, "project", "optional-dependencies")
    group = "" if extra else _test_extra(project, "dependency-groups")  # which takes pip 25.1
    if not is_package:
        return f" --group {group}" if group else "".join(_files_of(kind, files) for kind in _RUN_KINDS) + for_tests
    if extra:
        return f' -e ".[{extra}]"'
    return f" -e . --group {group}" if group else f" -e .{for_tests}"


def _files_of(kind: str, files: Sequence[str]) -> str:
    """Of `test`: `requirements-test.txt`, `requirements_test.txt`, `test-requirements.txt`, `requirements/test.txt`."""
    named = (each for each in files if re.fullmatch(rf"(requirements[-_/])?{kind}(-requirements)?\.txt", each))
    return "".join(f" -r {each}" for each in named)


def _test_extra(project: dict[str, Any], *path: str) -> str:
    """The name under which a table of pyproject.toml lists pytest, or a plugin that brings it; empty if none does."""
    table: object = project
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    lists = table if isinstance(table, dict) else {}
    found = (name for wanted in _PYTEST for name in _TEST_TOOLS if _names(lists.get(name), wanted))
    return next(found, "")


def _names(requirements: object, wanted: str) -> bool:
    known = requirements if isinstance(requirements, list) else []
    return any(isinstance(each, str) and re.match(wanted, each) for each in known)


def editor_settings(folder: Path) -> Change:
    """`afterburner.hints` in .vscode/settings.json: VS Code marks the functions in which the tests spend much time.

    Raises:
        UsageError: the file cannot be read.
    """
    name = ".vscode/settings.json"
    before = _text(folder, name)
    text = before if before and before.strip() else "{}"
    settings = _json(text)
    yourself = f'add `"{_HINTS}": true` yourself'
    if not isinstance(settings, dict):  # it may have comments, which JSON cannot hold
        return Change(folder, name, before, None, f"it is not plain JSON; {yourself}")
    if _HINTS in settings:
        return Change(folder, name, before, None, f"it sets {_HINTS} already")
    newline = _newline(before)
    head, brace, tail = text.rpartition("}")
    indent = re.search(r"(?m)^([ \t]+)\"", head)
    line = f'{indent[1] if indent else "    "}"{_HINTS}": true'
    end = tail if before and before.strip() else newline
    after = f"{head.rstrip()}{',' if settings else ''}{newline}{line}{newline}{brace}{end}"
    if _json(after) != {**settings, _HINTS: True}:
        return Change(folder, name, before, None, yourself)
    return Change(folder, name, before, after, "marks slow functions in VS Code, based on a profile of the tests")


def _json(text: str) -> Any:
    """Parse JSON; None if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _newline(text: str | None) -> str:
    return "\r\n" if "\r\n" in (text or "") else "\n"


def _text(folder: Path, name: str) -> str | None:
    """Read a file of the project without changing its line ends; None if it does not exist.

    Nothing outside the project is read or written, whatever links a repository brings, and nothing but regular files.

    Raises:
        UsageError: it leads out of the project, is no regular file or a large one, or cannot be read.
    """
    path = folder / name
    real = os.path.realpath(path)
    if os.path.commonpath([real, os.path.realpath(folder)]) != os.path.realpath(folder):
        raise UsageError(f"{path} is a link that leads out of the project. Nothing was written to it.")
    try:
        handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}. Nothing was written to it.") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UsageError(f"{path} is not a regular file. Nothing was written to it.")
    with os.fdopen(handle, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES >> 20} MiB. Nothing was written to it.")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} cannot be read: it is not UTF-8. Nothing was written to it.") from error
