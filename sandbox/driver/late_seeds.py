"""Seeds a library's random numbers right after a call has imported it: before the call there was nothing to seed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import module_state

if not TYPE_CHECKING:
    from .tamper_seal import BUILTINS as __builtins__  # noqa: F401, N811 - of our own, see there


class SeedingFinder:
    """Lets the other finders find such a library, and seeds it when its module has been executed."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """The spec of the library's module as the others give it; None for every other module."""
        if fullname not in module_state.SEEDING:
            return None
        for finder in list(sys.meta_path):
            find: Any = getattr(finder, "find_spec", None)
            spec = find(fullname, path, target) if find is not None and finder is not self else None
            if spec is not None:
                _seed_when_executed(spec.loader)
                return spec
        return None


def install() -> None:
    """From now on heed what is imported."""
    sys.meta_path.insert(0, SeedingFinder())


def _seed_when_executed(loader: Any) -> None:
    """The loader stays what it is; only its method is another one, for this once."""
    execute = getattr(loader, "exec_module", None)
    held = getattr(loader, "__dict__", None)
    if execute is None or type(held) is not dict:
        return

    def execute_and_seed(module: Any) -> None:
        del held["exec_module"]
        execute(module)
        module_state.seed_library(module.__name__)

    held["exec_module"] = execute_and_seed
