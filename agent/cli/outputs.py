"""Where a run's results go: the file itself, the diff, the JSON, the page, the receipt, the picture, the tests, …."""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from afterburner.agent.cli.counterexample_file import check_tests_place
from afterburner.sandbox import UsageError
from afterburner.sandbox.folders import absolute_path
from afterburner.sandbox.project import find_project_root, is_tracked
from afterburner.sandbox.terminal.destinations import (
    STDOUT,
    check_destination,
    check_folder,
    check_writable,
    same_place,
)
from afterburner.sandbox.terminal.options import filled

if TYPE_CHECKING:
    from collections.abc import Mapping

PATCH_HELP = "Write the unified diff to FILE; - is stdout."
JSON_HELP = "Write the result as JSON to FILE; - is stdout, and the report moves to stderr."
GROWTH_HELP = "Write a chart to FILE of how time grows with the input, before and after."
HTML_HELP = "Write the report as one HTML page to FILE; - is stdout."
COUNTEREXAMPLE_HELP = "Write the counterexamples to FILE as tests for pytest; - is stdout."
CODE_SUFFIXES = frozenset({".py", ".pyi", ".pyx"})
PATCH_SUFFIX = ".patch"


def destination_option(help_text: str, panel: str | None = None) -> Any:
    """An option that says where one result goes: a file, or stdout."""
    return typer.Option(metavar="FILE|-", callback=filled, help=help_text, rich_help_panel=panel)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the user wants written, and where; `-` is stdout."""

    apply: bool = False
    yes: bool = False
    patch: str | None = None
    json: str | None = None
    receipt: str | None = None
    growth_svg: str | None = None
    html: str | None = None
    counterexample: str | None = None
    record: str | None = None  # written while the search goes on, so it is never stdout

    @property
    def take_stdout(self) -> bool:
        """Whether stdout belongs to a program that reads one of the results; people then read stderr."""
        return STDOUT in self.places().values()

    def places(self) -> dict[str, str]:
        """Each destination by its option."""
        options = {
            "--patch": self.patch,
            "--json": self.json,
            "--receipt": self.receipt,
            "--growth-svg": self.growth_svg,
            "--html": self.html,
            "--counterexample": self.counterexample,
            "--record": self.record,
        }
        return {option: place for option, place in options.items() if place is not None}

    def files(self) -> tuple[str, ...]:
        """The absolute paths of the files that are written besides the target, and of the folder of patches.

        They are no part of the project: a second run, or a replay of the receipt, would find another project.
        """
        return tuple(str(absolute_path(place)) for place in self.places().values() if place != STDOUT)

    def check_sources(self, sources: Mapping[str, str | None]) -> None:
        """Find out now whether something would be written over what is read.

        Args:
            sources: files, and folders of files, by what they are named with; None: there is none.

        Raises:
            UsageError: a result would be.
        """
        for (option, place), (source_is, source) in product(self.places().items(), sources.items()):
            if place == STDOUT or source is None:
                continue
            if same_place(place, source):
                raise UsageError(f"{option} {place}: {source_is} reads this file; name another one.")
            if Path(place).resolve().is_relative_to(Path(source).resolve()):
                raise UsageError(f"{option} {place}: {source_is} reads this folder; name a file outside of it.")

    def check(
        self, target: Path, target_is: str = "the file to optimise", others: Mapping[Path, str] | None = None
    ) -> None:
        """Find out now what could not be written later.

        Args:
            target: a file that must not be written over, unless by `apply`.
            target_is: what that is, for messages.
            others: more of these, each with what it is.

        Raises:
            UsageError: two results for one place, the target itself or other Python code as a place, or a place that
                cannot be written.
        """
        self._check_record()
        for option, place in self.places().items():
            for source, source_is in {target: target_is, **(others or {})}.items():
                check_destination(option, place, source, source_is)
            if option != "--counterexample":
                _check_no_code(option, place)
        check_tests_place(self.counterexample)
        self._check_apart()
        self._check_of_receipt(find_project_root(target))
        if self.apply and target.is_file():
            check_writable("--apply", target)
            check_folder("--apply", target)

    def check_many(self, place: Path, *, may_hold_patches: bool = False) -> None:
        """Find out now what could not be written later, where `--patch` names a folder and any file may be rewritten.

        Args:
            place: the folder, or the file, of the targets.
            may_hold_patches: whether the folder of `--patch` may hold some: from before a run was interrupted.

        Raises:
            UsageError: two results for one place, Python code as a place, or a place that cannot be written.
        """
        self._check_record()
        if self.patch is not None:
            _check_patch_folder(Path(self.patch), may_hold_patches=may_hold_patches)
        for option, name in self.places().items():
            if option == "--patch" or name == STDOUT:
                continue
            check_destination(option, name, place, "what is to be optimised")
            _check_no_code(option, name)
            real = Path(name).resolve()
            if self.patch is not None and real.suffix == PATCH_SUFFIX and same_place(str(real.parent), self.patch):
                raise UsageError(f"{option} {name}: a patch of --patch may get this name; name another file.")
        self._check_apart()

    def _check_record(self) -> None:
        if self.record == STDOUT:
            raise UsageError("--record needs a file: answers are appended to it as they come.")

    def _check_apart(self) -> None:
        for (option, place), (other, other_place) in combinations(self.places().items(), 2):
            if same_place(place, other_place):
                raise UsageError(f"{option} and {other} name the same place; give each its own.")

    def _check_of_receipt(self, root: Path) -> None:
        """A receipt holds for the project as it was judged, and what git tracks there is a part of it."""
        if self.receipt is None:
            return
        for option, place in self.places().items():
            path = absolute_path(place)
            if place != STDOUT and path.is_file() and path.is_relative_to(root) and is_tracked(path):
                raise UsageError(
                    f"{option} {place}: git tracks this file, so it is part of the project that the receipt is for. "
                    "Name another file, or take this one out of git: git rm --cached"
                )


def _check_no_code(option: str, place: str) -> None:
    real = Path(place).resolve()
    if place != STDOUT and real.suffix in CODE_SUFFIXES:
        why = "this is Python code, which would be overwritten" if real.exists() else "this is a name of Python code"
        raise UsageError(f"{option} {place}: {why}; name another file.")


def _check_patch_folder(folder: Path, *, may_hold_patches: bool) -> None:
    if str(folder) == STDOUT or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"--patch {folder}: for many targets name a folder; it gets one patch a function.")
    if not folder.exists():
        check_folder("--patch", folder)
    elif not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"--patch {folder}: no permission to write in this folder.")
    elif not may_hold_patches and any(folder.glob(f"*{PATCH_SUFFIX}")):
        raise UsageError(f"--patch {folder}: this folder holds patches already; name another one, or empty it.")
