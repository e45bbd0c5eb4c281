"""The dataset `packages`: functions of published packages, each judged on the calls that the package's tests make.

A function of a package is no `BenchmarkProblem`: it has a project, no cases, and no known solutions. It is measured as
the product measures a user's function:

    for each in load_packages(cache):
        if isinstance(each, PackageFunction):
            result = session.optimize(job_of(each), search)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from afterburner.agent import InputOptions, Job
from afterburner.agent.code.locate import find_target
from afterburner.agent.errors import TargetError
from afterburner.evals.datasets.packages.fetching import checkout
from afterburner.evals.datasets.packages.pinned import PACKAGES, function_id
from afterburner.evals.errors import RecordError, UnknownDatasetError
from afterburner.evals.problems import DatasetInfo, Rejected

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from afterburner.evals.datasets.packages.pinned import Package

NAME = "packages"


@dataclass(frozen=True, slots=True)
class PackageFunction:
    """A function of a published package.

    Attributes:
        package: its name in the package index.
        version: the pinned one.
        sha256: of its source distribution.
        file: from the top of the source distribution.
        function: `name` or `Class.name`.
        folder: a git repository of what was published, with the tests.
    """

    package: str
    version: str
    sha256: str
    file: str
    function: str
    folder: Path

    @property
    def id(self) -> str:
        """`inflection-0.5.1/inflection/__init__.py::underscore`; unique in the dataset."""
        return function_id(f"{self.package}-{self.version}", self.file, self.function)

    @property
    def path(self) -> Path:
        """Of its file, absolute."""
        return self.folder / self.file


def load_packages(
    cache: Path, only: Collection[str] = (), *, packages: Sequence[Package] = PACKAGES, archives: Path | None = None
) -> Iterator[PackageFunction | Rejected]:
    """Load the functions, package by package. A package is fetched when its first function is asked for.

    Args:
        cache: keeps what was fetched.
        only: names of packages and ids of functions; empty: all.
        packages: the pinned packages.
        archives: a folder with their source distributions, for machines that reach no package index.

    Yields:
        A function, or what cannot be used: a package that is not to be had, a function that its file lacks.

    Raises:
        DatasetError: `only` names something unknown, what was fetched is not what is pinned, or there is no git.
    """
    _check(only, packages)
    for package in packages:
        wanted = [
            (file, function)
            for file, function in package.functions
            if not only or package.name in only or function_id(package.folder, file, function) in only
        ]
        if not wanted:
            continue
        try:
            folder = checkout(package, cache, archives)
        except RecordError as error:
            yield Rejected(package.folder, error.field, error.reason)
            continue
        for file, function in wanted:
            yield _found(PackageFunction(package.name, package.version, package.sha256, file, function, folder))


def job_of(function: PackageFunction, python: str = "") -> Job:
    """Make the job on a function: its inputs are the calls that the package's tests make.

    Args:
        function: see `load_packages`.
        python: the interpreter that runs the package and its tests. It has to have pytest and what the package needs;
            the pinned ones need nothing else. Empty: ours.
    """
    return Job.from_file(
        function.path, function=function.function, inputs=InputOptions(python=python or sys.executable)
    )


def describe() -> DatasetInfo:
    """What `eval datasets` tells of it."""
    return DatasetInfo(
        name=NAME,
        hub="",
        size=f"{sum(len(each.functions) for each in PACKAGES)} functions of {len(PACKAGES)} packages",
        licence="MIT, each of them",
        grader="Behaves as the original does on the calls that the package's tests make, and on variations of them.",
        source=f"Python package index: {', '.join(each.folder for each in PACKAGES)}; pinned by hash",
    )


def _check(only: Collection[str], packages: Sequence[Package]) -> None:
    """Refuse a name that stands for nothing: it is a mistake, and an empty dataset would hide it."""
    names = [each.name for each in packages]
    ids = [function_id(each.folder, file, function) for each in packages for file, function in each.functions]
    for name in only:
        if name not in names and name not in ids:
            near = get_close_matches(name, [*names, *ids], n=1)
            hint = f"Did you mean {near[0]}?" if near else f"The packages are {', '.join(names)}."
            raise UnknownDatasetError(f"{NAME}: there is no package and no function {name!r}. {hint}")


def _found(function: PackageFunction) -> PackageFunction | Rejected:
    try:
        find_target(function.path, function.function)
    except TargetError as error:
        return Rejected(function.id, "function", str(error))
    return function
