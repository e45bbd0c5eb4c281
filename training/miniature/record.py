"""Records what a miniature was made with, and refuses to continue a folder with other settings."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import LOCK, write_whole
from afterburner.sandbox import UsageError
from afterburner.training.config.reading import read_config
from afterburner.training.errors import TrainingError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from afterburner.training.miniature.arms import Experiment
    from afterburner.training.miniature.size import Size

RECORD = "miniature.json"


def check_same(out: Path, size: Size, experiments: Sequence[Experiment]) -> None:
    """Write down what the miniature is made with, or check that it is what was written down.

    Raises:
        UsageError: the folder holds another miniature, or something else.
        TrainingError: the record cannot be read or written.
    """
    names = sorted({arm.config for each in experiments for arm in each.arms})
    configs = {name: _settings(name) for name in names}
    asked: dict[str, Any] = json.loads(json.dumps({"size": asdict(size), "configs": configs}))
    path = out / RECORD
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            if any(each.name != LOCK for each in out.iterdir()):
                raise UsageError(f"{out} holds other files. Give a new or empty folder.")
            write_whole(path, json.dumps(asked, indent=1) + "\n")
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} cannot be used: {error}. Give another --out.") from error
    for each in known.get("configs", {}).values():
        each.get("model", {}).pop("path", None)  # earlier versions wrote it, though nothing depends on it
    if differing := [name for name in asked if known.get(name) != asked[name]]:
        raise UsageError(
            f"{out} holds a miniature with another {differing[0].removesuffix('s')}, whose models would be reused for "
            "this one. Repeat the options that it was begun with, such as --smoke, or give another --out."
        )


def _settings(name: str) -> dict[str, Any]:
    """A configuration without the path of its model, in whose place each stage puts its own."""
    settings = read_config(f"miniature/{name}").model_dump(mode="json")
    del settings["model"]["path"]
    return settings
