"""A job of a session: the function or program to work on, and where its inputs come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from afterburner.agent.job.arguments import expect
from afterburner.agent.job.problem import Problem
from afterburner.agent.options import BatchPlace, InputOptions, UnsavedText
from afterburner.sandbox import UsageError


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
        """Make a job on a problem that is given as data. It has no files and belongs to no project.

        Raises:
            UsageError: it is no `Problem`.
        """
        expect("problem", problem, Problem, "a Problem, such as Problem.from_json(text)")
        return cls(problem.name, problem=problem)

    @property
    def name(self) -> str:
        """`/srv/shop.py::Stock.value`, as events name it."""
        path = _absolute(self.path)
        return f"{path}::{self.function}" if self.function else path

    @classmethod
    def from_file(cls, path: str | Path, *, function: str | None = None, inputs: InputOptions | None = None) -> Job:
        """Make a job on a file as it is on the disk.

        Raises:
            UsageError: an argument is of the wrong type.
        """
        return cls(_named(path, function, inputs), function, inputs or InputOptions())

    @classmethod
    def from_revision(
        cls, path: str | Path, revision: str, *, function: str | None = None, inputs: InputOptions | None = None
    ) -> Job:
        """Make a job on a file and its whole project at a git revision, for `Session.compare`.

        Raises:
            UsageError: an argument is of the wrong type, or there is no revision.
        """
        expect("revision", revision, str, "a branch, a tag or a commit")
        if not revision:
            raise UsageError("revision='': it is empty. Give a branch, a tag or a commit.")
        return cls(_named(path, function, inputs), function, inputs or InputOptions(), revision=revision)

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

        Raises:
            UsageError: an argument is of the wrong type.
        """
        expect("others", others, Mapping, "the texts by their paths", optional=True)
        texts = {_named(path, function, inputs): text, **{str(each): held for each, held in (others or {}).items()}}
        for name, held in texts.items():
            expect(f"the text of {name}", held, str, "a text (str), decoded")
        unsaved = tuple(UnsavedText(_absolute(each), held) for each, held in texts.items())
        return cls(str(path), function, inputs or InputOptions(), unsaved)


def _named(path: object, function: object, inputs: object) -> str:
    """The path as a text, where all three are what they have to be."""
    expect("path", path, str | Path, "the path of a file")
    expect("function", function, str, "`name` or `Class.name`", optional=True)
    expect("inputs", inputs, InputOptions, "InputOptions(…)", optional=True)
    return str(path)


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - Path.resolve would follow links
