"""Runs untrusted programs and measures them ("Monolith", section 3.2 and appendix H of the paper)."""

from afterburner.sandbox.environment import PythonEnvironment
from afterburner.sandbox.errors import (
    AfterburnerError,
    SandboxInternalError,
    SandboxUnavailableError,
    UsageError,
)
from afterburner.sandbox.sandbox import Sandbox, open_sandbox
from afterburner.sandbox.types import (
    Bind,
    CallCase,
    CallOutcome,
    CaseReport,
    Command,
    ContainerSpec,
    FunctionEntry,
    Limits,
    Measurement,
    Program,
    RawResult,
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
    "Command",
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
    "TestCase",
    "UsageError",
    "Verdict",
    "open_sandbox",
]
