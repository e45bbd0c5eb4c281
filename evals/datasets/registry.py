"""The one door to all datasets: `load_problems` finds the reader of a dataset, and reads it record by record."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.job.problem import PAPER_LIMITS
from afterburner.evals.datasets import apps, catalogue, livecodebench
from afterburner.evals.datasets.built import SPLITS, is_built, read_built
from afterburner.evals.datasets.coffe import read_coffe
from afterburner.evals.datasets.effibench import read_effibench
from afterburner.evals.datasets.effibench_x import read_effibench_x
from afterburner.evals.datasets.enamel import read_enamel
from afterburner.evals.datasets.guessing import SAMPLES, path_meant
from afterburner.evals.datasets.mercury import read_mercury
from afterburner.evals.datasets.own import read_own
from afterburner.evals.datasets.reading import Reader, ReadingContext, no_sandbox
from afterburner.evals.datasets.records import LONGEST_NAME
from afterburner.evals.datasets.sources import read_records
from afterburner.evals.datasets.venus import read_venus, read_venus_hub
from afterburner.evals.errors import DatasetError, RecordError, UnknownDatasetError
from afterburner.evals.problems import BenchmarkProblem, DatasetInfo, Rejected
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from afterburner.agent import Problem
    from afterburner.evals.datasets.records import Record
    from afterburner.evals.problems import Loaded
    from afterburner.sandbox import Sandbox


_Placed = tuple[str, "Loaded"]  # with where it is from, for messages


def _no_files(_split: str, _configuration: str) -> tuple[str, ...]:
    """What the hub reads by itself needs no names of files."""
    return ()


def _every(_record: Record, _context: ReadingContext) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Layout:
    """How the records of a dataset are read.

    Attributes:
        read: makes a problem of a record.
        files: the files of a split and a configuration, of repositories that the hub itself cannot read.
        local_file: the name of its only file, of a dataset without splits that is on no hub.
        is_wanted: whether a record belongs to the configuration.
        by_configuration: whether a configuration is a part of the repository, rather than something that is told by the
            records or by the names of the files.
    """

    read: Reader
    files: Callable[[str, str], tuple[str, ...]] = _no_files
    is_wanted: Callable[[Record, ReadingContext], bool] = _every
    by_configuration: bool = False
    local_file: str = ""

    def files_in(self, where: Path, split: str, configuration: str) -> tuple[str, ...]:
        """The names of the files to read, in a folder or on the hub; empty: those that are called like the split."""
        if self.local_file and split == "test" and where.is_dir():
            found = sorted(where.rglob(self.local_file), key=lambda path: (len(path.parts), path))
            return tuple(str(path.relative_to(where)) for path in found[:1])
        return self.files(split, configuration)


_OWN = _Layout(read_own)
_WITHOUT_LIMITS = frozenset({"venus", "venus-hub"})
_LAYOUTS: Mapping[str, _Layout] = {
    "venus": _Layout(read_venus),
    "venus-hub": _Layout(read_venus_hub, by_configuration=True),
    "apps": _Layout(apps.read_apps, lambda split, _: (f"{split}.jsonl",), apps.is_wanted),
    "apps-python": _Layout(apps.read_apps_python),
    "livecodebench": _Layout(livecodebench.read_livecodebench, livecodebench.files_of),
    "mercury": _Layout(read_mercury),
    "effibench": _Layout(read_effibench),
    "effibench-x": _Layout(read_effibench_x),
    "enamel": _Layout(read_enamel, local_file="enamel.csv"),
    "coffe": _Layout(read_coffe),
}


def dataset_infos() -> tuple[DatasetInfo, ...]:
    """What `eval datasets` tells of each dataset."""
    return catalogue.CATALOGUE


def find_dataset(name: str) -> DatasetInfo:
    """What there is to know of a dataset.

    Raises:
        DatasetError: there is none of that name.
    """
    known = {info.name: info for info in catalogue.CATALOGUE}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known)}, and paths of files and folders."
        raise UnknownDatasetError(f"There is no dataset {name!r}. {hint}")
    return known[name]


def is_named(dataset: str) -> bool:
    """Whether this is what `eval datasets` calls a dataset, rather than a path."""
    return dataset in {info.name for info in catalogue.CATALOGUE}


def check_known(name: str) -> None:
    """Refuse what is neither a dataset that `eval datasets` lists, nor the path of anything.

    Raises:
        UnknownDatasetError: it is neither; the message tells what may have been meant.
    """
    if is_named(name) or Path(name).exists():
        return
    if near := path_meant(name):
        raise UnknownDatasetError(f"There is no dataset, file or folder {name!r}. Did you mean {near}?")
    find_dataset(name)


def states_limits(name: str) -> bool:
    """Whether the problems of a dataset of this name have limits that its own evaluation set."""
    return is_named(name) and name not in _WITHOUT_LIMITS


def sample_of(name: str) -> Path:
    """A small file of our own in the layout of a dataset.

    Raises:
        DatasetError: there is none.
    """
    found = sorted(SAMPLES.glob(f"{find_dataset(name).name}.*"))
    if not found:
        raise DatasetError(f"There is no sample of {name}.")
    return found[0]


def split_meant(dataset: str, split: str = "") -> str:
    """The split that a person means: the one given; else all of a file or a benchmark that was built, or `test`."""
    is_whole = dataset not in _LAYOUTS and (Path(dataset).is_file() or is_built(Path(dataset)))
    return split or ("" if is_whole else "test")


def load_problems(
    dataset: str,
    *,
    split: str = "test",
    configuration: str = "",
    source: str | Path | None = None,
    sandbox: Callable[[], Sandbox] | None = None,
    limit: int | None = None,
    only: Collection[str] = (),
    case_seconds: float | None = None,
) -> Iterator[Loaded]:
    """Load the problems of a dataset, one at a time.

    Args:
        dataset: a name that `eval datasets` lists; or the path of problems of one's own, or of what `eval build` made.
        split: of the dataset; one that has no `test` gives what it has for testing.
        configuration: a language, a difficulty or a release; empty: the default one.
        source: a file or folder in the layout of the dataset, or a name on the hub; None: the dataset's own name there.
        sandbox: gives the sandbox in which code of a dataset may run; asked for where a dataset needs one.
        limit: the most problems.
        only: the ids of the problems that are wanted; empty: all. Of the other records, those are told that cannot even
            be asked for their id.
        case_seconds: what one case may take of a problem that states no limit; None: 90 s, as in the paper.

    Yields:
        A problem, or what is wrong with a record.

    Raises:
        DatasetError: there is no such dataset, split or configuration, or it cannot be read at all; as the first
            problem is asked for.
    """
    found = 0
    context = ReadingContext(sandbox or no_sandbox, dataset, configuration, split, case_seconds)
    loaded = _loaded(context, source, only)
    for each in _wanted(_each_id_once(loaded), only):
        if limit is not None and found >= limit:
            return
        found += isinstance(each, BenchmarkProblem)
        yield each


def _each_id_once(loaded: Iterator[_Placed]) -> Iterator[Loaded]:
    """Refuse a problem whose id an earlier one has: what is stored of the two could not be told apart."""
    seen: set[str] = set()
    for place, each in loaded:
        if isinstance(each, BenchmarkProblem) and each.id in seen:
            yield Rejected(place, "id", "an earlier problem has the same one")
            continue
        if isinstance(each, BenchmarkProblem):
            seen.add(each.id)
        yield each


def _wanted(loaded: Iterator[Loaded], only: Collection[str]) -> Iterator[Loaded]:
    """Those that are asked for, by their ids, and no record more than it takes to find them."""
    missing = set(only)
    for each in loaded:
        if isinstance(each, Rejected):
            yield each
        elif not only or each.id in only:
            missing.discard(each.id)
            yield each
            if only and not missing:
                return


def _loaded(asked: ReadingContext, source: str | Path | None, only: Collection[str]) -> Iterator[_Placed]:
    dataset, configuration = asked.dataset, asked.configuration
    if not is_named(dataset):
        yield from _at_path(asked, only)
        return
    info = find_dataset(dataset)
    if info is catalogue.PACKAGES:
        raise DatasetError(
            "Functions of packages are no problems with cases: each has a project and its tests. Load them by "
            "afterburner.evals.datasets.packages.functions.load_packages."
        )
    _check_configuration(info, configuration)
    context = replace(asked, split=_split_of(info, asked.split, is_local=source is not None))
    layout = _LAYOUTS[dataset]
    where = source or info.hub
    if not where:
        raise DatasetError(f"{dataset} is on no hub. Give a local copy: --from FILE-OR-FOLDER. It is {info.source}.")
    part = configuration if layout.by_configuration else ""
    if layout.by_configuration and not part and not Path(where).is_file():
        part = info.configurations[0]
    files = layout.files_in(Path(where), context.split, configuration)
    yield from _read(read_records(where, context.split, part, files), layout, context, only)


def _at_path(asked: ReadingContext, only: Collection[str]) -> Iterator[_Placed]:
    """Problems of one's own, or a built benchmark."""
    dataset, split, path = asked.dataset, asked.split, Path(asked.dataset)
    check_known(dataset)
    if path.is_dir() and is_built(path):
        if split and split not in SPLITS:
            raise UnknownDatasetError(f"{dataset} has no split {split!r}. It has {', '.join(SPLITS)}.")
        for built in read_built(path, split):
            place = built.place if isinstance(built, Rejected) else f"{built.dataset}, problem {built.id}"
            yield place, _limited(built, asked)
        return
    context = replace(asked, dataset=path.name.partition(".")[0] or "own", configuration="")
    yield from _read(read_records(path, split), _OWN, context, only)


