"""The wheel and the source distribution: complete, described as the standard wants it, and the same each time."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

from packaging.metadata import Metadata

from afterburner.sandbox.folders import cache_folder
from afterburner.sandbox.git import run_git
from scripts.release.errors import ReleaseError

if TYPE_CHECKING:
    from pathlib import Path

_METERS = "afterburner/sandbox/meter/built"


def build_artefacts(root: Path, place: Path) -> tuple[Path, Path]:
    """Build both in a clean copy of what is committed, the wheel straight and by way of the source distribution.

    Returns:
        The source distribution and the wheel.

    Raises:
        ReleaseError: the two wheels differ, or the build fails.
    """
    tree = place / "tree"
    _run(["git", "clone", "--quiet", "--no-hardlinks", str(root), str(tree)], place)
    straight, by_way = place / "straight", place / "by-way"
    for out, options in ((straight, ["--wheel"]), (by_way, [])):
        _run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), *options, str(tree)], place)
    (wheel,), (other,), (sources,) = straight.glob("*.whl"), by_way.glob("*.whl"), by_way.glob("*.tar.gz")
    if wheel.read_bytes() != other.read_bytes():
        raise ReleaseError(f"{wheel} and {other}, which comes from {sources.name}, differ. Compare their contents.")
    return sources, wheel


def committed_s(root: Path) -> int:
    """When the commit that is checked out was made, in seconds since 1970.

    Raises:
        ReleaseError: git cannot tell.
    """
    done = run_git(root, "log", "-1", "--format=%ct")
    if done is None or done.returncode != 0:
        raise ReleaseError(f"git cannot tell when the commit of {root} was made.")
    return int(done.stdout)


def check_metadata(sources: Path, wheel: Path) -> str:
    """That both say the same of the project, as the core metadata specification wants it.

    Raises:
        ReleaseError: they do not, or a field is not valid.
    """
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        of_wheel = archive.read(name)
    with tarfile.open(sources) as archive:
        member = archive.extractfile(f"{sources.name.removesuffix('.tar.gz')}/PKG-INFO")
        of_sources = member.read() if member else b""
    try:
        read = Metadata.from_email(of_wheel, validate=True)
    except ExceptionGroup as group:
        wrong = "; ".join(str(each) for each in group.exceptions)
        raise ReleaseError(f"{wheel.name}: its metadata is not valid: {wrong}") from group
    if of_wheel != of_sources:
        raise ReleaseError(f"{wheel.name} and {sources.name} have different metadata.")
    if not read.description or read.description_content_type != "text/markdown":
        raise ReleaseError(f"{wheel.name}: the README is not its description.")
    return f"valid: {read.name} {read.version}, {len(read.requires_dist or ())} requirements"


def check_meters(wheel: Path) -> str:
    """That the meters are those whose hashes the wheel states, and may be executed.

    Raises:
        ReleaseError: they are not.
    """
    with zipfile.ZipFile(wheel) as archive:
        try:
            hashes = json.loads(archive.read(f"{_METERS}/sha256.json"))
        except KeyError:
            raise ReleaseError(f"{wheel.name} has no meter: ziglang was missing when it was built.") from None
        for name, expected in hashes.items():
            entry = archive.getinfo(f"{_METERS}/{name}")
            if hashlib.sha256(archive.read(entry)).hexdigest() != expected or not entry.external_attr >> 16 & 0o100:
                raise ReleaseError(f"{wheel.name}: {name} is not the meter that was built.")
    return f"{', '.join(sorted(hashes))}; the wheel has {wheel.stat().st_size / 1e6:.1f} MB"


def sha256(path: Path) -> str:
    """The hash of a file, as it is published with it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _run(command: list[str], folder: Path) -> None:
    zig = str(cache_folder() / "zig")
    environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": zig, "ZIG_LOCAL_CACHE_DIR": zig}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ReleaseError(f"{' '.join(command[:4])} failed: {(done.stderr or done.stdout).strip()[-500:]}")
