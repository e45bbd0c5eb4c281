"""Finds the Python that the user's code runs under, and what of the disk it needs."""

from __future__ import annotations

import sys
from pathlib import Path

from afterburner.sandbox.environment import PythonEnvironment
from afterburner.sandbox.types import Bind


def own_environment() -> PythonEnvironment:
    """The interpreter that we run under ourselves, with its standard library and nothing else."""
    prefixes = dict.fromkeys(str(Path(prefix).resolve()) for prefix in (sys.base_prefix, sys.base_exec_prefix))
    binds = tuple(Bind(prefix, prefix) for prefix in prefixes if prefix not in {"/", "/usr", "/usr/local"})
    executable = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return PythonEnvironment(str(executable), (sys.version_info.major, sys.version_info.minor), binds)
