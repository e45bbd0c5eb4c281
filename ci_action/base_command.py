"""What `afterburner-agent ci base` does: find where a pull request goes to, for a job that follows another."""

from __future__ import annotations

import os
import sys

from afterburner.agent import UsageError
from afterburner.ci_action.github.client import GitHub, connect
from afterburner.ci_action.github.event import Job, find_pull_request, token_of
from afterburner.ci_action.github.runner import write_outputs


def run() -> None:
    """Set the output `base` to a commit, by what GitHub tells of the run and of the pull request.

    Raises:
        UsageError: there is no such pull request any more.
        GitHubError: GitHub refuses, or cannot be reached.
    """
    job = Job.from_environment(os.environ)
    with connect(job.api_url, token_of(os.environ)) as http:
        pull_request = find_pull_request(GitHub(http), job)
    if pull_request is None:
        raise UsageError("The run belongs to no open pull request with this commit: it was closed, or pushed to.")
    write_outputs({"base": pull_request.base_sha}, os.environ)
    sys.stdout.write(f"pull request {pull_request.number} goes to {pull_request.base_sha}\n")
