"""Where packages of ours that run inside the sandbox lie there, and how one of them is started.

`afterburner.sandbox.driver`, say, is called `_afterburner_inside.sandbox.driver` inside: the root has another name, so
that a user's own `afterburner` is never in the way, and below it everything has its place. So these packages import one
another relatively, which means the same on both sides. One folder of the container holds nothing but that root; it is
on `sys.path` only until a package of ours is loaded.
"""

from __future__ import annotations

from pathlib import Path

from afterburner.sandbox.container_paths import HOME
from afterburner.sandbox.types import Bind

INSIDE = f"{HOME}/inside"  # what has to be on `sys.path` to import the packages
INSIDE_ROOT = "_afterburner_inside"
_DRIVER = "afterburner.sandbox.driver"


def name_inside(package: str) -> str:
    """What a package of ours is called inside the sandbox."""
    return f"{INSIDE_ROOT}.{package.partition('.')[2]}"


def bind_inside(package: str, folder: Path) -> Bind:
    """Shows the package, whose modules lie in `folder`, at its place inside the sandbox."""
    return Bind(str(folder), f"{INSIDE}/{name_inside(package).replace('.', '/')}")


def bind_driver() -> Bind:
    """Shows the driver, which every container has that runs Python."""
    return bind_inside(_DRIVER, Path(__file__).parent / "driver")


def driver_start(module: str) -> tuple[str, ...]:
    """The arguments after the interpreter that start a module of the driver."""
    return "-s", "-B", f"{bind_driver().destination}/start.py", module
