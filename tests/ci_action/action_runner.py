"""A small runner for the steps of GitHub Actions: real processes, with what the runner gives them and reads of them.

It runs `run` steps and composite actions; `uses` steps of others' actions go to stand-ins, functions in Python. What it
does not know it refuses with NotImplementedError, and what GitHub would refuse with ExpressionError.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from action_commands import Annotation
from action_expressions import Scope, holds, interpolate, value_of
from action_files import hash_files, load_yaml
from action_job import StepRun, outputs_context
from action_process import StepFailedError, run_script
from action_values import ExpressionError, text_of, truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from action_job import JobState

    Standin = Callable[["ActionStep"], Mapping[str, str] | None]
    Actions = Mapping[str, Path | Standin]

_STEP_KEYS = frozenset({"name", "id", "if", "env", "continue-on-error", "timeout-minutes"})
_RUN_KEYS = _STEP_KEYS | {"run", "shell", "working-directory"}
_USES_KEYS = _STEP_KEYS | {"uses", "with"}
_ACTION_KEYS = frozenset({"name", "description", "author", "branding", "inputs", "outputs", "runs"})
_INPUT_KEYS = frozenset({"description", "required", "default", "deprecationMessage"})


@dataclass(frozen=True)
class Frame:
    """Where steps stand: in a job, or in an action that one of its steps uses.

    Attributes:
        contexts: What expressions may name beside `github`, `env`, `steps`, `runner`, `job`, `strategy` and `matrix`.
        github: The `github` context.
        env: What the steps around set with `env`.
        defaults: `defaults.run` of the job.
        is_action: Whether these are the steps of an action.
    """

    contexts: Mapping[str, Any]
    github: Mapping[str, Any]
    env: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    is_action: bool = False


class Inputs:
    """The inputs that a stand-in was given; it counts which it asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = {name.lower(): value for name, value in values.items()}
        self._read: set[str] = set()

    def get(self, name: str, default: str = "") -> str:
        """Give one."""
        self._read.add(name)
        return self._values.get(name, default)

    def flag(self, name: str, *, default: bool) -> bool:
        """Give one that is a yes or a no."""
        return self.get(name, str(default)).lower() == "true"

    @property
    def unread(self) -> set[str]:
        """Those that were given in vain."""
        return self._values.keys() - self._read


@dataclass
class ActionStep:
    """What a stand-in for an action is called with."""

    name: str
    job: JobState
    inputs: Inputs
    result: StepRun

    def log(self, line: str) -> None:
        """Write a line into the log."""
        self.result.log += self.job.masked(line) + "\n"

    def warn(self, message: str) -> None:
        """Show a warning on the run's page."""
        self.result.annotations.append(Annotation("warning", message))

    def fail(self, message: str) -> StepFailedError:
        """Give the error that fails the step, to be raised."""
        return StepFailedError(message)

    def after(self, callback: Callable[[], None], *, only_after_success: bool = False) -> None:
        """Have a function called when the job is over."""
        self.job.after.append((only_after_success, callback))


