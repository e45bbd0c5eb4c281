"""Two versions of a file, each with the tree that it belongs to, at one and the same place inside the sandbox."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.code.languages import PYTHON
from afterburner.agent.code.locate import find_target, function_texts, read_source
from afterburner.agent.code.revisions import export_tree
from afterburner.agent.errors import TargetError
from afterburner.agent.events import ignore_event
from afterburner.agent.inputs.staging import copy_project, environment_of, left_out_of
from afterburner.agent.options import RunSettings, UnsavedText
from afterburner.sandbox import Bind, UsageError
from afterburner.sandbox.installations import own_environment
from afterburner.sandbox.project import StagedProject, add_generated_modules, find_project_root

if TYPE_CHECKING:
    from afterburner.agent.events import OnEvent
    from afterburner.agent.job.job import Job
    from afterburner.agent.options import InputOptions
    from afterburner.agent.types import Skipped, Target
    from afterburner.sandbox import PythonEnvironment
    from afterburner.sandbox.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class Version:
    """One version: its file, and a copy of its tree; None for a program in another language, which sees none."""

    target: Target
    project: StagedProject | None
    revision: str = ""
    unsaved: tuple[UnsavedText, ...] = ()

    @property
    def name(self) -> str:
        """The file's, from the root of its project."""
        return os.path.relpath(self.target.path, self.target.project_root)

    @property
    def unsaved_helpers(self) -> frozenset[UnsavedText]:
        """What other files of its project hold in an editor."""
        return frozenset(each for each in self.unsaved if each.path != self.target.path)


@dataclass(frozen=True, slots=True)
class Versions:
    """Both versions, ready to run.

    `after_environment` is set if AFTER has a tree of its own. `after_project` is the copy of that tree.
    """

    before: Version
    after: Version
    environment: PythonEnvironment
    after_environment: PythonEnvironment | None
    skipped: tuple[Skipped, ...]


def read_version(job: Job, sandbox: Sandbox, *, or_bound: bool = False) -> Version:
    """Find the target of a job and copy its project, from the disk or from a git revision.

    With `or_bound`, the file may bind the function's name without defining it, such as by an import.

    Raises:
        TargetError: the file cannot be read, or it has no such function.
        UsageError: there is no such revision, or the project is too large.
    """
    whole_program = job.inputs.cases is not None and job.function is None
    path = Path(os.path.abspath(job.path))  # noqa: PTH100 - Path.resolve would follow links
    if job.revision:
        return _of_revision(job, path, sandbox, whole_program=whole_program, or_bound=or_bound)
    text = RunSettings(job.path, unsaved=job.unsaved).unsaved_text(path)
    target = find_target(path, job.function, whole_program, job.inputs.language, text=text, or_bound=or_bound)
    project = copy_project(target, sandbox, job.unsaved, job.inputs.left_out) if target.language == PYTHON else None
    return Version(target, project, unsaved=job.unsaved)


def _of_revision(job: Job, path: Path, sandbox: Sandbox, *, whole_program: bool, or_bound: bool) -> Version:
    root, folder = find_project_root(path), sandbox.staging_folder()
    tree = export_tree(root, job.revision, folder)
    left_out = (*tree.left_out, *add_generated_modules(root, folder))
    place = folder / path.relative_to(root)
    if not place.resolve().is_relative_to(folder.resolve()) or not place.is_file():
        raise TargetError(f"{path.relative_to(root)} is not a file of revision {job.revision}.")
    text, _ = read_source(place)
    try:
        target = find_target(
            path, job.function, whole_program, job.inputs.language, str(root), text=text, or_bound=or_bound
        )
    except TargetError as error:
        raise TargetError(f"Revision {job.revision}: {error}") from error
    project = StagedProject((Bind(str(folder), str(root)),), tree.files, left_out, root, folder)
    return Version(target, project, tree.commit)


def changed_function(before: Target, after: Target) -> str | None:
    """The one function whose text differs; None if none does.

    Raises:
        UsageError: several do.
    """
    texts = [function_texts(target.source) for target in (before, after)]
    changed = [name for name, text in texts[0].items() if name in texts[1] and texts[1][name] != text]
    if len(changed) > 1:
        raise UsageError(f"Several functions differ: {', '.join(changed)}. Name one with --function.")
    return changed[0] if changed else None


def stage_versions(
    before: Version, after: Version, sandbox: Sandbox, inputs: InputOptions, on_event: OnEvent = ignore_event
) -> Versions:
    """Give both versions the interpreter and the place of BEFORE.

    Each has its own tree if it is another revision, or a file of the same name in another project, or if other files
    of the project hold something else in the editor. Otherwise AFTER is just another text, which runs in the place of
    BEFORE.

    Raises:
        UsageError: the interpreter cannot be used, or AFTER's other unsaved files would be left out.
    """
    if before.project is None or after.project is None:
        return Versions(before, after, own_environment(), None, ())
    environment = environment_of(before.target, sandbox, before.project, inputs, on_event)
    skipped = left_out_of(before.project)
    if not _has_own_tree(before, after):
        return Versions(before, replace(after, project=before.project), environment, None, skipped)
    _put_in_place(after, before.name)
    # Seen at the same place, so that no path tells the versions apart.
    bind = Bind(str(after.project.folder), str(before.project.root))
    moved = replace(after.project, binds=(bind,), root=before.project.root)
    other = environment_of(before.target, sandbox, moved, inputs, on_event)
    more = tuple(each for each in left_out_of(moved) if each not in skipped)
    return Versions(before, replace(after, project=moved), environment, other, (*skipped, *more))


def _put_in_place(after: Version, name: str) -> None:
    """Put a renamed file under its old name as well, in the copy of its tree: calls know it by that name."""
    if after.project is None or after.name == name:
        return
    place = after.project.folder / name
    if not place.parent.resolve().is_relative_to(after.project.folder.resolve()) or os.path.lexists(place):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(after.target.source.encode(after.target.encoding))


def _has_own_tree(before: Version, after: Version) -> bool:
    if before.revision or after.revision:
        return True
    if before.target.project_root == after.target.project_root:
        return before.unsaved_helpers != after.unsaved_helpers
    if before.name != after.name and after.unsaved_helpers:
        named = ", ".join(sorted(each.path for each in after.unsaved_helpers))
        raise UsageError(
            f"{after.target.path} runs among the files of {before.target.project_root}, because it has another name "
            f"than {before.name}. So the unsaved text of {named} cannot be used."
        )
    return before.name == after.name
