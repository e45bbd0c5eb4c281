"""The packages, pinned by version and by the hash of their source distribution."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Package:
    """A package of the registry.

    `place` is what is optimised, `command` how its tests run if not by plain pytest. `top` functions are worked through
    in at most `seconds`, which is more than it takes on a quiet machine.
    """

    name: str
    version: str
    sha256: str
    place: str
    command: tuple[str, ...] = ()
    top: int = 8
    seconds: float = 600.0

    @property
    def folder(self) -> str:
        """The folder in the source distribution."""
        return f"{self.name}-{self.version}"


PACKAGES = (
    Package("inflection", "0.5.1", "1a29730d366e996aaacffb2f1f1cb9593dc38e2ddd30c91250c6dde09ea9b417", "inflection"),
    Package(
        "pygorithm",
        "1.0.4",
        "214021a5abdb6bc7c5ed5a60ce4dd56d60ed9cdeb30a91cf7cf35332bb79d3a0",
        "pygorithm",
        top=16,
        seconds=1200.0,
    ),
    Package(
        "algorithms",
        "1.0.1",
        "e2d140bc315eb1e106f2ab8c1f2ec595e01cb1ef0aa1506d20f93f75cf9fd8b1",
        "algorithms",
        top=24,
        seconds=1500.0,
    ),
)
