"""The job that steps run in: its folders, variables and secrets; and what is left of a step when it is over."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import platform
import signal
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from action_values import Exact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from action_commands import Annotation

_IN_ENVIRONMENT = [
    "action",
    "action_path",
    "action_ref",
    "action_repository",
    "actor",
    "api_url",
    "base_ref",
    "env",
    "event_name",
    "event_path",
    "graphql_url",
    "head_ref",
    "job",
    "output",
    "path",
    "ref",
    "ref_name",
    "ref_protected",
    "ref_type",
    "repository",
    "repository_id",
    "repository_owner",
    "retention_days",
    "run_attempt",
    "run_id",
    "run_number",
    "server_url",
    "sha",
    "state",
    "step_summary",
    "triggering_actor",
    "workflow",
    "workflow_ref",
    "workflow_sha",
    "workspace",
]


@dataclass
class StepRun:
    """One step that ran or was skipped; `steps` are those of the composite action that it used."""

    name: str
    id: str = ""
    outcome: str = "skipped"  # success, failure or skipped; before continue-on-error counts
    conclusion: str = "skipped"
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""
    annotations: list[Annotation] = field(default_factory=list)
    summary: str = ""
    obeyed: list[str] = field(default_factory=list)  # lines of its output that were workflow commands
    leaks: int = 0  # lines of its own output that held a secret, masked in the log
    steps: list[StepRun] = field(default_factory=list)

    def all_steps(self) -> Iterator[StepRun]:
        """Give the step and those within it, in the order in which they began."""
        yield self
        for step in self.steps:
            yield from step.all_steps()


@dataclass
class JobRun:
    """A job that is over."""

    name: str
    conclusion: str  # success, failure or skipped
    outputs: dict[str, str] = field(default_factory=dict)
    steps: list[StepRun] = field(default_factory=list)
    permissions: Mapping[str, str] = field(default_factory=dict)
    workspace: Path | None = None

    def step(self, name: str) -> StepRun:
        """Give a step by its id or its name, within actions as well.

        Raises:
            KeyError: There is none, or it did not come to it.
        """
        for step in self.all_steps():
            if name in {step.id, step.name}:
                return step
        raise KeyError(f"{name} is none of the steps {[step.name for step in self.all_steps()]}")

    def all_steps(self) -> list[StepRun]:
        """Give all steps, those of actions after the step that uses them."""
        return [each for step in self.steps for each in step.all_steps()]

    @property
    def log(self) -> str:
        return "".join(step.log for step in self.all_steps())

    @property
    def summary(self) -> str:
        return "\n".join(step.summary for step in self.all_steps() if step.summary)

    @property
    def annotations(self) -> list[Annotation]:
        return [each for step in self.all_steps() for each in step.annotations]

    @property
    def leaks(self) -> int:
        return sum(step.leaks for step in self.all_steps())


class JobState:
    """What the steps of one job share while they run.

    Args:
        folder: Where its workspace, its temporary folder and its home lie.
        github: The `github` context, with the event and the token; the places of files are added here.
        environment: Variables of the machine, beside PATH and HOME.
        secrets: What the `secrets` context gives.
    """

    def __init__(
        self, folder: Path, github: Mapping[str, Any], environment: Mapping[str, str], secrets: Mapping[str, str]
    ) -> None:
        name = str(github["repository"]).split("/")[-1]
        self.workspace = folder / "work" / name / name
        self.temporary = folder / "temp"
        self.home = folder / "home"
        self.environment = dict(environment)
        self.variables: dict[str, str] = {}  # of the workflow and the job, and what steps wrote to GITHUB_ENV
        self.paths: list[str] = []
        self.secrets = dict(secrets)
        self.after: list[tuple[bool, Callable[[], None]]] = []  # what actions do when the job ends, if it went well
        self._mark = uuid.uuid4().hex  # in the environment of all that its steps start
        for each in (self.workspace, self.temporary, self.home):
            each.mkdir(parents=True)
        event = self.temporary / "event.json"
        event.write_text(json.dumps(github["event"]), encoding="utf-8")
        self.github = {**github, "workspace": str(self.workspace), "event_path": str(event)}
        self._masks: set[str] = set()
        for value in secrets.values():
            self.hide(value)

    @property
    def runner(self) -> dict[str, Any]:
        """The `runner` context."""
        machine = {"x86_64": "X64", "aarch64": "ARM64"}.get(platform.machine(), platform.machine())
        tools = str(self.temporary / "tools")
        facts = {"os": "Linux", "arch": machine, "name": "stand-in", "environment": "github-hosted"}
        return {**facts, "temp": str(self.temporary), "tool_cache": tools, "debug": ""}

    def variables_of(self, github: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, str]:
        """Give the environment of a step's process: nobody overrides what begins with GITHUB_ or RUNNER_."""
        path = os.pathsep.join([*reversed(self.paths), variables.get("PATH", os.environ["PATH"])])
        runner = {f"RUNNER_{name.upper()}": value for name, value in self.runner.items() if value}
        own = {f"GITHUB_{name.upper()}": str(github[name]) for name in _IN_ENVIRONMENT if github.get(name) is not None}
        base = {"HOME": str(self.home), "LANG": "C.UTF-8", **self.environment, **variables}
        fixed = {"RUNNER_TRACKING_ID": self._mark, "GITHUB_ACTIONS": "true", "CI": "true"}
        return {**base, "PATH": path, **runner, **own, **fixed}

    def env(self, *further: Mapping[str, str]) -> Exact:
        """Give the `env` context: the job's variables, then those of the steps around, then a step's own."""
        return Exact({name: value for each in (self.variables, *further) for name, value in each.items()})

    def end(self, *, has_failed: bool) -> None:
        """Do what actions left to be done, the last first, and end what steps left running."""
        for only_after_success, callback in reversed(self.after):
            if not (only_after_success and has_failed):
                callback()
        self.kill_all()

    def kill_all(self) -> None:
        """End all that steps have started and that still runs; it is known by a variable, as the runner knows it."""
        variable = f"RUNNER_TRACKING_ID={self._mark}".encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if variable in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)

    def hide(self, secret: str) -> None:
        """Mask a secret in logs from now on, each of its lines, and both as base64."""
        for text in (secret, *secret.splitlines()):
            if text.strip():
                self._masks |= {text, base64.b64encode(text.encode()).decode()}

    def masked(self, text: str) -> str:
        """Give a text in which no secret is left."""
        for mask in sorted(self._masks, key=len, reverse=True):
            text = text.replace(mask, "***")
        return text


def outputs_context(steps: Sequence[StepRun]) -> dict[str, Any]:
    """Give the `steps` context: what there is of the steps with an id that are over."""
    return {
        step.id: {"outputs": dict(step.outputs), "outcome": step.outcome, "conclusion": step.conclusion}
        for step in steps
        if step.id
    }
