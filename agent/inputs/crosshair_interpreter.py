"""Lends CrossHair to the user's interpreter, where it can run there at all."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from afterburner.sandbox import UsageError
from afterburner.sandbox.installations import OWN_SITE, own_package_binds

if TYPE_CHECKING:
    from afterburner.sandbox import PythonEnvironment

# CrossHair and what its search needs; its editor's server is not used.
_PACKAGES = (
    *("crosshair-tool", "z3-solver", "typing-inspect", "typeshed-client", "typing_extensions", "mypy_extensions"),
    "packaging",
)
NOT_INSTALLED = (
    "it is not installed; `afterburner-agent doctor` prints the command"  # without a path: reports are shared
)


def with_crosshair(environment: PythonEnvironment) -> tuple[PythonEnvironment, str]:
    """The environment with CrossHair, and the folder to put at the end of `sys.path`.

    Raises:
        UsageError: there is none for this Python; the message says why.
    """
    if environment.image is not None:
        if "crosshair" in environment.image.modules:
            return environment, ""
        raise UsageError("it is compiled for this machine, and the code runs in an image that does not have it")
    if environment.version != sys.version_info[:2]:
        own, its = (".".join(map(str, version)) for version in (sys.version_info[:2], environment.version))
        raise UsageError(f"it is compiled for Python {own}, and the code runs under {its}")
    try:
        binds = own_package_binds(*_PACKAGES)
    except UsageError:
        raise UsageError(NOT_INSTALLED) from None
    return replace(environment, binds=tuple(dict.fromkeys((*environment.binds, *binds)))), OWN_SITE
