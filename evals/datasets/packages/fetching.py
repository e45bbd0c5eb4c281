"""Fetches a pinned source distribution, and makes a git repository of it.

The hash of the archive decides. Pip compares it before it looks into the archive; to find out which version it has, it
then runs the package's own build script on this machine, as any installation of it does. So a package is pinned by
somebody who has read it. Apart from that its code runs in the sandbox only.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from afterburner.evals.errors import DatasetError, RecordError
from afterburner.sandbox.git import run_git

if TYPE_CHECKING:
    from afterburner.evals.datasets.packages.pinned import Package

DOWNLOAD_S = 300.0
_SHOWN = 500  # characters of what pip complains about
_COMMITTER = ("-c", "user.name=afterburner", "-c", "user.email=afterburner@localhost", "-c", "commit.gpgSign=false")


def checkout(package: Package, cache: Path, archives: Path | None = None) -> Path:
    """Give a repository of the package as it was published: the one of last time, unless somebody changed it.

    Args:
        package: which one.
        cache: keeps archives and repositories; several processes may share it.
        archives: a folder with source distributions, which is asked in place of the package index.

    Raises:
        RecordError: the package is not to be had, or its archive is damaged.
        DatasetError: what was fetched is not what is pinned, or there is no git.
    """
    cache = cache.absolute()
    home = cache / "checkouts" / package.sha256[:12]
    home.mkdir(parents=True, exist_ok=True)
    folder = home / package.folder
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # of two processes, the second one finds what the first one made
        archive = _fetch(package, cache, archives)
        if not _is_as_published(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=home) as scratch:
                fresh = _unpack(archive, Path(scratch))
                _make_repository(fresh, package.folder)
                fresh.rename(folder)
    return folder


def git(folder: Path, *words: str) -> bytes:
    """Run git in a repository of a package, and give what it prints. Nothing that the user or it sets takes part.

    Raises:
        DatasetError: git is not installed, or fails.
    """
    done = run_git(folder, *words)
    if done is None:
        raise DatasetError("Packages are kept as git repositories, and git is not installed. Install it.")
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip()
        raise DatasetError(f"{folder}: git {' '.join(words)} failed: {why}")
    return done.stdout


def _fetch(package: Package, cache: Path, archives: Path | None) -> Path:
    """The archive, which is downloaded once."""
    archive = cache / f"{package.folder}.tar.gz"
    if not archive.is_file():
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            _download(package, Path(scratch), archives)
            found = list(Path(scratch).glob("*.tar.gz"))
            if len(found) != 1:
                raise RecordError("archive", "pip did not fetch a source distribution as .tar.gz")
            found[0].rename(archive)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise DatasetError(f"{archive} has the hash {digest}, not {package.sha256}. Remove it and try again.")
    return archive


def _download(package: Package, scratch: Path, archives: Path | None) -> None:
    wanted = scratch / "requirements.txt"
    wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    place = () if archives is None else ("--no-index", "--find-links", str(archives.absolute()))
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", *place),
        *("--no-build-isolation", "--require-hashes", "--dest", str(scratch), "--requirement", str(wanted)),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DOWNLOAD_S)
    except subprocess.TimeoutExpired:
        raise RecordError("archive", f"pip did not fetch it within {DOWNLOAD_S:.0f} s") from None
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise DatasetError(
            f"{package.folder}: the package index gives another archive than the pinned one, whose sha256 is "
            f"{package.sha256}. It was not looked into. Find out why before you use it: {_last(done.stderr)}"
        )
    if done.returncode:
        raise RecordError("archive", f"pip cannot fetch {package.folder}: {_last(done.stderr)}")


def _last(complaint: str) -> str:
    """The end of what pip says, where the reason stands, on one line."""
    return " ".join(complaint.split())[-_SHOWN:] or "it does not say why"


def _unpack(archive: Path, scratch: Path) -> Path:
    """The one folder of a source distribution. What would lead out of it, or pass for a repository, is refused."""
    try:
        with tarfile.open(archive) as content:
            if any(".git" in PurePosixPath(name.lower()).parts for name in content.getnames()):
                raise RecordError("archive", f"{archive.name} holds a .git of its own")
            content.extractall(scratch, filter="data")
    except (tarfile.TarError, OSError, EOFError) as error:
        raise RecordError("archive", f"{archive.name} cannot be unpacked: {error}") from error
    folders = [path for path in scratch.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise RecordError(
            "archive", f"{archive.name} holds {len(folders)} folders, and a source distribution holds one"
        )
    return folders[0]


def _make_repository(folder: Path, message: str) -> None:
    """What git tracks is what the sandbox shows, so all of it is tracked, whatever a .gitignore says."""
    git(folder, "init", "-q")
    git(folder, "add", "--all", "--force")
    git(folder, *_COMMITTER, "commit", "-qm", message)


def _is_as_published(folder: Path) -> bool:
    """Whether the repository is there and nothing in it was changed, for example by a patch."""
    if not (folder / ".git").is_dir():
        return False
    done = run_git(folder, "status", "--porcelain")
    return done is not None and done.returncode == 0 and not done.stdout
