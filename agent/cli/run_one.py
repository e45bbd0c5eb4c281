"""`afterburner-agent run FILE`: one target; its progress, and its result."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from afterburner.agent.cli.deliver import deliver
from afterburner.agent.cli.progress import show_progress
from afterburner.agent.cli.resume_hint import say_how_to_resume
from afterburner.agent.session.from_settings import job_of, session_for

if TYPE_CHECKING:
    from afterburner.agent.cli.outputs import Outputs
    from afterburner.agent.cli.progress import ProgressStyle
    from afterburner.agent.options import RunSettings


def run_one(settings: RunSettings, outputs: Outputs, style: ProgressStyle) -> None:
    """Carry out the run, show its progress, and deliver.

    Raises:
        BrokenPipeError: nobody read the report to its end; everything else is written.
        AfterburnerError: the run failed, or something could not be written.
    """
    begun: list[str] = []
    with say_how_to_resume(begun), show_progress(settings, style) as on_event, session_for(settings) as session:
        result = session.optimize(
            job_of(settings), settings.search, on_event=on_event, outputs=asdict(outputs), on_begun=begun.append
        )
    deliver(result, settings, outputs)
