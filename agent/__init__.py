"""The loop, the proposers, the workloads, the selection and the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.judge.verification.verify import verify
    from afterburner.agent.session import optimize

__all__ = ["optimize", "verify"]


def __getattr__(name: str) -> object:
    """Load what brings langgraph only when it is asked for."""
    if name == "optimize":
        from afterburner.agent.session import optimize  # noqa: PLC0415

        return optimize
    if name == "verify":
        from afterburner.agent.judge.verification.verify import verify  # noqa: PLC0415

        return verify
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
