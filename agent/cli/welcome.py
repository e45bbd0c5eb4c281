"""What `afterburner-agent` says on its own: what it can do, and the command to type next."""

from __future__ import annotations

import itertools
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

from afterburner.sandbox.terminal.text import scrub_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MOST_FILES = 200  # looked at for an example; more would be felt
_MOST_BYTES = 1 << 20  # of each
_TEXT = """\
Afterburner Agent rewrites slow code, and proves in a sandbox that the rewrite does the same, and faster.

  afterburner-agent run FILE.py        rewrite a file's hottest function; without --apply, it only shows it
  afterburner-agent run DIR --top 3    the three hottest functions of a project
  afterburner-agent compare OLD NEW    is the new version the same, and faster?
  afterburner-agent init               set up a project: settings, pull requests, editor
  afterburner-agent doctor             what works on this machine, and how to get the rest
  afterburner-agent --help             all commands

"""


def welcome(folder: Path) -> str:
    """The text; the next command names a file of this folder where there is one that runs by itself."""
    return f"{_TEXT}Next: afterburner-agent {_next_words(folder)}"


def _next_words(folder: Path) -> str:
    if sys.platform != "linux" or shutil.which("bwrap") is None:
        return "doctor"
    files = itertools.islice(_python_files(folder), _MOST_FILES)
    with_main = sorted(path.name for path in files if _runs_by_itself(path))
    first = shlex.quote(scrub_line(with_main[0])) if with_main else "FILE.py"
    if len(with_main) == 1:
        return f"run {first}"
    if any((folder / name).exists() for name in ("pyproject.toml", "setup.py", "setup.cfg")):
        return "run . --top 3"
    return f"run {first}"


def _python_files(folder: Path) -> Iterator[Path]:
    try:
        yield from (each for each in folder.glob("[!-]*.py") if each.is_file())
    except OSError:
        return


def _runs_by_itself(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b"__main__" in file.read(_MOST_BYTES)
    except OSError:
        return False
