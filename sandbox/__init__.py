"""Runs untrusted programs and measures them ("Monolith", section 3.2 and appendix H of the paper)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from afterburner.sandbox.cancel import CancelToken
from afterburner.sandbox.errors import (
    AfterburnerError,
    CancelledError,
    SandboxInternalError,
    SandboxUnavailableError,
    UsageError,
)
from afterburner.sandbox.task import Task
from afterburner.sandbox.types import (
    Bind,
    CallCase,
    CallOutcome,
    CaseReport,
    Command,
    Compilation,
    ContainerSpec,
    FunctionEntry,
    Limits,
    Measurement,
    Program,
    PythonEnvironment,
    RawResult,
    Report,
    TestCase,
    Verdict,
)

if TYPE_CHECKING:
    from afterburner.sandbox.docker_settings import DockerOptions
    from afterburner.sandbox.opening import open_sandbox
    from afterburner.sandbox.sandbox import Sandbox

__all__ = [
    "AfterburnerError",
    "Bind",
    "CallCase",
    "CallOutcome",
    "CancelToken",
    "CancelledError",
    "CaseReport",
    "Command",
    "Compilation",
    "ContainerSpec",
    "DockerOptions",
    "FunctionEntry",
    "Limits",
    "Measurement",
    "Program",
    "PythonEnvironment",
    "RawResult",
    "Report",
    "Sandbox",
    "SandboxInternalError",
    "SandboxUnavailableError",
    "Task",
    "TestCase",
    "UsageError",
    "Verdict",
    "open_sandbox",
]


_LAZY = {"DockerOptions": "docker_settings", "Sandbox": "sandbox", "open_sandbox": "opening"}


def __getattr__(name: str) -> object:
    """Load what starts containers only when it is asked for: errors and types alone are needed far more often."""
    if name in _LAZY:
        return getattr(import_module(f"afterburner.sandbox.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
