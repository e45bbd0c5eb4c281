"""Makes a target's project visible inside the sandbox, under the interpreter that the user wants."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.events import EventKind, ProgressEvent, ignore_event
from afterburner.agent.inputs.compiled_copy import add_compiled
from afterburner.agent.inputs.harness import Harness
from afterburner.agent.option_kinds import EnvironmentKind
from afterburner.agent.options import InputOptions
from afterburner.agent.types import Skipped
from afterburner.sandbox import Limits, UsageError
from afterburner.sandbox.environments.provide import environment_in_image
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.interpreter import find_interpreter, python_environment
from afterburner.sandbox.project import StagedProject, replace_in_copy, stage_project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from afterburner.agent.events import OnEvent
    from afterburner.agent.options import UnsavedText
    from afterburner.agent.types import Target
    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox

LEFT_OUT_NAMED = 3
COMPILING = Limits(wall_time_s=30.0, cpu_time_s=30.0)
_NO_CHOICE = InputOptions()


@dataclass(frozen=True, slots=True)
class Staged:
    """Where the target's code runs, and what of its project it will not find there."""

    project: StagedProject
    environment: PythonEnvironment
    left_out: tuple[Skipped, ...]


def stage(
    target: Target,
    sandbox: Sandbox,
    inputs: InputOptions = _NO_CHOICE,
    unsaved: Sequence[UnsavedText] = (),
    on_event: OnEvent = ignore_event,
) -> Staged:
    """Copy what of the project may be shown, and find the interpreter that `inputs` choose, else the user's own.

    The copy holds the `unsaved` texts in place of what is on the disk.

    Raises:
        UsageError: the interpreter cannot be used, or an unsaved file lies outside of the project.
    """
    if target.language != PYTHON:
        return stage_alone(target, sandbox)
    project = copy_project(target, sandbox, unsaved, inputs.left_out)
    environment = environment_of(target, sandbox, project, inputs, on_event)
    add_compiled(project, Harness(sandbox, target, environment, COMPILING))
    return Staged(project, environment, left_out_of(project))


def import_paths(target: Target) -> tuple[str, ...]:
    """Where modules are looked for; the root last, for what is defined in tests that are a package."""
    return tuple(dict.fromkeys((target.import_root, target.project_root)))


def copy_project(
    target: Target, sandbox: Sandbox, unsaved: Sequence[UnsavedText] = (), leave_out: Sequence[str] = ()
) -> StagedProject:
    """The copy of what may be shown of a target's project, without the paths to `leave_out`.

    Raises:
        UsageError: the project is too large, or an unsaved file lies outside of it.
    """
    project = stage_project(Path(target.project_root), sandbox.staging_folder(), Path(target.path), leave_out)
    for each in unsaved:
        replace_in_copy(project, _name_in(project, each.path), each.text.encode())
    return project


def _name_in(project: StagedProject, path: str) -> Path:
    if not Path(path).is_relative_to(project.root):
        raise UsageError(f"{path} is not a file of the project {project.root}, so its unsaved text cannot be used.")
    return Path(path).relative_to(project.root)


def stage_alone(target: Target, sandbox: Sandbox) -> Staged:
    """A program that sees nothing of a project, and no interpreter of it: in another language, or a problem's."""
    project = StagedProject((), 0, (), Path(target.project_root), sandbox.staging_folder())
    return Staged(project, own_environment(), ())


def environment_of(
    target: Target,
    sandbox: Sandbox,
    project: StagedProject,
    inputs: InputOptions = _NO_CHOICE,
    on_event: OnEvent = ignore_event,
) -> PythonEnvironment:
    """The interpreter for a target of a staged project, as `inputs` choose it, with what it has to see.

    For a program in another language it is our own: nothing of it is run by an interpreter of the project. What the
    copy of the project holds must not change afterwards.

    Raises:
        UsageError: the interpreter cannot be used, or no image can be made.
    """
    if target.language != PYTHON:
        return own_environment()
    folder = str(Path(target.path).parent)
    if _is_in_image(sandbox, inputs):
        return environment_in_image(
            sandbox,
            project,
            named=inputs.environment_from,
            requested=inputs.python,
            import_paths=import_paths(target),
            working_directory=folder,
            say=lambda line: on_event(ProgressEvent(kind=EventKind.MAKING_ENVIRONMENT, detail=line)),
        )
    return python_environment(
        sandbox,
        find_interpreter(inputs.python, project.root),
        project=project,
        import_paths=import_paths(target),
        working_directory=folder,
    )


def _is_in_image(sandbox: Sandbox, inputs: InputOptions) -> bool:
    return inputs.wants_image or (inputs.environment is EnvironmentKind.AUTO and sandbox.backend.needs_images)


def left_out_of(project: StagedProject) -> tuple[Skipped, ...]:
    """What of the project the code will not find, as one entry of the report."""
    if not project.left_out:
        return ()
    named, more = project.left_out[:LEFT_OUT_NAMED], len(project.left_out) - LEFT_OUT_NAMED
    reason = "not shown to the code: " + "; ".join(named) + (f"; and {more} more" if more > 0 else "")
    return (Skipped("files of the project", reason),)
