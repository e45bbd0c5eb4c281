"""The rules of workflows: when they start, in which order their jobs run, and what the token of a job may do."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, cast

from action_values import ExpressionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from github_state import Level
    from workflow_events import Event

_PERMISSIONS = frozenset(
    [
        "actions",
        "attestations",
        "checks",
        "contents",
        "deployments",
        "discussions",
        "id-token",
        "issues",
        "models",
        "packages",
        "pages",
        "pull-requests",
        "security-events",
        "statuses",
    ]
)
_DEFAULTS: Mapping[str, Mapping[str, str]] = {
    "read": {"contents": "read", "packages": "read"},
    "write": {name: "write" for name in _PERMISSIONS if name != "id-token"},
}
_DEFAULT_TYPES = {"pull_request": ("opened", "synchronize", "reopened")}
_FILTERS = {
    "pull_request": frozenset({"types", "branches", "branches-ignore"}),
    "workflow_run": frozenset({"types", "branches", "branches-ignore", "workflows"}),
    "workflow_dispatch": frozenset({"inputs"}),
}


def check_triggered(on: Any, event: Event) -> None:
    """Check that a workflow starts for an event.

    Raises:
        ValueError: It does not; why.
        NotImplementedError: It depends on what this does not know.
    """
    triggers = _triggers(on)
    if event.name not in triggers:
        raise ValueError(f"the workflow does not start for {event.name}, only for {sorted(triggers)}")
    if event.name == "schedule":
        crons = [each["cron"] for each in triggers["schedule"]]
        if event.payload["schedule"] not in crons:
            raise ValueError(f"the workflow does not start at {event.payload['schedule']}, only at {crons}")
        return
    filters = triggers[event.name] or {}
    if unknown := filters.keys() - _FILTERS.get(event.name, frozenset()):
        raise NotImplementedError(f"{sorted(unknown)} of the trigger {event.name}")
    types = filters.get("types", _DEFAULT_TYPES.get(event.name))
    if types is not None and event.action not in types:
        raise ValueError(f"the workflow does not start for {event.name} {event.action}, only for {types}")
    if "workflows" in filters and event.payload["workflow"]["name"] not in filters["workflows"]:
        raise ValueError(f"the workflow does not follow {event.payload['workflow']['name']}: {filters['workflows']}")
    branch = _branch(event)
    if "branches" in filters and not any(fnmatchcase(branch, each) for each in filters["branches"]):
        raise ValueError(f"the workflow does not start for the branch {branch}")
    if any(fnmatchcase(branch, each) for each in filters.get("branches-ignore", ())):
        raise ValueError(f"the workflow does not start for the branch {branch}")


def dispatched_inputs(on: Any, event: Event) -> dict[str, Any]:
    """Give the inputs of a workflow that is started by hand, as the `inputs` context has them.

    Raises:
        ValueError: One is missing or unknown, or not one of its options.
    """
    if event.name != "workflow_dispatch":
        return {}
    declared = (_triggers(on)["workflow_dispatch"] or {}).get("inputs") or {}
    if unknown := event.inputs.keys() - declared.keys():
        raise ValueError(f"Unexpected inputs provided: {sorted(unknown)}")
    return {name: _dispatched(name, each or {}, event.inputs) for name, each in declared.items()}


def _dispatched(name: str, declared: Mapping[str, Any], given: Mapping[str, Any]) -> Any:
    kind = declared.get("type", "string")
    if name not in given and declared.get("required") and "default" not in declared:
        raise ValueError(f"Required input '{name}' not provided")
    value = given.get(name, declared.get("default", False if kind == "boolean" else ""))
    if kind == "choice" and value not in declared["options"]:
        raise ValueError(f"Provided value '{value}' for input '{name}' not in the list of allowed values")
    if kind == "boolean":
        return str(value).lower() == "true"
    if kind == "number":
        return float(value or 0)
    if kind not in {"string", "choice"}:
        raise NotImplementedError(f"an input of the type {kind}")
    return str(value)


def in_order(jobs: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Give the jobs so that each comes after those that it needs.

    Raises:
        ExpressionError: They need one another, or one that is not there.
    """
    left, done = dict(jobs), set[str]()
    while left:
        ready = [key for key, job in left.items() if set(needs_of(job)) <= done]
        if not ready:
            raise ExpressionError(f"The jobs {sorted(left)} need one another, or jobs that are not there")
        for key in ready:
            yield key, left.pop(key)
            done.add(key)


def needs_of(job: Mapping[str, Any]) -> list[str]:
    """Give the jobs that a job needs."""
    needs = job.get("needs", [])
    return [needs] if isinstance(needs, str) else list(needs)


def permissions_of(
    job: Mapping[str, Any], document: Mapping[str, Any], default: str, *, is_from_fork: bool
) -> dict[str, Level]:
    """Give what the token of a job may do; whatever is not named it may not. A stranger's may write nothing.

    Raises:
        ValueError: A permission or its level is unknown.
    """
    declared = job.get("permissions", document.get("permissions"))
    allowed = _DEFAULTS[default] if declared is None else _expanded(declared)
    for name, level in allowed.items():
        if name not in _PERMISSIONS or level not in {"read", "write", "none"}:
            raise ValueError(f"unknown permission {name}: {level}")
    if is_from_fork:
        allowed = {name: "read" if level == "write" else level for name, level in allowed.items()}
    return cast("dict[str, Level]", dict(allowed))


def _expanded(declared: Any) -> Mapping[str, str]:
    if declared in ("read-all", "write-all"):
        return dict.fromkeys(_PERMISSIONS - {"id-token"}, declared.removesuffix("-all"))
    return cast("Mapping[str, str]", declared)


def _triggers(on: Any) -> dict[str, Any]:
    if isinstance(on, str):
        return {on: None}
    return dict(on) if isinstance(on, dict) else dict.fromkeys(on)


def _branch(event: Event) -> str:
    if event.name == "workflow_run":
        return str(event.payload["workflow_run"]["head_branch"])
    return event.pull.base_ref if event.pull else event.ref.removeprefix("refs/heads/")
