"""Finds an interpreter with Hypothesis for making inputs: the user's own, or one that ours is lent to, or ours."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.sandbox.installations import OWN_SITE, has_package, own_environment, own_package_binds

if TYPE_CHECKING:
    from afterburner.agent.types import Target
    from afterburner.sandbox import Bind, PythonEnvironment

_PACKAGES = ("hypothesis", "sortedcontainers")  # Hypothesis and all that it needs


@dataclass(frozen=True, slots=True)
class Drawing:
    """Where inputs are drawn. `extra_site` goes to the end of `sys.path`; `is_own` if it is not the user's Python."""

    environment: PythonEnvironment
    extra_site: str
    is_own: bool


def drawing_environment(environment: PythonEnvironment, target: Target) -> Drawing:
    """Prefer the user's Python with its own Hypothesis; lend it ours if the versions of Python agree; else use ours.

    Our own Python sees the same project, but none of the packages in the user's environment.
    """
    if has_package(environment, "hypothesis"):
        return Drawing(environment, "", is_own=False)
    lent = own_package_binds(*_PACKAGES)
    if environment.image is not None and not _fits_image(environment, lent):
        return Drawing(environment, "", is_own=False)  # there the import fails, which is told
    if environment.version == sys.version_info[:2]:
        return Drawing(replace(environment, binds=(*environment.binds, *lent)), OWN_SITE, is_own=False)
    ours = own_environment()
    project = tuple(
        bind
        for bind in environment.binds
        if Path(target.path).is_relative_to(bind.destination)
        or Path(bind.destination).is_relative_to(target.project_root)
    )
    return Drawing(
        replace(
            ours,
            binds=tuple(dict.fromkeys((*ours.binds, *project, *lent))),
            import_paths=environment.import_paths,
            working_directory=environment.working_directory,
        ),
        OWN_SITE,
        is_own=True,
    )


def _fits_image(environment: PythonEnvironment, lent: tuple[Bind, ...]) -> bool:
    """Whether ours may be expected to run under an image's Python: newer ones have compiled parts."""
    is_compiled = any(next(Path(bind.source).rglob("*.so"), None) for bind in lent)
    return environment.version == sys.version_info[:2] and (not is_compiled or sys.platform == "linux")
