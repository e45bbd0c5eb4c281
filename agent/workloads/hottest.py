"""Finds the function of a file that is most worth optimising, by a profile of the file's workload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import WorkloadError
from afterburner.agent.targets.locate import functions_in
from afterburner.agent.workloads.asking import Harness
from afterburner.agent.workloads.sources import calls_fields, case_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from afterburner.agent.types import RunSettings, Target
    from afterburner.agent.workloads.answers import Answer
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

MAX_LISTED = 12


def hottest_function(
    sandbox: Sandbox, target: Target, environment: PythonEnvironment, settings: RunSettings, limits: Limits
) -> str:
    """The function or `Class.method` with the largest time of its own and of its callees outside the file.

    The workload is the file of `--calls` or the cases of `--cases` if given; else the first that runs anything of
    the file: its `__main__` block, its doctests, the project's tests.

    Raises:
        WorkloadError: the file cannot be imported, or nothing of it runs; the message names the functions.
        UsageError: a file or folder that the user named cannot be used.
        SandboxInternalError: the sandbox failed.
    """
    names = [name for name, _, _ in functions_in(target.source)]
    if len(names) == 1:
        return names[0]
    tried: list[str] = []
    for answer in _profiles(Harness(sandbox, target, environment, limits), settings, names):
        costs = {profile.qualname: profile.cost_s for profile in answer.profiles if profile.calls}
        candidates = [name for name in names if name in costs]
        if candidates:
            return max(candidates, key=lambda name: costs[name])
        tried += [failure.reason for failure in answer.failures]
    listed = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
    why = "".join(f"\n  - {reason}" for reason in dict.fromkeys(tried))
    raise WorkloadError(
        f"{target.path}: nothing runs its functions, so the hottest cannot be found.{' Tried:' if why else ''}{why}\n"
        f"Name one with --function ({listed}), or give --calls FILE.py, a Python file that calls them."
    )


def _profiles(harness: Harness, settings: RunSettings, names: list[str]) -> Iterator[Answer]:
    mentions = sorted({part for name in names for part in name.split(".")})
    common: dict[str, object] = {
        "qualname": "",
        "mentions": mentions,
    }
    if settings.calls_file is not None:
        yield harness.ask("calls", "--calls", {**common, **calls_fields(Path(settings.calls_file))})
    elif settings.cases_dir is not None:
        for fields in case_fields(Path(settings.cases_dir)).values():
            yield harness.ask("main", "--cases", {**common, **fields})
    else:
        for job in ("main", "doctest", "pytest"):
            yield harness.ask(job, job, common)
