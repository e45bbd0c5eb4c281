"""What `afterburner-agent ci comment` does: read a report, and say on the pull request what it says."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from afterburner.ci_action.github.client import GitHub, connect
from afterburner.ci_action.github.event import Job, token_of
from afterburner.ci_action.github.publish import CommentMode, publish
from afterburner.ci_action.github.runner import Commands, write_step_summary
from afterburner.ci_action.memory import Memory
from afterburner.ci_action.report.document import Decision
from afterburner.ci_action.report.reading import read_report
from afterburner.ci_action.report.words import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.ci_action.github.publish import Published, PublishOptions
    from afterburner.ci_action.report.document import CiDocument


def run(report: Path, options: PublishOptions, memory: Path | None = None) -> None:
    """Comment. What GitHub does not allow ends up in the job's summary, and is no failure of the job.

    Args:
        report: the folder or the file.
        options: how it is said.
        memory: of a schedule; what could not be proposed is forgotten, so that it is found again.

    Raises:
        UsageError: the report, the event or the token cannot be used.
    """
    commands = Commands(os.environ)
    commands.stop()
    document = read_report(report)
    job = Job.from_environment(os.environ)
    token = token_of(os.environ)
    with connect(job.api_url, token) as http:
        published = publish(GitHub(http), job, document, options)
    sys.stdout.write(_told(published, options))
    if not job.follows_another:  # or the lines would be those of the default branch
        commands.annotate(document, without=published.suggested)
    write_step_summary(published.text, os.environ)
    if options.branch and not published.proposed:
        _forget(document, memory)


def _forget(document: CiDocument, place: Path | None) -> None:
    """Let the next run of a schedule find again what could not be proposed."""
    if place is None or not place.exists():
        return
    memory = Memory.read(place)
    for each in document.of(Decision.IMPROVED):
        memory.tried.pop(each.key, None)
    memory.write(place)


def _told(published: Published, options: PublishOptions) -> str:
    lines = [one_line(each) for each in published.problems]
    if published.suggested:
        lines.append(f"suggestions made: {len(published.suggested)}")
    if published.commented:
        lines.append("the comment is up to date")
    elif options.comment is not CommentMode.NONE:
        lines.append("no comment was made" + (": see above" if lines else ": there is nothing to say"))
    return "".join(f"{line}\n" for line in lines)
