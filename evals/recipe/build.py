"""Builds a benchmark, problem by problem; what is done is kept, and is not done again."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from afterburner.agent.machine import describe_machine
from afterburner.agent.usage import counted
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.errors import DatasetError, UnknownDatasetError
from afterburner.evals.files import claimed
from afterburner.evals.problems import Rejected
from afterburner.evals.recipe.builder import LeftOutError, ProblemBuilder
from afterburner.evals.recipe.events import BuildEvent, CoreUse, Outcome
from afterburner.evals.recipe.folder import BenchmarkFolder
from afterburner.evals.recipe.framing import RAW_SPLIT
from afterburner.sandbox.cores import divide_cores
from afterburner.sandbox.installations import own_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from afterburner.agent.types import Machine
    from afterburner.evals.datasets.raw import RawProblem
    from afterburner.evals.recipe.events import OnBuild
    from afterburner.evals.recipe.settings import RecipeSettings
    from afterburner.sandbox import Sandbox


Told = TypeVar("Told", BuildEvent, Outcome)


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What is to be built.

    Attributes:
        source: the file or folder that the raw problems are from.
        out: the folder of the benchmark.
        settings: of the recipe.
        only: ids or titles of problems; empty: all.
        limit: of the raw problems that are looked at, done or not; None: all.
        jobs: programs side by side where nothing is timed; None: one on each core.
        note: where the problems come from, and their licence.
    """

    source: Path
    out: Path
    settings: RecipeSettings
    only: frozenset[str] = frozenset()
    limit: int | None = None
    jobs: int | None = None
    note: str = ""


@dataclass(slots=True)
class BuildSummary:
    """What one call of `build_benchmark` came to.

    Attributes:
        counts: of all problems in the folder: `problems`, `left_out`.
        left_out: ids and reasons, of the problems that were asked for.
        other_left_out: how many others of the folder are left out, which earlier calls were asked for.
        done_before: how many of the problems that were asked for an earlier call had done.
        elapsed_s: of this call.
        running: how the cores were used where nothing was timed.
        timing: how the core was used that references were measured on.
    """

    counts: dict[str, int] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    other_left_out: int = 0
    done_before: int = 0
    elapsed_s: float = 0.0
    running: CoreUse = field(default_factory=CoreUse)
    timing: CoreUse = field(default_factory=CoreUse)


def build_benchmark(
    request: BuildRequest,
    raws: Iterable[RawProblem | Rejected],
    sandbox: Sandbox,
    *,
    on_event: OnBuild = lambda _: None,
    on_outcome: Callable[[Outcome], object] = lambda _: None,
) -> BuildSummary:
    """Carry out the recipe for each raw problem that is not done yet, and store what becomes of it at once.

    Args:
        request: what is to be built.
        raws: the raw problems of its source, and the records that are none.
        sandbox: where all code of the dataset runs.
        on_event: is told of progress.
        on_outcome: receives what became of each problem.

    Raises:
        CancelledError: the sandbox was stopped.
        DatasetError: the source cannot be read, or has no problem of a name that was asked for.
        EvaluationError: the folder cannot be written, or holds another benchmark.
        AfterburnerError: the sandbox failed; nothing is stored of the problem at hand.
    """
    began = time.monotonic()
    machine = describe_machine(sandbox, sandbox.backend.python() or own_environment(), request.settings.language)
    work = _Place(count_raws(request))  # what cannot be read is to be found before anything is written
    folder = BenchmarkFolder.open(request.out, request.settings, machine, _source(request))
    summary = BuildSummary()
    builder = ProblemBuilder(
        sandbox,
        divide_cores(),
        request.settings,
        folder.about["name"],
        measured_on=_told(machine),
        on_event=lambda event: on_event(work.of(event)),
        jobs=request.jobs,
        running=summary.running,
        timing=summary.timing,
    )
    choice = _Choice(request)
    seen: set[str] = set()
    with claimed(request.out):
        folder.check_still_ours()
        for raw in choice.among(raws):
            work.number += 1
            if _name(raw) in seen:
                on_outcome(work.of(Outcome(_name(raw), "an earlier problem has the same id")))
            elif folder.is_done(_name(raw)):
                summary.done_before += 1
            else:
                on_outcome(work.after(_build_one(raw, builder, folder)))
            seen.add(_name(raw))
        summary.counts = folder.count()
    left_out = folder.left_out()
    summary.left_out = tuple(each for each in left_out if each[0] in seen)
    summary.other_left_out = len(left_out) - len(summary.left_out)
    summary.elapsed_s = time.monotonic() - began
    choice.check()
    return summary


