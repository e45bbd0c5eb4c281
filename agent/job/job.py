"""A job of a session: the function or program to work on, and where its inputs come from."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afterburner.agent.options import BatchPlace, InputOptions, UnsavedText

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from afterburner.agent.job.problem import Problem


@dataclass(frozen=True, slots=True)
class Job:
    """One target. Make it with `from_file`, `from_text` or `from_problem`.

    Attributes:
        path: of the file.
        function: `name` or `Class.name`; None: the hottest, or with cases the whole program.
        inputs: where the inputs come from that it is judged on.
        unsaved: files of the project that an editor holds unsaved; their text replaces that on the disk.
        batch: what a run over many targets knows of this one.
        revision: of git, whose whole tree is meant; empty: what is on the disk. Only for `Session.compare`.
        problem: what is to be solved, where the job is not on a file.
    """

    path: str
    function: str | None = None
    inputs: InputOptions = field(default_factory=InputOptions)
    unsaved: tuple[UnsavedText, ...] = ()
    batch: BatchPlace = field(default_factory=BatchPlace)
    revision: str = ""
    problem: Problem | None = None

    @classmethod
    def from_problem(cls, problem: Problem) -> Job:
        """Make a job on a problem that is given as data. It has no files and belongs to no project."""
        return cls(problem.name, problem=problem)

    @property
    def name(self) -> str:
        """`/srv/shop.py::Stock.value`, as events name it."""
        path = _absolute(self.path)
        return f"{path}::{self.function}" if self.function else path

    @classmethod
    def from_file(cls, path: str | Path, *, function: str | None = None, inputs: InputOptions | None = None) -> Job:
        """Make a job on a file as it is on the disk."""
        return cls(str(path), function, inputs or InputOptions())

    @classmethod
    def from_revision(
        cls, path: str | Path, revision: str, *, function: str | None = None, inputs: InputOptions | None = None
    ) -> Job:
        """Make a job on a file and its whole project at a git revision, for `Session.compare`."""
        return cls(str(path), function, inputs or InputOptions(), revision=revision)

    @classmethod
    def from_text(
        cls,
        path: str | Path,
        text: str,
        *,
        function: str | None = None,
        inputs: InputOptions | None = None,
        others: Mapping[str, str] | None = None,
    ) -> Job:
        """Make a job on unsaved text, such as an editor's buffer.

        Args:
            path: where the text belongs; the file need not be there, its folder has to.
            text: the whole file.
            function: `name` or `Class.name`.
            inputs: where the inputs come from.
            others: what other files of the same project hold in the editor, by path.
        """
        texts = {str(path): text, **(others or {})}
        unsaved = tuple(UnsavedText(_absolute(each), held) for each, held in texts.items())
        return cls(str(path), function, inputs or InputOptions(), unsaved)


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links
