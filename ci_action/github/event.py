"""What GitHub tells a job: where the API is, which repository, and the event that started it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from afterburner.agent import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from afterburner.ci_action.github.client import GitHub

TOKEN_VARIABLE = "GITHUB_TOKEN"  # noqa: S105 - the name of a variable
_MOST_BYTES = 25 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request as the API or the event tells of it; the names of branches are a stranger's text.

    Attributes:
        number: of it.
        head_sha: its latest commit.
        head_repository: `owner/name` of where its branch is; empty: it was deleted.
        head_branch: its branch.
        base_sha: the tip of the branch that it goes to.
    """

    number: int
    head_sha: str
    head_repository: str
    head_branch: str
    base_sha: str

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> PullRequest:
        """Read GitHub's object."""
        head, base = told["head"], told["base"]
        repository = (head.get("repo") or {}).get("full_name", "")
        return cls(int(told["number"]), str(head["sha"]), str(repository), str(head["ref"]), str(base["sha"]))


@dataclass(frozen=True, slots=True)
class Job:
    """The job that runs this.

    Attributes:
        api_url: of the REST API.
        server_url: of the pages.
        repository: `owner/name`.
        run_id: of the workflow's run.
        event: what started it.
    """

    api_url: str
    server_url: str
    repository: str
    run_id: str
    event: Mapping[str, Any]

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> Job:
        """Read the variables that a runner sets.

        Raises:
            UsageError: this is no job of GitHub Actions, or the event cannot be read.
        """
        repository = variables.get("GITHUB_REPOSITORY", "")
        if repository.count("/") != 1:
            raise UsageError(
                "GITHUB_REPOSITORY is not set: this is no job of GitHub Actions. To get the comment as text, use "
                "`afterburner-agent ci --format markdown`."
            )
        return cls(
            api_url=variables.get("GITHUB_API_URL", "https://api.github.com"),
            server_url=variables.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/"),
            repository=repository,
            run_id=variables.get("GITHUB_RUN_ID", ""),
            event=read_event(variables.get("GITHUB_EVENT_PATH", "")),
        )

    @property
    def repository_path(self) -> str:
        """Where the API has the repository."""
        return f"/repos/{self.repository}"

    @property
    def follows_another(self) -> bool:
        """Whether another workflow's run started this one."""
        return isinstance(self.event.get("workflow_run"), dict)

    def run_url(self, *, by_fork: bool) -> str:
        """The page of the run that measured: this one, or the one before it where a fork measured."""
        run_id = str(self.event["workflow_run"]["id"]) if by_fork and self.follows_another else self.run_id
        return f"{self.server_url}/{self.repository}/actions/runs/{quote(run_id)}" if run_id else ""


def token_of(variables: MutableMapping[str, str]) -> str:
    """The token, taken out of the variables, so that no program that is started gets it.

    Raises:
        UsageError: it is not set.
    """
    token = variables.pop(TOKEN_VARIABLE, "")
    if not token:
        raise UsageError(f"{TOKEN_VARIABLE} is not set. Give the step `GITHUB_TOKEN: ${{{{ github.token }}}}`.")
    return token


def read_event(place: str) -> Mapping[str, Any]:
    """The event that started the job; empty where there is none.

    Raises:
        UsageError: the file cannot be read.
    """
    if not place:
        return {}
    try:
        with Path(place).open("rb") as file:
            event = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError) as error:
        raise UsageError(f"GITHUB_EVENT_PATH={place}: the event cannot be read: {error}.") from error
    return event if isinstance(event, dict) else {}


def find_pull_request(github: GitHub, job: Job) -> PullRequest | None:
    """The pull request that the job is about, as it is now; None: there is none.

    After `workflow_run` it is found by the commit and the repository of the run that was followed, both of which GitHub
    tells, and never by anything that the followed run has left.

    Raises:
        NotAllowedError, GitHubError: it cannot be read.
    """
    told = job.event.get("pull_request")
    if isinstance(told, dict):
        return PullRequest.of(github.get(f"{job.repository_path}/pulls/{int(told['number'])}"))
    run = job.event.get("workflow_run")
    if not isinstance(run, dict) or run.get("event") != "pull_request":
        return None
    sha, repository = str(run["head_sha"]), str((run.get("head_repository") or {}).get("full_name", ""))
    query: dict[str, Any] = {"state": "open"}
    if repository and run.get("head_branch"):
        query["head"] = f"{repository.partition('/')[0]}:{run['head_branch']}"
    for each in github.pages(f"{job.repository_path}/pulls", **query):
        found = PullRequest.of(each)
        if found.head_sha == sha and found.head_repository == repository:
            return found
    return None
