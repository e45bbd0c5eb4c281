"""Fetches a pinned source distribution, and makes a git repository of it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from scripts.bench_packages.packages import Package


def checkout(package: Package, cache: Path) -> Path:
    """Give a fresh repository of the package; what was fetched before is not fetched again.

    Raises:
        SystemExit: the registry does not answer, or what it gives is not what is pinned.
    """
    archive = cache / f"{package.folder}.tar.gz"
    if not archive.is_file():
        _download(package, cache)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        sys.exit(f"{archive} has the hash {digest}, not {package.sha256}. Remove it and try again.")
    folder = cache / "checkouts" / package.folder
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as content:
        content.extractall(folder.parent, filter="data")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qm", package.folder)
    return folder


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    subprocess.run(["git", *words], cwd=folder, check=True)  # noqa: S607 - the git of who measures


def _download(package: Package, cache: Path) -> None:
    """Let pip fetch it. It checks the hash before it looks at what is in it."""
    wanted = cache / f"{package.name}.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"),
        *("--no-build-isolation", "--require-hashes", "--dest", str(cache), "--requirement", str(wanted)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{package.folder} cannot be fetched: {done.stderr.strip()}")