def _limited(built: Loaded, context: ReadingContext) -> Loaded:
    """A problem that was built, with the limits that were asked for: raw problems state none."""
    if isinstance(built, Rejected) or context.case_seconds is None:
        return built

    def limited(problem: Problem) -> Problem:
        return replace(problem, limits=context.unstated_limits) if problem.limits == PAPER_LIMITS else problem

    return replace(
        built,
        problem=limited(built.problem),
        private=limited(built.private) if built.private else None,
        strict=limited(built.strict) if built.strict else None,
    )


def _read(
    records: Iterator[Record | Rejected], layout: _Layout, context: ReadingContext, only: Collection[str]
) -> Iterator[_Placed]:
    """Read records, but for those that are known not to be asked for: reading one may take a run of its code."""
    wanted = {each[:LONGEST_NAME] for each in only}
    for record in records:
        if isinstance(record, Rejected):
            yield record.place, record
        elif wanted and record.name and record.name not in wanted:
            continue
        elif layout.is_wanted(record, context):
            place = f"{record.place} ({record.name})" if record.name else record.place
            yield place, _problem(record, place, layout.read, context)


def _problem(record: Record, place: str, read: Reader, context: ReadingContext) -> Loaded:
    try:
        return read(record, context)
    except RecordError as error:
        return Rejected(place, error.field, error.reason)
    except UsageError as error:  # a `Problem` that cannot be solved or judged
        return Rejected(place, "", str(error))


def _check_configuration(info: DatasetInfo, configuration: str) -> None:
    if configuration and configuration not in info.configurations:
        known = ", ".join(info.configurations) or "none"
        raise UnknownDatasetError(f"{info.name} has no configuration {configuration!r}. It has {known}.")


def _split_of(info: DatasetInfo, split: str, *, is_local: bool) -> str:
    """The split that is meant: where a dataset has no `test`, the last one is what it has for testing."""
    if split in info.splits or (is_local and split != "test"):
        return split
    if split == "test":
        return info.splits[-1]
    raise UnknownDatasetError(f"{info.name} has no split {split!r}. It has {', '.join(info.splits)}.")
