"""The text that `afterburner-agent` prints without arguments: what it can do, and the command to type next."""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import stat
import sys

from afterburner.sandbox.terminal.program_name import program_name
from afterburner.sandbox.terminal.text import scrub_line

_MOST_ENTRIES = 2_000  # of a folder, looked at for an example; more would be slow
_MOST_BYTES = 1 << 16  # of each file
_TEXT = """\
Afterburner Agent rewrites slow code. It checks in a sandbox that the rewrite behaves the same, and is faster.

  afterburner-agent run FILE.py        rewrite a file's hottest function (--apply writes it to the file)
  afterburner-agent run DIR --top 3    the three hottest functions of a project
  afterburner-agent compare OLD NEW    does the new version behave the same, and is it faster?
  afterburner-agent init               set up a project: settings, pull requests, editor
  afterburner-agent doctor             check this machine, and show how to fix what is missing
  afterburner-agent --help             all commands

"""


def welcome(folder: str) -> str:
    """The text printed without arguments; the next command names a file of the folder that runs by itself, if any."""
    return f"{_TEXT}Next: {program_name()} {_next_words(folder)}"


def _next_words(folder: str) -> str:
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return "doctor"
    files = sorted(_python_files(folder))
    with_main = [name for name in files if _runs_by_itself(os.path.join(folder, name))]
    first = shlex.quote(with_main[0]) if with_main else "FILE.py"
    if len(with_main) == 1:
        return f"run {first}"
    if any(os.path.exists(os.path.join(folder, name)) for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        return "run . --top 3"
    return f"run {first}"


def _python_files(folder: str) -> list[str]:
    """Names that can be typed as they are shown."""
    try:
        with os.scandir(folder) as entries:
            names = [each.name for each in itertools.islice(entries, _MOST_ENTRIES) if each.name.endswith(".py")]
    except OSError:
        return []
    return [name for name in names if not name.startswith("-") and scrub_line(name) == name]


def _runs_by_itself(path: str) -> bool:
    """Whether a regular file says so; nothing blocks, whatever else has the name of one."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            found = os.fstat(file.fileno())
            return stat.S_ISREG(found.st_mode) and found.st_size > 0 and b"__main__" in file.read(_MOST_BYTES)
    except OSError:
        return False
