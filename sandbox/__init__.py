"""Runs untrusted programs and measures them ("Monolith", section 3.2 and appendix H of the paper)."""

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
    FunctionEntry,
    Limits,
    Measurement,
    Program,
    Report,
    TestCase,
    Verdict,
)

__all__ = [
    "AfterburnerError",
    "Bind",
    "CallCase",
    "CallOutcome",
    "CaseReport",
    "FunctionEntry",
    "Limits",
    "Measurement",
    "Program",
    "PythonEnvironment",
    "Report",
    "SandboxInternalError",
    "SandboxUnavailableError",
    "TestCase",
    "UsageError",
    "Verdict",
]
