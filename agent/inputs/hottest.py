"""Finds the function of a file that is most worth optimising, by a profile of the file's workload.

For `time` it is the function that takes the most in itself and in what it calls outside the file. For `memory` and
`integral` it is the one that holds the most transient memory (`inside/memory_profiler` says what counts): neither what
it leaves alive nor what it is given counts, for a rewrite would need that as well. So a function that makes the sample
data of a `__main__` block, or a `main` that hands it on, stands back behind the function that works on it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import function_texts
from afterburner.agent.code.skip_marker import SKIP_MARKER, says_skip
from afterburner.agent.errors import NoInputsError, WorkloadError
from afterburner.agent.inputs.call_sources import calls_fields, case_fields
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.types import Objective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from afterburner.agent.inputs.harness_answers import Answer, MemoryProfile
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target
    from afterburner.sandbox import Limits, PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

MAX_LISTED = 12
ABOUT_THE_SAME = 0.5  # of the largest transient memory
NOTICEABLE_S = 0.001  # a workload takes more
NOTICEABLE_BYTES = 64 * 1024  # less cannot be measured in a process: then time decides


def hottest_functions(
    sandbox: Sandbox, target: Target, environment: PythonEnvironment, settings: RunSettings, limits: Limits
) -> list[str]:
    """The functions and methods (`Class.method`), first the one that takes the most time or holds the most memory.

    Functions that say `# afterburner: skip` do not count. The objective says what counts; by memory, one is named.

    The workload is the file of `--calls` or the cases of `--cases` if given; else the first that works for a while in
    the file's functions: its `__main__` block, its doctests, the project's tests. What runs only while the file is
    imported counts where nothing else runs.

    Raises:
        NoInputsError: nothing of the file runs; the message names the functions.
        WorkloadError: the file cannot be imported.
        UsageError: a file or folder that the user named cannot be used.
        SandboxInternalError: the sandbox failed.
    """
    names = [name for name, text in function_texts(target.source).items() if not says_skip(text)]
    if not names:
        raise WorkloadError(
            f"{target.path}: each of its functions says `{SKIP_MARKER}`. To optimise one anyway, name it: --function."
        )
    if len(names) == 1:
        return names
    harness = Harness(sandbox, target, environment, limits)
    if settings.search.objective is not Objective.TIME:
        for answer in _profiles(harness, settings, names, "memory"):
            if (holder := largest_holder(answer.memory, names)) is not None:
                return [holder]
            if answer.memory:
                break
    tried: list[str] = []
    at_work: dict[str, float] = {}
    importing: dict[str, float] = {}
    for answer in _profiles(harness, settings, names, "time"):
        ran = [profile for profile in answer.profiles if profile.calls and profile.qualname in names]
        at_work = _costlier(at_work, {each.qualname: each.cost_s for each in ran if not each.importing})
        importing = _costlier(importing, {each.qualname: each.cost_s for each in ran if each.importing})
        if max(at_work.values(), default=0.0) >= NOTICEABLE_S:
            importing = {}
            break
        tried += [failure.reason for failure in answer.failures]
    if most := _costlier(at_work, importing):
        return sorted(most, key=lambda name: -most[name])
    listed = ", ".join(names[:MAX_LISTED]) + (" …" if len(names) > MAX_LISTED else "")
    why = "".join(f"\n  - {reason}" for reason in dict.fromkeys(tried))
    raise NoInputsError(
        f"{target.path}: nothing runs its functions, so the hottest cannot be found.{' Tried:' if why else ''}{why}\n"
        f"Name one with --function ({listed}), or {_other_way(settings)}."
    )


def _costlier(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return max(one, other, key=lambda costs: max(costs.values(), default=-1.0))


def _other_way(settings: RunSettings) -> str:
    if settings.inputs.calls is not None:
        return f"let {settings.inputs.calls} call them"
    if settings.inputs.cases is not None:
        return f"let the cases in {settings.inputs.cases} reach them"
    return "give --calls FILE.py, a Python file that calls them"


def largest_holder(profiles: Sequence[MemoryProfile], names: Sequence[str]) -> str | None:
    """The innermost of the functions `names` that hold about the largest transient memory; None if all hold little.

    If none does so for its own work, it is the one that keeps the most of what it is given.
    """
    known = [profile for profile in profiles if profile.qualname in names]
    callees = {profile.qualname: profile.callees for profile in profiles}
    transient = {profile.qualname: profile.transient_bytes for profile in known}
    kept = {profile.qualname: profile.kept_bytes for profile in known}
    return _innermost(transient, callees) or _innermost(kept, callees)


def _innermost(held: Mapping[str, int], callees: Mapping[str, Sequence[str]]) -> str | None:
    most = max(held.values(), default=0)
    if most < NOTICEABLE_BYTES:
        return None
    large = [name for name in held if held[name] >= ABOUT_THE_SAME * most]
    innermost = [name for name in large if not _reached(name, callees) & (set(large) - {name})]
    return max(innermost or large, key=lambda name: held[name])


def _reached(name: str, callees: Mapping[str, Sequence[str]]) -> set[str]:
    """All functions that it called, directly or through others."""
    reached: set[str] = set()
    waiting = [name]
    while waiting:
        new = set(callees.get(waiting.pop(), ())) - reached
        reached |= new
        waiting += new
    return reached


def _profiles(harness: Harness, settings: RunSettings, names: list[str], profile: str) -> Iterator[Answer]:
    mentions = sorted({part for name in names for part in name.split(".")})
    common: dict[str, object] = {"qualname": "", "mentions": mentions, "profile": profile}
    if settings.inputs.calls is not None:
        yield harness.ask("calls", "--calls", {**common, **calls_fields(Path(settings.inputs.calls))})
    elif settings.inputs.cases is not None:
        for fields in case_fields(Path(settings.inputs.cases)).values():
            yield harness.ask("main", "--cases", {**common, **fields})
    else:
        for job in ("main", "doctest", "pytest"):
            yield harness.ask(job, job, common)
