"""Git as we start it on the host: to read a repository that may be hostile.

Whatever a repository sets, git runs nothing of it, fetches nothing and looks nowhere else. What is missing from a
partial clone stays missing: git would get it with a command that the repository's settings name.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

from afterburner.sandbox.host_commands import run_on_host

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

GIT_S = 60.0
SAFE_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.untrackedCache=false",
    "core.quotePath=false",
)
_VARIABLES = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",  # of git 2.45 and newer; the older ones may use no protocol
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def git_variables() -> dict[str, str]:
    """The environment of a git that reads a hostile repository; `SAFE_SETTINGS` have to be given as well."""
    return {"PATH": os.environ.get("PATH", os.defpath), **_VARIABLES}


def run_git(root: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes] | None:
    """Run a git command that reads, in the repository whose top `root` is; None: git is not installed.

    Raises:
        CancelledError, OSError, subprocess.TimeoutExpired: see `run_on_host`.
    """
    git = shutil.which("git")
    if git is None:
        return None
    settings = (word for setting in SAFE_SETTINGS for word in ("-c", setting))
    command = [git, f"--git-dir={root / '.git'}", f"--work-tree={root}", *settings, *words]
    return run_on_host(command, folder=root, variables=git_variables(), stdin=stdin, timeout_s=GIT_S)