class StepsRunner:
    """Runs steps one after the other.

    Args:
        job: Their job.
        actions: For `owner/name`, and for `owner/name/folder`, a stand-in or the folder of a composite action.
    """

    def __init__(self, job: JobState, actions: Actions) -> None:
        self._job = job
        self._actions = actions

    def run(self, steps: Sequence[Mapping[str, Any]], frame: Frame) -> list[StepRun]:
        """Run all steps whose conditions hold."""
        ids = [step["id"] for step in steps if "id" in step]
        if len(ids) != len(set(ids)):
            raise ExpressionError(f"The identifiers of steps may not be used more than once: {ids}")
        done: list[StepRun] = []
        for step in steps:
            done.append(self._step(step, frame, done))
        return done

    def _step(self, step: Mapping[str, Any], frame: Frame, done: Sequence[StepRun]) -> StepRun:
        _check_keys("step", step, _RUN_KEYS if "run" in step else _USES_KEYS)
        result = StepRun(_shown_name(step), step.get("id", ""))
        before = self._scope(frame, done, frame.env)
        asked = {name: value for name, value in before.contexts.items() if name != "secrets"}
        condition = "success()" if step.get("if") is None else step["if"]
        if not holds(condition, Scope(asked, before.functions)):
            return result
        own = {name: interpolate(text_of(value), before) for name, value in step.get("env", {}).items()}
        scope = self._scope(frame, done, {**frame.env, **own})
        result.name = interpolate(result.name, scope)
        try:
            if "run" in step:
                self._run(step, frame, scope, result)
            else:
                self._use(step, frame, scope, result, {**frame.env, **own})
            result.outcome = "success"
        except StepFailedError as error:
            result.outcome = "failure"
            if str(error):
                result.annotations.append(Annotation("error", self._job.masked(str(error))))
                result.log += self._job.masked(f"Error: {error}\n")
        may_fail = truth_of(value_of(step.get("continue-on-error", False), scope))
        result.conclusion = "success" if may_fail else result.outcome
        return result

    def _scope(self, frame: Frame, done: Sequence[StepRun], env: Mapping[str, str]) -> Scope:
        has_failed = any(step.conclusion == "failure" for step in done)
        contexts = {
            **frame.contexts,
            "github": frame.github,
            "env": self._job.env(env),
            "steps": outputs_context(done),
            "runner": self._job.runner,
            "job": {"status": "failure" if has_failed else "success"},
            "strategy": {},
            "matrix": {},
        }
        functions: dict[str, Callable[..., Any]] = {
            "always": lambda: True,
            "success": lambda: not has_failed,
            "failure": lambda: has_failed,
            "cancelled": lambda: False,
            "hashfiles": lambda *patterns: hash_files(self._job.workspace, *map(text_of, patterns)),
        }
        return Scope(contexts, functions)

    def _run(self, step: Mapping[str, Any], frame: Frame, scope: Scope, result: StepRun) -> None:
        shell = step.get("shell") or frame.defaults.get("shell", "")
        if frame.is_action and not step.get("shell"):
            raise ExpressionError(f"Required property is missing: shell, in the step {result.name}")
        folder = step.get("working-directory") or frame.defaults.get("working-directory", "")
        run_script(
            self._job,
            script=interpolate(step["run"], scope),
            shell=interpolate(shell, scope),
            folder=self._job.workspace / interpolate(folder, scope),
            github={**frame.github, "action": step.get("id") or "__run"},
            env=scope.contexts["env"],
            limit_s=_limit_s(step, scope),
            result=result,
        )

    def _use(
        self, step: Mapping[str, Any], frame: Frame, scope: Scope, result: StepRun, env: Mapping[str, str]
    ) -> None:
        given = {name: interpolate(text_of(value), scope) for name, value in (step.get("with") or {}).items()}
        action, reference = self._action(step["uses"])
        result.log += f"Run {step['uses']}\n" + "".join(self._job.masked(f"  {n}: {v}\n") for n, v in given.items())
        if isinstance(action, Path):
            inner = replace(frame, github={**frame.github, "action_path": str(action), **reference}, env=env)
            self._compose(action, given, inner, result)
            return
        called = ActionStep(step["uses"], self._job, Inputs(given), result)
        result.outputs = dict(action(called) or {})
        if called.inputs.unread:
            raise NotImplementedError(f"the stand-in for {step['uses']} does not know {sorted(called.inputs.unread)}")

    def _action(self, uses: str) -> tuple[Path | Standin, dict[str, str]]:
        """Give the folder or the stand-in of an action, and what the `github` context says of it."""
        if uses.startswith("./"):
            return self._job.workspace / uses, {}
        name, _, version = uses.partition("@")
        if not version:
            raise ExpressionError(f"Expected format {{owner}}/{{repo}}[/path]@ref. Actual '{uses}'")
        if name not in self._actions:
            raise NotImplementedError(f"there is no stand-in for the action {uses}")
        repository = "/".join(name.split("/")[:2])
        return self._actions[name], {"action_repository": repository, "action_ref": version}

    def _compose(self, folder: Path, given: Mapping[str, str], frame: Frame, result: StepRun) -> None:
        """Run the steps of a composite action."""
        manifest = _manifest(folder)
        inputs = self._inputs(manifest.get("inputs") or {}, given, frame, result)
        # neither secrets nor needs reach an action
        inner = replace(frame, contexts={"inputs": inputs}, defaults={}, is_action=True)
        result.steps = self.run(manifest["runs"]["steps"], inner)
        scope = self._scope(inner, result.steps, inner.env)
        declared = manifest.get("outputs") or {}
        result.outputs = {name: interpolate(text_of(each["value"]), scope) for name, each in declared.items()}
        if any(step.conclusion == "failure" for step in result.steps):
            raise StepFailedError

    def _inputs(
        self, declared: Mapping[str, Any], given: Mapping[str, str], frame: Frame, result: StepRun
    ) -> dict[str, str]:
        """Give the action's inputs. GitHub does not insist on those that are required."""
        scope = self._scope(replace(frame, contexts={}), (), {})
        known = {name: scope.contexts[name] for name in ("github", "strategy", "matrix", "job", "runner")}
        left = {name.lower(): value for name, value in given.items()}
        values = {}
        for name, each in declared.items():
            facts = each or {}
            _check_keys(f"input {name}", facts, _INPUT_KEYS)
            if name.lower() not in left:
                values[name] = interpolate(text_of(facts.get("default")), Scope(known, scope.functions))
                continue
            values[name] = left.pop(name.lower())
            if "deprecationMessage" in facts:
                result.annotations.append(Annotation("warning", f"Input '{name}' has been deprecated"))
        if left:
            message = f"Unexpected input(s) {sorted(left)}, valid inputs are {sorted(declared)}"
            result.annotations.append(Annotation("warning", message))
        return values


def _manifest(folder: Path) -> Mapping[str, Any]:
    paths = [folder / name for name in ("action.yml", "action.yaml") if (folder / name).is_file()]
    if not paths:
        raise StepFailedError(f"Can't find 'action.yml' or 'action.yaml' under '{folder}'")
    manifest: Mapping[str, Any] = load_yaml(paths[0].read_text(encoding="utf-8"))
    _check_keys("action", manifest, _ACTION_KEYS)
    if manifest["runs"].get("using") != "composite":
        raise NotImplementedError(f"an action that runs with {manifest['runs'].get('using')}")
    _check_keys("runs", manifest["runs"], frozenset({"using", "steps"}))
    return manifest


def _check_keys(what: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
    if unknown := given.keys() - known:
        raise NotImplementedError(f"{sorted(unknown)} of the {what}: {dict(given)}")


def _shown_name(step: Mapping[str, Any]) -> str:
    if "name" in step:
        return str(step["name"])
    return str(step["uses"]) if "uses" in step else f"Run {step['run'].strip().splitlines()[0]}"


def _limit_s(step: Mapping[str, Any], scope: Scope) -> float | None:
    minutes = value_of(step.get("timeout-minutes"), scope)
    return None if minutes is None else 60 * float(minutes)
