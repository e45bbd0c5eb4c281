"""What compiles and runs a language: found on this machine, or in an image."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.sandbox.languages import Language
    from afterburner.sandbox.types import Bind


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A language's programs inside a container."""

    language: str
    version: str
    path: str
    binds: tuple[Bind, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    image: str | None = None


def find_toolchain(language: Language) -> Toolchain:
    """The toolchain that is installed on this machine."""
    return Toolchain(language.name, language.name, "/usr/local/bin:/usr/bin:/bin", environment=language.environment)
