"""The packages, pinned by version and by the hash of their source distribution."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """A package of the registry. `place` is what is optimised, `command` how its tests run if not by plain pytest."""

    name: str
    version: str
    sha256: str
    place: str
    command: tuple[str, ...] = ()

    @property
    def folder(self) -> str:
        """The folder in the source distribution."""
        return f"{self.name}-{self.version}"


PACKAGES = (
    Package("inflection", "0.5.1", "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417", "inflection"),
    Package("munkres", "1.1.4", "fc44bf3c3979dada4b6b633ddeeb8ffbe8388ee9409e4d4e8310c2da1792db03", "munkres.py"),
    Package("strsimpy", "0.2.1", "0842eb57f7af86c882a59a1bc8721ec2580a267e563fd0503ced2972040372c9", "strsimpy"),
)
