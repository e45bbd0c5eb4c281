"""The events that start workflows: what GitHub tells of a pull request, of another workflow's run, of a schedule."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from github_json import SITE, time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from github_json import Json, Renderer
    from github_state import PullRequest, Repository
    from workflow_runner import WorkflowRun

PUSHER = "octocat"


@dataclass(frozen=True)
class Event:
    """What a workflow is started by.

    Attributes:
        name: As `pull_request`.
        repository: Where the workflow runs.
        payload: `github.event`.
        sha: The commit that `github.sha` names.
        ref: What `github.ref` says.
        actor: Who caused it.
        head_sha: The commit that the run is about, which GitHub tells those that follow it.
        pull: The pull request, if it is about one.
        inputs: Those of `workflow_dispatch`.
    """

    name: str
    repository: Repository
    payload: Mapping[str, Any]
    sha: str
    ref: str
    actor: str
    head_sha: str
    pull: PullRequest | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_from_fork(self) -> bool:
        """Whether strangers' code starts it: its token may only read, and it gets no secrets."""
        return self.name == "pull_request" and self.pull is not None and self.pull.is_from_fork

    @property
    def action(self) -> str:
        """The activity, as `opened`; empty where the event has none."""
        return str(self.payload.get("action", ""))


def pull_request(json: Renderer, pull: PullRequest, action: str = "opened", *, label: str = "") -> Event:
    """Make the event for a pull request; `label` is the one that was just added or taken away.

    Raises:
        ValueError: It cannot be merged: GitHub starts nothing then.
    """
    pull.refresh()
    if pull.merge_sha is None:
        raise ValueError(f"pull request {pull.number} conflicts with its base: GitHub starts no workflow")
    told = {
        "action": action,
        "number": pull.number,
        "pull_request": json.whole_pull_request(pull),
        **_place(json, pull.base_repository, pull.author),
    }
    if label:
        told["label"] = next(each for each in told["pull_request"]["labels"] if each["name"] == label)
    if action == "synchronize":
        told |= {"before": pull.base_sha, "after": pull.head_sha}
    return Event(
        name="pull_request",
        repository=pull.base_repository,
        payload=told,
        sha=pull.merge_sha,
        ref=f"refs/pull/{pull.number}/merge",
        actor=pull.author,
        head_sha=pull.head_sha,
        pull=pull,
    )


def workflow_run(json: Renderer, run: WorkflowRun) -> Event:
    """Make the event for a run that is over. Its workflow stands on the default branch, whatever the run was about."""
    repository, actor = run.event.repository, run.event.actor
    told = {
        "action": "completed",
        "workflow": _workflow(json, run),
        "workflow_run": _told_run(json, run),
        **_place(json, repository, actor),
    }
    sha = repository.head_sha()
    return Event("workflow_run", repository, told, sha, f"refs/heads/{repository.default_branch}", actor, sha)


def schedule(json: Renderer, repository: Repository, cron: str) -> Event:
    """Make the event for a time that a workflow names, as `0 3 * * *`."""
    told = {"schedule": cron, **_place(json, repository, PUSHER)}
    sha = repository.head_sha()
    return Event("schedule", repository, told, sha, f"refs/heads/{repository.default_branch}", PUSHER, sha)


def workflow_dispatch(
    json: Renderer, repository: Repository, inputs: Mapping[str, Any] | None = None, *, branch: str = ""
) -> Event:
    """Make the event for a workflow that somebody starts by hand."""
    name = branch or repository.default_branch
    ref, sha = f"refs/heads/{name}", repository.head_sha(name)
    given = dict(inputs or {})
    told = {"inputs": given, "ref": ref, "workflow": "", **_place(json, repository, PUSHER)}
    return Event("workflow_dispatch", repository, told, sha, ref, PUSHER, sha, inputs=given)


def _place(json: Renderer, repository: Repository, sender: str) -> Json:
    return {"repository": json.repository(repository), "sender": json.user(sender)}


def _workflow(json: Renderer, run: WorkflowRun) -> Json:
    url = json.repository(run.event.repository)["url"]
    site = f"{SITE}/{run.event.repository.name}"
    return {
        "id": run.workflow_id,
        "node_id": f"W_{run.workflow_id}",
        "name": run.name,
        "path": run.path,
        "state": "active",
        "url": f"{url}/actions/workflows/{run.workflow_id}",
        "html_url": f"{site}/blob/{run.event.repository.default_branch}/{run.path}",
        "badge_url": f"{site}/workflows/{run.name}/badge.svg",
        "created_at": "2025-01-01T00:00:00Z",
        "updated_at": "2025-01-01T00:00:00Z",
    }


def _told_run(json: Renderer, run: WorkflowRun) -> Json:
    event, pull = run.event, run.event.pull
    source = pull.head_repository if pull else event.repository
    url = f"{json.repository(event.repository)['url']}/actions/runs/{run.id}"
    workflow = f"{json.repository(event.repository)['url']}/actions/workflows/{run.workflow_id}"
    suite = f"{json.repository(event.repository)['url']}/check-suites/{run.id}"
    now = time_text(event.repository.world.now_s())
    # GitHub names no pull request here where the code is from a fork
    pulls = [_short_pull(json, pull)] if pull and not pull.is_from_fork else []
    return {
        "id": run.id,
        "node_id": f"WFR_{run.id}",
        "name": run.name,
        "display_title": pull.title if pull else run.name,
        "path": run.path,
        "run_number": run.number,
        "run_attempt": 1,
        "event": event.name,
        "status": "completed",
        "conclusion": run.conclusion,
        "head_branch": pull.head_ref if pull else event.ref.removeprefix("refs/heads/"),
        "head_sha": event.head_sha,
        "head_commit": _short_commit(event),
        "head_repository": json.repository(source),
        "repository": json.repository(event.repository),
        "pull_requests": pulls,
        "actor": json.user(event.actor),
        "triggering_actor": json.user(event.actor),
        "workflow_id": run.workflow_id,
        "workflow_url": workflow,
        "check_suite_id": run.id,
        "check_suite_node_id": f"CS_{run.id}",
        "check_suite_url": suite,
        "url": url,
        "html_url": f"{SITE}/{event.repository.name}/actions/runs/{run.id}",
        **{f"{name}_url": f"{url}/{name}" for name in ("artifacts", "cancel", "jobs", "logs", "rerun")},
        "previous_attempt_url": None,
        "referenced_workflows": [],
        "created_at": now,
        "updated_at": now,
        "run_started_at": now,
    }


def _short_pull(json: Renderer, pull: PullRequest) -> Json:
    whole = json.pull_request(pull)
    sides = {
        side: {
            "ref": whole[side]["ref"],
            "sha": whole[side]["sha"],
            "repo": {name: whole[side]["repo"][name] for name in ("id", "url", "name")},
        }
        for side in ("head", "base")
    }
    return {"id": pull.id, "number": pull.number, "url": whole["url"], **sides}


def _short_commit(event: Event) -> Json:
    store = event.repository.store
    form = "%T%x00%s%x00%an%x00%ae%x00%cI"
    tree, message, name, email, when = (
        store.git("show", "--no-patch", f"--format={form}", event.head_sha).strip().split("\0")
    )
    person = {"name": name, "email": email}
    return {
        "id": event.head_sha,
        "tree_id": tree,
        "message": message,
        "timestamp": when,
        "author": person,
        "committer": person,
    }