@dataclass(slots=True)
class _Place:
    """Where the work is: which of how many problems is built."""

    problems: int
    number: int = 0
    kept: int = 0  # in this call
    elapsed_s: float = 0.0  # of these

    def after(self, outcome: Outcome) -> Outcome:
        """What became of a problem that was built now, with what the others may take.

        One that is left out says nothing of that: it may end at once, as it has too few solutions.
        """
        if not outcome.reason:
            self.kept += 1
            self.elapsed_s += outcome.elapsed_s
        left = max(self.problems - self.number, 0)
        return replace(self.of(outcome), left_s=left * self.elapsed_s / self.kept if self.kept else 0.0)

    def of(self, told: Told) -> Told:
        """The same event with where the work is."""
        return replace(told, number=self.number, problems=max(self.problems, self.number))


def count_raws(request: BuildRequest) -> int:
    """How many raw problems a build looks at; the source is read for it, no further than the limit.

    Raises:
        DatasetError: the source cannot be read.
    """
    if request.only:
        return len(request.only)
    return sum(1 for _ in islice(read_records(request.source, RAW_SPLIT), request.limit))


class _Choice:
    """The raw problems that were asked for."""

    def __init__(self, request: BuildRequest) -> None:
        self._request = request
        self._missing = set(request.only)
        self._looked_at = 0

    def among(self, raws: Iterable[RawProblem | Rejected]) -> Iterator[RawProblem | Rejected]:
        """Those of the names and up to the limit that were given; all others are passed over."""
        only = self._request.only
        for raw in raws:
            if self._looked_at == self._request.limit or (only and not self._missing):
                return
            names = _names(raw)
            if only and not only & names:
                continue
            self._missing -= names
            self._looked_at += 1
            yield raw

    def check(self) -> None:
        """Refuse names that no problem has.

        Raises:
            DatasetError: there are such names, and no limit was why.
        """
        if self._missing and self._looked_at != self._request.limit:
            missing = ", ".join(sorted(self._missing))
            raise UnknownDatasetError(f"{self._request.source} has no problem called {missing}.")


def _build_one(raw: RawProblem | Rejected, builder: ProblemBuilder, folder: BenchmarkFolder) -> Outcome:
    began = time.monotonic()
    if isinstance(raw, Rejected):
        outcome = Outcome(raw.place, f"{raw.field}: {raw.reason}" if raw.field else raw.reason)
        folder.leave_out(outcome.problem_id, outcome.reason, 0.0)
        return outcome
    try:
        built = builder.build(raw)
    except LeftOutError as error:
        elapsed_s = time.monotonic() - began
        folder.leave_out(raw.id, str(error), elapsed_s)
        return Outcome(raw.id, str(error), elapsed_s=elapsed_s)
    elapsed_s = time.monotonic() - began
    folder.keep(built, elapsed_s)
    problem = built.problem
    return Outcome(
        raw.id,
        "",
        references=len(problem.references),
        dropped=built.dropped,
        public_cases=len(problem.problem.cases),
        private_cases=len(problem.private.cases) if problem.private else 0,
        elapsed_s=elapsed_s,
        notes=problem.notes,
    )


def _name(raw: RawProblem | Rejected) -> str:
    return raw.place if isinstance(raw, Rejected) else raw.id


def _names(raw: RawProblem | Rejected) -> frozenset[str]:
    return frozenset({raw.place} if isinstance(raw, Rejected) else {raw.id, raw.title})


def _told(machine: Machine) -> str:
    """The machine in a line."""
    toolchain = f", {machine.toolchain}" if machine.toolchain else ""
    return (
        f"{machine.cpu_model}, {counted(machine.cpus, 'CPU')}, {machine.memory_kib / 2**20:.0f} GiB, {machine.system}, "
        f"Python {machine.python}, {machine.backend}, {machine.tier}{toolchain}"
    )


def _source(request: BuildRequest) -> dict[str, str]:
    """What the raw problems are from, as `benchmark.json` tells it."""
    if not request.source.exists():
        raise UnknownDatasetError(f"There is no file or folder {request.source}.")
    try:
        found = _hash(request.source)
    except OSError as error:
        raise DatasetError(f"{request.source} cannot be read: {error.strerror or error}.") from error
    return {"name": request.source.name, "sha256": found, "note": request.note}


def _hash(path: Path) -> str:
    """The SHA-256 of a file, or of all files of a folder with their names."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    found = hashlib.sha256()
    for each in sorted(path.rglob("*")):
        if each.is_file():
            found.update(f"{each.relative_to(path)}\0{_hash(each)}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()
