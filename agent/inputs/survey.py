"""One look at the project's tests, or at a command: what each function costs, and whether the tests pass."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.locate import find_target
from afterburner.agent.code.module_name import shadows_standard_library
from afterburner.agent.errors import WorkloadError
from afterburner.agent.events import ignore_event
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.inputs.inside.alarm import PROFILED_SHARE, TIME_OVER
from afterburner.agent.inputs.project_modules import is_uncollected, source_files
from afterburner.agent.inputs.staging import copy_project, environment_of
from afterburner.sandbox import Limits, UsageError
from afterburner.sandbox.installations import has_package
from afterburner.sandbox.project import find_root_of_folder, list_project, replace_in_copy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from afterburner.agent.events import OnEvent
    from afterburner.agent.inputs.harness_answers import Answer, Failure, Suite, SurveyedFunction
    from afterburner.agent.options import RunSettings
    from afterburner.agent.types import Target
    from afterburner.sandbox.project import StagedProject
    from afterburner.sandbox.sandbox import Sandbox

PYTEST = ("-m", "pytest")
UNITTEST = ("-m", "unittest", "discover")
ADDING_UP_S = 30.0  # at most, after the time of the profile: else all that it saw would be lost
MAX_REASONS = 5
MAX_UNCOLLECTED = 3
_IN_ANY_SHELL = re.compile(r"[\w.][\w./-]*")  # no name of a file that would have to be quoted
_BROKEN = frozenset({"run", "cut_off"})  # stages of a run that did not end well
_NOT_ONE_TEST = "no_tests"  # the stage of a failure
_TIME_OVER = "time_over"  # likewise
_NO_TESTS = re.compile(r"left with exit code 5\b")  # of pytest, like those below
_GAVE_UP = re.compile(r"left with exit code [34]\b")  # an internal error, or wrong usage
SEEN = " Seen:"  # what comes before the reasons for which no call was


@dataclass(frozen=True, slots=True)
class Survey:
    """What a look at the workload showed.

    Attributes:
        functions: that were seen.
        suite: whether the tests passed.
        command: what stands behind `python`; empty: the pytest tests.
        project_root: of the project.
        python_without_pytest: the interpreter, if unittest ran the tests since it lacks pytest; else empty.
        is_cut: whether the time was over before the command came to its end.
    """

    functions: tuple[SurveyedFunction, ...]
    suite: Suite | None
    command: tuple[str, ...]
    project_root: str = ""
    remark: str = ""  # which command ran and what came of it, where nothing passed or the time was over
    python_without_pytest: str = ""
    is_cut: bool = False

    @property
    def total_s(self) -> float:
        """CPU time in the files that were looked at, and in what they call outside of them."""
        return sum(function.cost_s for function in self.functions)


def take_survey(
    sandbox: Sandbox, place: Path, settings: RunSettings, limit_s: float, on_event: OnEvent = ignore_event
) -> Survey:
    """Run the workload once, under a profiler.

    Args:
        sandbox: where it runs.
        place: the folder (or file) whose functions count.
        settings: `command`, `command_folder`, `python` and `environment` matter.
        limit_s: after this the profile so far has to do.
        on_event: is told what the making of an environment does.

    Raises:
        TargetError: the folder holds no code.
        WorkloadError: nothing ran, or nothing of the folder did.
    """
    asked, staged, paths = _prepare(sandbox, place, settings, {}, on_event)
    files = source_files(place, own_files(staged))
    killed_s = limit_s + ADDING_UP_S
    asked = replace(asked, limits=Limits(wall_time_s=killed_s, cpu_time_s=killed_s))
    fields = {"profile": "files", "files": [str(path) for path in files], "wall_time_s": limit_s, **paths}
    answer, command = _ask(asked, settings, fields)
    python_without_pytest = asked.environment.executable if command and not settings.batch.command else ""
    known = {str(path) for path in files}  # the project's own code has told what it names, and may name anything
    functions = tuple(function for function in answer.surveyed if not function.qualname or function.path in known)
    if not any(function.qualname and function.calls for function in functions):
        why = _of_nothing_called(answer, settings.batch.command, python_without_pytest)
        raise WorkloadError(f"{place}: {why}{_of_uncollected(answer, staged)}")
    is_cut = any(failure.stage == _TIME_OVER for failure in answer.failures)
    has_passed = answer.suite is not None and answer.suite.passed
    if is_cut:
        remark = (
            f"`python {' '.join(command or PYTEST)}` was interrupted after {PROFILED_SHARE * limit_s:.0f} s, "
            "the time for profiling, so functions that it calls later were not seen"
        )
    else:
        remark = "" if has_passed else _of_nothing_passed(answer, command, python_without_pytest)
    return Survey(functions, answer.suite, command, str(staged.root), remark, python_without_pytest, is_cut)


def _of_nothing_called(answer: Answer, command: tuple[str, ...], python_without_pytest: str) -> str:
    """Why there is nothing to rank, and what to do; `command` is the user's."""
    reasons = [*(failure.reason for failure in answer.failures), *(reason for _, reason in answer.skipped)]
    if any(TIME_OVER in reason for reason in reasons):
        return (
            "the time for profiling was over before anything called its functions, so there is nothing "
            "to rank. Allow more time, or give a command that calls them sooner."
        )
    why = "".join(f"\n  - {reason}" for reason in list(dict.fromkeys(reasons))[:MAX_REASONS])
    does, other = "Let the command call them", "give another command."
    if not command:
        does, other = "", "give a command that calls them: run FOLDER -- python SCRIPT.py …, or -- python -m MODULE …."
    said = "nothing calls its functions"
    runs = "command" if command and command[:2] != PYTEST else "tests"
    if any(_is_broken(failure, runs) for failure in answer.failures):
        said, does = f"the {runs} failed and called none of its functions", f"Correct the {runs}"
        if runs == "tests" and _has_not_started(answer):
            said = "the tests could not start"
            does = "Correct what keeps the tests from starting"
    advice = f"{does}, or {other}" if does else f"{other[0].upper()}{other[1:]}"
    if python_without_pytest:
        advice = f"{_without_pytest(python_without_pytest)}\n{advice}"
    return f"{said}, so there is nothing to rank.{SEEN if why else ''}{why}\n{advice}"


