"""The versions of the program that are measured: the working tree, and any commit of this repository."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
HERE = "here"
_START = "import sys; from afterburner.agent.cli.main import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Program:
    """A version of the program: how it is started, and what it is called in the table."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def working_tree() -> Program:
    """What is installed in this environment."""
    return Program(HERE, (sys.executable, "-c", _START))


def build(revision: str, place: Path) -> Program:
    """Install a commit of this repository into a folder, on the packages of this environment."""
    tree, site = place / "tree", place / "site"
    subprocess.run(["git", "worktree", "add", "--detach", "--quiet", tree, revision], cwd=ROOT, check=True)  # noqa: S607 - on the PATH
    try:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
        subprocess.run([*pip, "--target", site, tree], check=True)
    finally:
        subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)  # noqa: S607 - on the PATH
    return Program(revision, (sys.executable, "-c", _START), {"PYTHONPATH": str(site)})
