"""Finds the model beneath an adapter, also where both were moved, and never looks on the hub for a local one."""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ADAPTER = "adapter_config.json"


def check_adapter(adapter: Path) -> str | None:
    """Check that a folder holds an adapter, and give the revision of its base, which the hub may have.

    Raises:
        TrainingError: it does not.
    """
    if (adapter / "config.json").is_file() and not (adapter / ADAPTER).exists():
        raise TrainingError(f"{adapter} holds a whole model, so there is nothing to merge. Use it as it is.")
    try:
        revision: str | None = json.loads((adapter / ADAPTER).read_text("utf-8")).get("revision")
    except (OSError, ValueError, AttributeError) as error:
        if not adapter.exists():
            raise TrainingError(f"There is no folder {adapter}. Give the folder of a trained model.") from error
        hint = f", such as {adapter / 'model'}" if (adapter / "model" / ADAPTER).exists() else ""
        raise TrainingError(
            f"{adapter} holds no adapter that can be read. Give the folder of a trained model{hint}."
        ) from error
    return revision


def is_folder(path: str) -> bool:
    """Whether a model's path is a folder; a name that is too long for one is not."""
    try:
        return Path(path).is_dir()
    except OSError:
        return False


def absolute_if_folder(path: str) -> str:
    """A model's path that means the same in any working folder; a name on the hub stays as it is."""
    return str(Path(path).resolve()) if is_folder(path) else path


def may_be_on_hub(path: str) -> bool:
    """Whether the hub may have a model of that name: it has names such as `gpt2` and `Qwen/Qwen2.5-3B`."""
    return not path.startswith((".", "/", "~")) and path.count("/") <= 1


def named_base(adapter: Path) -> str:
    """The base as the adapter's file names it: a path, or a name on the hub.

    Raises:
        TrainingError: it names none.
    """
    path = adapter / ADAPTER
    try:
        named = json.loads(path.read_text("utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} does not name the model beneath the adapter.") from error
    if not named or not isinstance(named, str):
        raise TrainingError(f"{path} does not name the model beneath the adapter.")
    return named


def find_base(adapter: Path) -> str:
    """The folder of an adapter's base, or its name on the hub.

    A base that is not where the adapter says is looked for at the same place relative to the adapter: a run's folder
    may have been moved with all that is in it. A relative path is taken from there first, since training may have
    begun in another working folder.

    Raises:
        TrainingError: the adapter names none, or a folder that is gone.
    """
    named = named_base(adapter)
    is_local = not may_be_on_hub(named) or _began_from_folder(adapter)
    path = Path(named)
    whole, *shorter = _tails(path) or [path]
    if path.is_absolute():
        places: Iterable[Path] = chain((path,), _beside(adapter, (whole, *shorter)))
    else:
        places = chain(_beside(adapter, (whole,)), (path,), _beside(adapter, shorter) if is_local else ())
    found = next((each for each in places if is_folder(str(each))), None)
    if found is not None:
        return str(found.resolve())
    if is_local:
        raise TrainingError(
            f"The model {named}, on which the adapter {adapter} was trained, is not there. Move it back, or name the "
            f"folder where it is now: afterburner-agent train merge {adapter} --base DIR --out DIR."
        )
    return named


def _tails(path: Path) -> list[Path]:
    """What a path ends with, the longest first."""
    parts = [part for part in path.parts if part not in (path.anchor, "..")]
    return [Path(*parts[start:]) for start in range(len(parts))]


def _beside(adapter: Path, tails: Iterable[Path]) -> Iterator[Path]:
    """The models at these places beneath the adapter's parents, the nearest parent first."""
    parents = adapter.resolve().parents
    return (parent / tail for tail in tails for parent in parents if _holds_model(parent / tail))


def _holds_model(folder: Path) -> bool:
    try:
        return (folder / "config.json").is_file()
    except OSError:
        return False


def _began_from_folder(adapter: Path) -> bool:
    """Whether the run that made an adapter noted files of the model it began from, as it does of a folder's alone."""
    for folder in adapter.resolve().parents[:2]:  # of a trained model, or of a checkpoint
        try:
            return bool(json.loads((folder / "run.json").read_text("utf-8"))["model_sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return False
