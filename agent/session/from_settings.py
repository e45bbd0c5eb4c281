"""The session and the job that a run's settings describe."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from afterburner.agent.job.job import Job
from afterburner.agent.job.problem import Problem
from afterburner.agent.session.session import open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.options import RunSettings
    from afterburner.agent.session.session import Session


@contextmanager
def session_for(settings: RunSettings, session_id: str = "") -> Iterator[Session]:
    """Open a session with the model, the caps and the proof of these settings."""
    with open_session(
        models=settings.models, caps=settings.caps, proof=settings.proof, session_id=session_id
    ) as session:
        yield session


def job_of(settings: RunSettings) -> Job:
    """Return the job that these settings describe."""
    if settings.problem:
        return Job.from_problem(Problem.from_json(settings.problem))
    return Job(settings.file, settings.function, settings.inputs, settings.unsaved, settings.batch)
