"""The languages that the sandbox compiles and runs, one entry each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.sandbox.errors import UsageError
from afterburner.sandbox.types import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROGRAM = "/afterburner/program"
_COMPILER = Limits(
    wall_time_s=60.0, cpu_time_s=60.0, memory_kib=2_097_152, output_bytes=64 * 1024 * 1024, file_kib=524_288
)


@dataclass(frozen=True, slots=True)
class Language:
    """How one language is compiled and run.

    `compile` is a shell script that makes one file, `$ARTEFACT`, of `$SOURCE`, in `/tmp`. Names without a slash are
    looked for on the toolchain's PATH.
    """

    name: str
    source: str
    run: tuple[str, ...]
    image: str
    probe: tuple[str, ...]
    packages: tuple[str, ...]
    compile: str | None = None
    artefact: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    compile_limits: Limits = _COMPILER


LANGUAGES = {
    language.name: language
    for language in (
        Language(
            "python",
            "main.py",
            ("python3", f"{_PROGRAM}/main.py"),
            "python:3.9.19",
            ("python3", "--version"),
            ("python3",),
        ),
        Language(
            "cpp",
            "main.cpp",
            (f"{_PROGRAM}/main",),
            "gcc:11.2.0",
            ("g++", "-dumpfullversion"),
            ("g++",),
            'g++ -O2 -std=gnu++17 -o "$ARTEFACT" "$SOURCE"',
            "main",
        ),
    )
}


def find_language(name: str) -> Language:
    """The entry of a language."""
    if name not in LANGUAGES:
        raise UsageError(f"The sandbox does not know the language {name!r}. It knows {', '.join(LANGUAGES)}.")
    return LANGUAGES[name]
