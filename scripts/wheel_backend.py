"""Builds the wheel: setuptools' build, with the meter for every machine inside, and the same bytes each time (PEP 517).

A wheel has to work where there is no compiler. So the build compiles the meter with ziglang, which an isolated build
installs. Two kinds of builds leave the meters out, and the installed program compiles its own: an editable one, and one
without isolation (`pip install --no-build-isolation`) where ziglang is missing.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from setuptools import build_meta
from setuptools.build_meta import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)
from setuptools.command.build_py import build_py

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "BuildWithMeters",
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

_COMPILER, _VERSION = "ziglang", "0.17.0"  # another version makes other bytes; requirements/dev.lock has the same
MACHINES = ("aarch64", "x86_64")
_FLAGS = ("-std=c11", "-O2", "-static", "-s")
_CACHES = ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")  # where they are set, a second build takes seconds
_PASSED_ON = ("HOME", "PATH", "PYTHONPATH", "TMPDIR")  # others could change the bytes, as CPATH or CCC_OVERRIDE_OPTIONS
_METER = Path("afterburner", "sandbox", "meter")
_BUILT = "built"  # as `sandbox/meter_build.py` looks for it
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the earliest date that zip can store
_COMPRESSION_LEVEL = 9


def get_requires_for_build_wheel(config_settings: Mapping[str, Any] | None = None) -> list[str]:
    """What an isolated build installs first."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), f"{_COMPILER}=={_VERSION}"]


def build_wheel(
    wheel_directory: str, config_settings: Mapping[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Build the wheel into a folder; its name is returned.

    Raises:
        subprocess.CalledProcessError: the meter could not be compiled; the compiler's output explains it.
    """
    copied = Path("build", "lib")
    shutil.rmtree(copied, ignore_errors=True)  # stale files from an earlier build
    try:
        name = str(build_meta.build_wheel(wheel_directory, config_settings, metadata_directory))
    finally:
        shutil.rmtree(copied, ignore_errors=True)
    _normalize(Path(wheel_directory, name))
    return name


class BuildWithMeters(build_py):  # type: ignore[misc]  # setuptools has no types
    """Copies the packages, and compiles the meters beside the meter's source."""

    def run(self) -> None:
        """Copy the packages; compile the meters unless the build is editable or the compiler is missing."""
        super().run()
        if self.editable_mode:
            return
        if _installed_version() != _VERSION:
            self.warn(
                f"{_COMPILER} {_VERSION} is not installed, so the wheel has no compiled meter: it will need a compiler"
            )
            return
        with tempfile.TemporaryDirectory(prefix="zig-") as scratch:
            _compile_meters(Path(self.build_lib) / _METER, Path(scratch))


def _installed_version() -> str:
    try:
        return importlib.metadata.version(_COMPILER)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _compile_meters(folder: Path, scratch: Path) -> None:
    built = folder / _BUILT
    built.mkdir(exist_ok=True)
    variables = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    caches = {name: os.environ.get(name) or str(scratch.resolve()) for name in _CACHES}
    hashes = {}
    for machine in MACHINES:
        meter = built / f"meter-{machine}"
        compiler = [sys.executable, "-m", _COMPILER, "cc", "-target", f"{machine}-linux-musl"]
        # By their names alone: a path would be found again in the bytes.
        sources = sorted(path.name for path in folder.glob("*.c"))
        command = [*compiler, *_FLAGS, "-o", str(meter.resolve()), *sources]
        subprocess.run(command, cwd=folder, env=variables | caches, check=True)
        hashes[meter.name] = hashlib.sha256(meter.read_bytes()).hexdigest()
    (built / "sha256.json").write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")


def _normalize(wheel: Path) -> None:
    """Give all files of a wheel the same date, and permissions that do not depend on whoever built it."""
    fresh = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in sorted(old.infolist(), key=lambda entry: entry.filename):
            same = zipfile.ZipInfo(entry.filename, _EARLIEST)
            is_meter = f"{_METER.as_posix()}/{_BUILT}/meter-" in entry.filename
            same.external_attr = (0o100755 if is_meter else 0o100644) << 16
            same.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(same, old.read(entry), compresslevel=_COMPRESSION_LEVEL)
    fresh.replace(wheel)