def _of_uncollected(answer: Answer, project: StagedProject) -> str:
    """Where pytest finds no tests, which files look like some that it does not collect, and how to have them run."""
    if not any(failure.stage == _NOT_ONE_TEST for failure in answer.failures):
        return ""
    names = [path.relative_to(project.root) for path in own_files(project)]
    told = [str(name) for name in names if is_uncollected(name) and _IN_ANY_SHELL.fullmatch(str(name))]
    told = told[:MAX_UNCOLLECTED]
    if not told:
        return ""
    if_so = f"If {told[0]} holds tests, name it" if len(told) == 1 else f"If {', '.join(told)} hold tests, name them"
    return (
        f"\nBy default pytest collects only test_*.py and *_test.py. {if_so}: "
        f"run FOLDER -- python -m pytest {' '.join(told)}"
    )


def _is_broken(failure: Failure, runs: str) -> bool:
    """Whether something ran and did not end well; pytest leaves with a code of its own where there are no tests."""
    return failure.stage in _BROKEN and not (runs == "tests" and _NO_TESTS.search(failure.reason))


def _has_not_started(answer: Answer) -> bool:
    """Whether pytest itself gave up, as over a conftest.py that cannot be imported, and not a test."""
    if any(_GAVE_UP.search(failure.reason) for failure in answer.failures):
        return True
    return answer.suite is not None and not answer.suite.passed and not answer.suite.failing


def _of_nothing_passed(answer: Answer, command: tuple[str, ...], python_without_pytest: str) -> str:
    """What to tell of a look at functions that were called while nothing passed, as by an import alone."""
    seen = "no test passed" if command in ((), PYTEST) else "it failed"
    told = f"`python {' '.join(command or PYTEST)}` was profiled, and {seen}, so not all may have been seen"
    reasons = [*(failure.reason for failure in answer.failures), *(reason for _, reason in answer.skipped)]
    lines = [f"{told}: {reasons[0]}" if reasons else f"{told}."]
    if python_without_pytest:
        lines.append(_without_pytest(python_without_pytest))
    return "\n".join(lines)


