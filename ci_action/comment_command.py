"""What `afterburner-agent ci comment` does: read a report, and say on the pull request what it says."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from afterburner.agent import UsageError
from afterburner.ci_action.github.client import GitHub, connect
from afterburner.ci_action.github.event import Job
from afterburner.ci_action.github.publish import CommentMode, publish
from afterburner.ci_action.github.runner import without_commands, write_step_summary
from afterburner.ci_action.report.reading import read_report
from afterburner.ci_action.report.words import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from afterburner.ci_action.github.publish import Published, PublishOptions

TOKEN_VARIABLE = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable


def run(report: Path, options: PublishOptions) -> None:
    """Comment. What GitHub does not allow ends up in the job's summary, and is no failure of the job.

    Raises:
        UsageError: the report, the event or the token cannot be used.
    """
    document = read_report(report)
    job = Job.from_environment(os.environ)
    token = os.environ.pop(TOKEN_VARIABLE, "")
    if not token:
        raise UsageError(f"{TOKEN_VARIABLE} is not set. Give the step `GITHUB_TOKEN: ${{{{ github.token }}}}`.")
    with connect(job.api_url, token) as http, without_commands(os.environ):
        published = publish(GitHub(http), job, document, options)
        sys.stdout.write(_told(published, options))
        sys.stdout.flush()
    if published.problems or not published.commented:
        write_step_summary(published.text, os.environ)


def _told(published: Published, options: PublishOptions) -> str:
    lines = [one_line(each) for each in published.problems]
    if published.suggested:
        lines.append(f"suggestions made: {published.suggested}")
    if published.commented:
        lines.append("the comment is up to date")
    elif options.comment is not CommentMode.NONE:
        lines.append("no comment was made" + (": see above" if lines else ": there is nothing to say"))
    return "".join(f"{line}\n" for line in lines)
