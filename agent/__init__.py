"""Rewrites code so that it runs faster or leaner, and proves it: sessions, jobs, the loop and the command line.

What stands here is the public face for Python; each name is loaded when it is asked for, since some bring LangGraph.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afterburner.agent.batch.optimize_many import optimize_many
    from afterburner.agent.errors import NotTrustedError, RunNotFoundError, SettingsError, WorkloadError
    from afterburner.agent.inputs.survey import project_of
    from afterburner.agent.job.job import Job
    from afterburner.agent.job.json_calls import JsonCall
    from afterburner.agent.job.problem import Problem
    from afterburner.agent.job.trust import TrustQuestion, TrustRequest
    from afterburner.agent.models.prompts.prompt import render_prompt
    from afterburner.agent.options import Caps, InputOptions, ModelOptions, Proof, Search
    from afterburner.agent.session.session import Session, open_session
    from afterburner.agent.session.shortcuts import optimize, verify
    from afterburner.agent.store.improved_runs import has_improvements
    from afterburner.sandbox import AfterburnerError, CancelledError, CancelToken, UsageError

__all__ = [
    "AfterburnerError",
    "CancelToken",
    "CancelledError",
    "Caps",
    "InputOptions",
    "Job",
    "JsonCall",
    "ModelOptions",
    "NotTrustedError",
    "Problem",
    "Proof",
    "RunNotFoundError",
    "Search",
    "Session",
    "SettingsError",
    "TrustQuestion",
    "TrustRequest",
    "UsageError",
    "WorkloadError",
    "has_improvements",
    "open_session",
    "optimize",
    "optimize_many",
    "project_of",
    "render_prompt",
    "verify",
]
_HOMES = {
    "AfterburnerError": "sandbox",
    "CancelToken": "sandbox",
    "CancelledError": "sandbox",
    "Caps": "agent.options",
    "InputOptions": "agent.options",
    "Job": "agent.job.job",
    "JsonCall": "agent.job.json_calls",
    "ModelOptions": "agent.options",
    "NotTrustedError": "agent.errors",
    "Problem": "agent.job.problem",
    "Proof": "agent.options",
    "RunNotFoundError": "agent.errors",
    "Search": "agent.options",
    "Session": "agent.session.session",
    "SettingsError": "agent.errors",
    "TrustQuestion": "agent.job.trust",
    "TrustRequest": "agent.job.trust",
    "UsageError": "sandbox",
    "WorkloadError": "agent.errors",
    "has_improvements": "agent.store.improved_runs",
    "open_session": "agent.session.session",
    "optimize": "agent.session.shortcuts",
    "optimize_many": "agent.batch.optimize_many",
    "project_of": "agent.inputs.survey",
    "render_prompt": "agent.models.prompts.prompt",
    "verify": "agent.session.shortcuts",
}


def __getattr__(name: str) -> object:
    """Load a name of the public face.

    Raises:
        AttributeError: there is no such name.
    """
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"afterburner.{_HOMES[name]}"), name)