def _without_pytest(python: str) -> str:
    return (
        f"pytest is not installed for {python}, so unittest ran the tests. "
        f"If they are written for it, install it: {python} -m pip install pytest."
    )


def check_tests(
    sandbox: Sandbox, place: Path, settings: RunSettings, limit_s: float, texts: Mapping[Path, bytes]
) -> Suite | None:
    """Run the workload again with other texts in place of some files; None if it cannot be told.

    Args:
        sandbox: where it runs.
        place: the folder (or file) that was asked for.
        settings: as for the survey.
        limit_s: after this it is stopped.
        texts: what the files hold, by their absolute paths.
    """
    asked, _, paths = _prepare(sandbox, place, settings, texts, ignore_event)
    asked = replace(asked, limits=Limits(wall_time_s=limit_s, cpu_time_s=limit_s))
    answer, _ = _ask(asked, settings, {"profile": "none", **paths})
    return answer.suite


def project_of(place: Path) -> Path:
    """The project that a folder or a file belongs to."""
    place = Path(os.path.abspath(place))  # noqa: PTH100 - Path.resolve would follow links
    return find_root_of_folder(place if place.is_dir() else place.parent)


def own_files(project: StagedProject) -> list[Path]:
    """The files of a staged project, by their original paths."""
    found = (path for path in project.folder.rglob("*.py") if path.is_file())
    return sorted(project.root / path.relative_to(project.folder) for path in found)


def _prepare(
    sandbox: Sandbox, place: Path, settings: RunSettings, texts: Mapping[Path, bytes], on_event: OnEvent
) -> tuple[Harness, StagedProject, dict[str, object]]:
    """Stage the project with `texts` in it, and with what every file of `place` is imported from.

    The fields at the end say where the harness looks for modules. A folder that holds a `random.py` comes after the
    standard library: the tests may never load that file. Where they do, pytest or the command puts its folder first.
    """
    readable = _targets(place)
    project = copy_project(readable[0], sandbox, leave_out=settings.inputs.left_out)
    for path, data in texts.items():
        replace_in_copy(project, path.relative_to(project.root), data)
    environment = environment_of(readable[0], sandbox, project, settings.inputs, on_event)
    roots = dict.fromkeys([*(target.import_root for target in readable), *environment.import_paths])
    folder = settings.batch.command_folder or readable[0].project_root
    later = [root for root in roots if shadows_standard_library(Path(root))]
    first = tuple(root for root in roots if root not in later)
    environment = replace(environment, import_paths=first, working_directory=folder)
    paths: dict[str, object] = {"import_paths": first, "later_import_paths": later}
    return Harness(sandbox, readable[0], environment, Limits()), project, paths


def _targets(place: Path) -> list[Target]:
    """The files of `place` that can be read, as parts of the project that `place` itself belongs to."""
    place = Path(os.path.abspath(place))  # noqa: PTH100 - Path.resolve would follow links
    root = project_of(place)
    files = source_files(place, list_project(root) if place.is_dir() else ())
    readable = [target for path in files if (target := _target(path, root)) is not None]
    if not readable:
        raise UsageError(f"{place}: none of its files can be read as Python.")
    return readable


def _target(path: Path, root: Path) -> Target | None:
    try:
        return find_target(path, None, whole_program=True, project_root=str(root))
    except UsageError:  # an empty __init__.py, say, or a template
        return None


def _ask(harness: Harness, settings: RunSettings, fields: dict[str, object]) -> tuple[Answer, tuple[str, ...]]:
    """Run the command, or the tests: with pytest, or by unittest where pytest is not installed."""
    command = settings.batch.command
    if not command and not has_package(harness.environment, "pytest"):
        command = UNITTEST
    fields = {**fields, "qualname": "", "mentions": []}
    if command:
        folder = settings.batch.command_folder or harness.target.project_root
        return harness.ask("command", "", {**fields, "command": list(command), "working_directory": folder}), command
    return harness.ask("pytest", "", {**fields, "whole_suite": True}), ()
