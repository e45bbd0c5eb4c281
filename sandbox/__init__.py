"""Runs untrusted programs and measures them ("Monolith", section 3.2 and appendix H of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from afterburner.sandbox.environment import PythonEnvironment
from afterburner.sandbox.errors import (
    AfterburnerError,
    SandboxInternalError,
    SandboxUnavailableError,
    UsageError,
)
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
    RawResult,
    Report,
    Task,
    TestCase,
    Verdict,
)

if TYPE_CHECKING:
    from afterburner.sandbox.sandbox import Sandbox, open_sandbox

__all__ = [
    "AfterburnerError",
    "Bind",
    "CallCase",
    "CallOutcome",
    "CaseReport",
    "Command",
    "Compilation",
    "ContainerSpec",
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


def __getattr__(name: str) -> object:
    """Load what starts containers only when it is asked for: errors and types alone are needed far more often."""
    if name in {"Sandbox", "open_sandbox"}:
        from afterburner.sandbox import sandbox  # noqa: PLC0415

        return getattr(sandbox, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
