"""Where records come from: a file, a folder of files as the hub lays them out, or the hub itself; one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.evals.datasets.files import KINDS_TOLD, kind_of, records_of_file
from afterburner.evals.datasets.guessing import OWN, RAW, layout_of, path_meant
from afterburner.evals.datasets.records import Record
from afterburner.evals.errors import DatasetError, UnknownDatasetError
from afterburner.sandbox.extras import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from afterburner.evals.problems import Rejected

_SHOWN = 8  # files that a message names
VENUS = "venus"  # in whose layout raw problems are


def read_records(
    source: str | Path, split: str = "test", configuration: str = "", files: Sequence[str] = ()
) -> Iterator[Record | Rejected]:
    """Read records, one at a time: a record that is broken is a `Rejected`, and the others go on.

    Args:
        source: a file, a folder, or what a dataset is called on the hub, `owner/name`.
        split: `train`, `test`, …; a file is read whole, whatever it is.
        configuration: the part of a dataset that is a folder in it, or has a name on the hub; empty: the default one.
        files: the files of a split, for repositories that the hub itself cannot read (those with a loading script).

    Raises:
        DatasetError: there is no such source, or it cannot be read at all.
    """
    place = Path(source)
    if place.is_file():
        yield from records_of_file(place)
    elif place.is_dir():
        for path in _files_of_folder(place, split, configuration, files):
            yield from records_of_file(path)
    elif isinstance(source, Path) or source.startswith((".", "/", "~")) or source.count("/") != 1 or kind_of(place):
        near = path_meant(str(source))
        raise UnknownDatasetError(f"There is no file or folder {source}.{f' Did you mean {near}?' if near else ''}")
    else:
        yield from read_hub(source, split, configuration, files)


def layout_hint(source: str | Path, asked: str, split: str = "test", configuration: str = "") -> str:
    """Say which dataset's layout a local source looks like; empty: none, the one that was asked for, or it is no file.

    Args:
        source: as `read_records` takes it.
        asked: the dataset in whose layout it was read.
        split: of a folder.
        configuration: likewise.
    """
    if not Path(source).exists():
        return ""
    try:
        first = next((each for each in read_records(source, split, configuration) if isinstance(each, Record)), None)
    except DatasetError:
        return ""
    found = layout_of(first.values) if first is not None else ""
    if found in {"", asked}:
        return ""
    if found == RAW:
        build = f"afterburner-agent eval build {source} --out DIR"
        return "" if asked == VENUS else f"Its records look like raw problems: {build}"
    if found == OWN:
        return f"Its records look like problems of your own: afterburner-agent eval run --dataset {source}"
    return f"Its records look like those of {found}: afterburner-agent eval run --dataset {found} --from {source}"


def read_hub(name: str, split: str, configuration: str = "", files: Sequence[str] = ()) -> Iterator[Record]:
    """Read records from the hub as they come over the network; no code of the repository is run.

    Args:
        name: `owner/name`, or a folder that has the layout of a repository.
        split: `train`, `test`, ….
        configuration: by its name on the hub; empty: the default one.
        files: see `read_records`.

    Raises:
        DatasetError: the hub does not know it, or cannot be reached; or `datasets` is not installed.
    """
    try:
        import datasets  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise DatasetError(
            f"{name} is loaded from the hub by the package `datasets`, which is not installed. Give a local copy "
            f"(--from FILE-OR-FOLDER), or install it: {install_command('hub')}"
        ) from None
    import httpx  # noqa: PLC0415 - comes with `datasets`, and its errors are not OSErrors

    try:
        if files:
            addresses = [f"hf://datasets/{name}/{file}" for file in files]
            found: Any = datasets.load_dataset("json", data_files=addresses, split="train", streaming=True)
        else:
            found = datasets.load_dataset(name, configuration or None, split=split, streaming=True)
        for number, values in enumerate(found, start=1):
            yield Record(values, f"{name}, record {number}")
    except (OSError, ValueError, RuntimeError, httpx.HTTPError) as error:
        part = f" ({configuration})" if configuration else ""
        said = next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]
        raise DatasetError(
            f"The split {split} of {name}{part} cannot be loaded from the hub: {said}. Look at the name, the split and "
            "the network; or give a local copy: --from FILE-OR-FOLDER."
        ) from error


def _files_of_folder(folder: Path, split: str, configuration: str, files: Sequence[str]) -> list[Path]:
    """The files of a split, in the layouts that the hub knows.

    Raises:
        DatasetError: there are none, or one that belongs to it is missing.
    """
    named = [folder / file for file in files]
    if any(path.is_file() for path in named):
        for path in named:
            if not path.is_file():
                raise DatasetError(f"{folder} lacks {path.name}, which is a part of this release.")
        return named
    every = sorted(path for path in folder.rglob("*") if path.is_file() and kind_of(path))
    found = [path for path in every if _is_of(path.relative_to(folder), split, configuration)]
    if not found:
        advice = f" Name the file itself, such as {every[0]}." if every else ""
        raise UnknownDatasetError(
            f"{folder} has no {split} file{f' of {configuration}' if configuration else ''}, such as "
            f"{configuration and configuration + '/'}{split}.jsonl, or data/{split}-00000-of-00001.parquet; "
            f"{KINDS_TOLD} will do. It has {_told(folder, every)}.{advice}"
        )
    return found


def _is_of(path: Path, split: str, configuration: str) -> bool:
    """Whether a file in a folder is one of a split: by its name, or by the folder that it is in."""
    stem = path.name.partition(".")[0]
    if configuration and configuration not in (*path.parts[:-1], stem.removesuffix(f"-{split}")):
        return False
    return stem == split or stem.startswith((f"{split}-", f"{split}_")) or split in path.parts[:-1]


def _told(folder: Path, files: Sequence[Path]) -> str:
    shown = [str(path.relative_to(folder)) for path in files[:_SHOWN]]
    more = [f"{len(files) - _SHOWN} more"] if len(files) > _SHOWN else []
    return ", ".join(shown + more) or "no such file at all"
