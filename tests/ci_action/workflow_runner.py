"""Runs whole workflow files of GitHub Actions with the stand-in for GitHub: events, jobs, permissions, secrets.

    runner = WorkflowRunner(github, folder, actions={"octo/action": Path(…)}, secrets={"KEY": "sesame"})
    measured = runner.run(workflow_file, pull_request(github.json, pull))
    told = runner.run(other_file, workflow_run(github.json, measured))
    assert told.conclusion == "success", told.jobs["comment"].log

Each job gets a token for exactly its permissions, which is worth nothing when the job is over.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from action_commands import Annotation
from action_expressions import Scope, holds, interpolate, value_of
from action_files import load_yaml
from action_job import JobRun, JobState, outputs_context
from action_runner import Frame, StepsRunner
from action_standins import Standins
from action_stores import Artifact, ArtifactStore, CacheStore
from action_values import text_of, truth_of
from github_json import SITE
from workflow_rules import check_triggered, dispatched_inputs, in_order, needs_of, permissions_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from action_runner import Actions
    from github_api import GitHubApi
    from workflow_events import Event

_WORKFLOW_KEYS = frozenset({"name", "run-name", "on", "permissions", "env", "defaults", "concurrency", "jobs"})
_JOB_KEYS = frozenset(
    {
        "name",
        "runs-on",
        "needs",
        "if",
        "permissions",
        "environment",
        "concurrency",
        "outputs",
        "env",
        "defaults",
        "steps",
    }
    | {"timeout-minutes", "continue-on-error"}
)


@dataclass
class WorkflowRun:
    """A run of a workflow that is over."""

    id: int
    number: int
    name: str
    path: str
    workflow_id: int
    event: Event
    jobs: dict[str, JobRun] = field(default_factory=dict)
    artifacts: list[Artifact] = field(default_factory=list)

    @property
    def conclusion(self) -> str:
        """As GitHub shows it: `success`, `failure` or `skipped`."""
        found = {job.conclusion for job in self.jobs.values()}
        if "failure" in found:
            return "failure"
        return "success" if "success" in found else "skipped"

    @property
    def log(self) -> str:
        return "".join(job.log for job in self.jobs.values())


class WorkflowRunner:
    """Starts workflows; artifacts and caches last from one run to the next.

    Args:
        github: The stand-in.
        folder: Where jobs have their folders.
        actions: The folders of composite actions by `owner/name`, and stand-ins beside those of GitHub's own actions.
        secrets: The repository's.
        variables: The repository's, for the `vars` context.
        environments: The secrets of environments, by the environments' names.
        machine: Variables of the machine, beside PATH and HOME.
        default_permissions: What jobs that name none get, as the repository's settings say: `read` or `write`.
    """

    def __init__(
        self,
        github: GitHubApi,
        folder: Path,
        *,
        actions: Actions | None = None,
        secrets: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
        environments: Mapping[str, Mapping[str, str]] | None = None,
        machine: Mapping[str, str] | None = None,
        default_permissions: str = "read",
    ) -> None:
        self._github = github
        self._folder = folder
        self.actions = dict(actions or {})
        self.secrets = dict(secrets or {})
        self.variables = dict(variables or {})
        self.environments = dict(environments or {})
        self.machine = dict(machine or {})
        self._default_permissions = default_permissions
        self._runs = 0
        self.artifacts = ArtifactStore(folder / "artifacts")
        self.caches = CacheStore(folder / "caches")

    def run(self, workflow: Path | str, event: Event, *, path: str = ".github/workflows/workflow.yml") -> WorkflowRun:
        """Run a workflow, given as a file or as its text, for an event.

        Raises:
            ValueError: The workflow does not start for this event.
            ExpressionError: GitHub would refuse an expression in it.
            NotImplementedError: It uses what this runner does not know.
        """
        text = workflow if isinstance(workflow, str) else workflow.read_text(encoding="utf-8")
        document: Mapping[str, Any] = load_yaml(text)
        _check_keys("workflow", document, _WORKFLOW_KEYS)
        check_triggered(document["on"], event)
        self._runs += 1
        name = str(document.get("name", path))
        number = zlib.crc32(path.encode())
        run = WorkflowRun(next(self._github.world.ids), self._runs, name, path, number, event)
        for key, job in in_order(document["jobs"]):
            _check_keys(f"job {key}", job, _JOB_KEYS)
            run.jobs[key] = self._job(key, job, document, run)
        run.artifacts = [each for each in self.artifacts.artifacts if each.run_id == run.id]
        return run

    def run_action(
        self,
        uses: str,
        event: Event,
        *,
        inputs: Mapping[str, str] | None = None,
        permissions: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        checks_out: bool = True,
    ) -> JobRun:
        """Run one action in a job of its own, after a checkout if that is wanted; its step is called `action`."""
        checkout = [{"uses": "actions/checkout@v5", "with": {"fetch-depth": "0", "persist-credentials": "false"}}]
        step = {"id": "action", "uses": uses, "with": dict(inputs or {}), "env": dict(env or {})}
        job = {"runs-on": "ubuntu-latest", "steps": [*(checkout if checks_out else []), step]}
        document = {"name": "Action", "on": event.name, "permissions": permissions or {}, "jobs": {"job": job}}
        self._runs += 1
        run = WorkflowRun(next(self._github.world.ids), self._runs, "Action", "action.yml", 1, event)
        return self._job("job", job, document, run)

    def _job(self, key: str, job: Mapping[str, Any], document: Mapping[str, Any], run: WorkflowRun) -> JobRun:
        event = run.event
        name = str(job.get("name", key))
        needed = {each: run.jobs[each] for each in needs_of(job)}
        inputs = dispatched_inputs(document["on"], event)
        # the token is not there yet: GitHub decides whether a job runs before it makes one
        contexts = {"github": self._github_context(run, key), "needs": _needs_context(needed), "inputs": inputs}
        contexts["vars"] = self.variables
        if not holds(job.get("if", "success()"), Scope(contexts, _status_functions(job, document["jobs"], run.jobs))):
            return JobRun(name, "skipped")
        allowed = permissions_of(job, document, self._default_permissions, is_from_fork=event.is_from_fork)
        token = self._github.new_token(allowed, repositories=(event.repository.name,))
        secrets = {**self._given_secrets(job, event), "GITHUB_TOKEN": token}
        contexts["github"] = {**contexts["github"], "token": token}
        folder = self._folder / "runs" / str(run.id) / key
        state = JobState(folder, contexts["github"], self.machine, secrets)
        contexts["secrets"] = secrets
        has_failed = True
        try:
            done = JobRun(name, "failure", permissions=allowed, workspace=state.workspace)
            self._steps(job, document, state, contexts, done)
            has_failed = any(step.conclusion == "failure" for step in done.steps)
        finally:
            state.end(has_failed=has_failed)
            self._github.world.revoke(token)
        if not has_failed or truth_of(value_of(job.get("continue-on-error", False), Scope(contexts))):
            done.conclusion = "success"
        return done

    def _steps(
        self,
        job: Mapping[str, Any],
        document: Mapping[str, Any],
        state: JobState,
        contexts: Mapping[str, Any],
        done: JobRun,
    ) -> None:
        scope = Scope(contexts)
        for given in (document.get("env") or {}, job.get("env") or {}):
            values = {name: interpolate(text_of(value), scope) for name, value in given.items()}
            state.variables |= values
        defaults = {**_run_defaults(document), **_run_defaults(job)}
        others = {name: value for name, value in contexts.items() if name != "github"}
        frame = Frame(others, state.github, defaults={n: interpolate(text_of(v), scope) for n, v in defaults.items()})
        event = state.github
        scopes = [
            event["ref"],
            f"refs/heads/{event['base_ref']}" if event["base_ref"] else "",
            self._default_ref(event),
        ]
        standins = Standins(self._github.world, self.artifacts, self.caches, [each for each in scopes if each])
        done.steps = StepsRunner(state, {**standins.actions(), **self.actions}).run(job["steps"], frame)
        outputs = {**contexts, "steps": outputs_context(done.steps), "env": state.env(), "runner": state.runner}
        for name, value in (job.get("outputs") or {}).items():
            found = interpolate(text_of(value), Scope({**outputs, "job": {}, "strategy": {}, "matrix": {}}))
            if state.masked(found) == found:
                done.outputs[name] = found
            else:
                message = f"Skip output '{name}' since it may contain secret."
                done.steps[-1].annotations.append(Annotation("warning", message))

    def _default_ref(self, github: Mapping[str, Any]) -> str:
        return f"refs/heads/{self._github.world.repositories[github['repository'].lower()].default_branch}"

    def _given_secrets(self, job: Mapping[str, Any], event: Event) -> dict[str, str]:
        """Give the secrets of a job: none where the code is a stranger's."""
        environment = job.get("environment")
        name = environment.get("name") if isinstance(environment, dict) else environment
        if name and name not in self.environments:
            raise NotImplementedError(f"the environment {name}: give the runner its secrets")
        return {} if event.is_from_fork else {**self.secrets, **self.environments.get(name or "", {})}

    def _github_context(self, run: WorkflowRun, key: str) -> dict[str, Any]:
        event = run.event
        repository = event.repository
        is_branch = event.ref.startswith("refs/heads/")
        return {
            "event": event.payload,
            "event_name": event.name,
            "sha": event.sha,
            "ref": event.ref,
            "ref_name": event.ref.removeprefix("refs/heads/").removeprefix("refs/pull/"),
            "ref_type": "branch",
            "ref_protected": "false",
            "head_ref": event.pull.head_ref if event.pull else "",
            "base_ref": event.pull.base_ref if event.pull else "",
            "repository": repository.name,
            "repository_id": str(repository.id),
            "repository_owner": repository.owner,
            "actor": event.actor,
            "triggering_actor": event.actor,
            "run_id": str(run.id),
            "run_number": str(run.number),
            "run_attempt": "1",
            "retention_days": "90",
            "workflow": run.name,
            "workflow_ref": f"{repository.name}/{run.path}@{event.ref}",
            "workflow_sha": event.sha if is_branch else repository.head_sha(),
            "job": key,
            "api_url": self._github.url,
            "server_url": SITE,
            "graphql_url": f"{self._github.url}/graphql",
        }


def _status_functions(
    job: Mapping[str, Any], jobs: Mapping[str, Mapping[str, Any]], done: Mapping[str, JobRun]
) -> dict[str, Callable[[], bool]]:
    """Give what the condition of a job may ask: about all jobs that it needs, and those that these need."""
    waiting, before = needs_of(job), set[str]()
    while waiting:
        key = waiting.pop()
        before.add(key)
        waiting += needs_of(jobs[key])
    found = {done[key].conclusion for key in before}
    return {
        "always": lambda: True,
        "success": lambda: found <= {"success"},
        "failure": lambda: "failure" in found,
        "cancelled": lambda: False,
    }


def _needs_context(needed: Mapping[str, JobRun]) -> dict[str, Any]:
    return {key: {"result": job.conclusion, "outputs": dict(job.outputs)} for key, job in needed.items()}


def _run_defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    return dict((given.get("defaults") or {}).get("run") or {})


def _check_keys(what: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
    if unknown := given.keys() - known:
        raise NotImplementedError(f"{sorted(unknown)} of the {what}")
