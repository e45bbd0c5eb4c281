"""The folder of a training run: what it was started with, its metrics, checkpoints and the trained model."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.evals.files import LOCK, write_whole
from afterburner.sandbox import UsageError
from afterburner.training.errors import TrainingError
from afterburner.training.planning.adapter_bases import find_base
from afterburner.training.trainers.writing import UNFINISHED

if TYPE_CHECKING:
    from afterburner.training.config.schema import TrainConfig
    from afterburner.training.data.reading import DataSet

_FORMAT = 2
_LIBRARIES = ("afterburner-agent", "accelerate", "datasets", "peft", "torch", "transformers", "trl", "vllm")
_WHOLE = "complete"  # the last thing written to a checkpoint
_MODEL_FILES = ("*.safetensors", "*.bin", "*config.json", "tokenizer.json", "*.jinja")
_OF_A_START = {LOCK, "run.json", "tensorboard", "start"}  # what is there before the first step
_HASHED = {"data_sha256": "data set", "model_sha256": "model", "benchmark_sha256": "benchmark"}
_MUST_AGREE = ("config", *_HASHED, "devices")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where everything of a run lies."""

    path: Path

    @property
    def is_begun(self) -> bool:
        """Whether it says what it was started with."""
        return (self.path / "run.json").is_file()

    @property
    def model(self) -> Path:
        """The trained model, or its adapter; it exists once the run is complete."""
        return self.path / "model"

    @property
    def start(self) -> Path:
        """The model that training starts from, where an adapter had to be merged to get it."""
        return self.path / "start"

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / "checkpoints"

    @property
    def metrics(self) -> Path:
        """The metrics, a line of JSON for each logged step."""
        return self.path / "metrics.jsonl"

    def rewards(self, process: int) -> Path:
        """The rewards of GRPO, a line of JSON for each answer that a process judged."""
        return self.path / ("rewards.jsonl" if process == 0 else f"rewards-{process}.jsonl")

    @property
    def tensorboard(self) -> Path:
        """The metrics for TensorBoard."""
        return self.path / "tensorboard"

    def begin(self, config: TrainConfig, data: DataSet, *, devices: int, benchmark_sha256: str = "") -> None:
        """Write down what the run is made of, or check that it is what an earlier process wrote down.

        Args:
            config: of the run.
            data: that it trains on.
            devices: that it trains on.
            benchmark_sha256: of GRPO, of the benchmark that its answers are judged by.

        Raises:
            UsageError: the folder holds another run, or other files.
            TrainingError: it cannot be written.
        """
        about = self.path / "run.json"
        asked = {
            "config": config.model_dump(mode="json"),
            "data_sha256": data.card["sha256"],
            "model_sha256": _hashes(Path(config.model.path)),
            "benchmark_sha256": benchmark_sha256,
            "devices": devices,
        }
        if about.is_file() and self._has_trained():
            self._check(_read(about), asked)
            return
        try:
            held = {each.name for each in self.path.iterdir()} if self.path.exists() else set()
            if held - _OF_A_START or (held - {LOCK} and about.name not in held):
                raise UsageError(f"{self.path} holds other files. Give a new or empty folder.")
            shutil.rmtree(self.start, ignore_errors=True)  # of a start with other settings
            self.path.mkdir(parents=True, exist_ok=True)
            document = {
                "format": _FORMAT,
                "begun": datetime.now(UTC).isoformat(timespec="seconds"),
                **asked,
                "data_rows": len(data.rows),
                "versions": _versions(),
            }
            write_whole(about, json.dumps(document, indent=1) + "\n")
        except OSError as error:
            raise TrainingError(f"{self.path} cannot be written: {error.strerror or error}.") from error

    def _has_trained(self) -> bool:
        """Whether a step was made: a start that failed may be tried again with other settings."""
        return self.metrics.exists() or self.is_complete() or self.last_checkpoint() is not None

    def is_complete(self) -> bool:
        """Whether the model is trained."""
        return self.model.is_dir()

    def next_command(self) -> str:
        """The command that makes use of the trained model: a server takes an adapter only with its base."""
        if (self.model / "adapter_config.json").is_file():
            return f"afterburner-agent train merge {self.model} --out DIR"
        return f"vllm serve {self.model}"

    def last_checkpoint(self) -> Path | None:
        """The last checkpoint that was written to its end."""
        return max(filter(_is_whole, self._checkpoints()), key=step_of, default=None)

    def remove_cut_off(self) -> None:
        """Remove checkpoints that were not written to their end. To be called once `begin` knows the run as its own."""
        unfinished = self.path.glob(f"*{UNFINISHED}*")
        for folder in (*unfinished, *(each for each in self._checkpoints() if not _is_whole(each))):
            shutil.rmtree(folder, ignore_errors=True)

    def _checkpoints(self) -> list[Path]:
        return [each for each in self.checkpoints.glob("checkpoint-*") if each.name.rpartition("-")[2].isdecimal()]

    def forget_after(self, step: int) -> None:
        """Remove what was logged after a checkpoint: the steps are made again.

        Raises:
            TrainingError: a file cannot be written.
        """
        for path in (self.metrics, *self.path.glob("rewards*.jsonl")):
            try:
                lines = path.read_text("utf-8", "replace").splitlines(keepends=True) if path.is_file() else []
                if any(not _is_until(line, step) for line in lines):
                    write_whole(path, "".join(line for line in lines if _is_until(line, step)))
            except OSError as error:
                raise TrainingError(f"{path} cannot be written: {error.strerror or error}.") from error

    def _check(self, stored: dict[str, Any], asked: dict[str, Any]) -> None:
        method, wanted = ((each.get("config") or {}).get("method") for each in (stored, asked))
        if method != wanted:
            raise UsageError(f"{self.path} holds a run of {method}, and not of {wanted}. Give another --out.")
        for name in _MUST_AGREE:
            for key, old, new in _differences(name, _by_content(stored).get(name), _by_content(asked).get(name)):
                if name in _HASHED:
                    raise UsageError(
                        f"{self.path} holds a run with another {_HASHED[name]}: {key} differs. Give another --out, or "
                        f"the same {_HASHED[name]} as before."
                    )
                raise UsageError(
                    f"{self.path} holds a run with {key} {old}, not {new}. Give another --out, or the same settings."
                )


def mark_complete(checkpoint: Path) -> None:
    """Say that a checkpoint is whole, once all of it is on the disk, and how large its files are."""
    sizes = {}
    for path in sorted(each for each in checkpoint.rglob("*") if each.is_file()):
        with path.open("rb") as file:
            os.fsync(file.fileno())
        sizes[path.relative_to(checkpoint).as_posix()] = path.stat().st_size
    write_whole(checkpoint / _WHOLE, json.dumps(sizes) + "\n")


def _is_whole(checkpoint: Path) -> bool:
    """Whether a checkpoint was written to its end, and nothing of it was lost since, as when the power fails."""
    try:
        sizes = json.loads((checkpoint / _WHOLE).read_text("utf-8"))
        return all((checkpoint / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def step_of(checkpoint: Path) -> int:
    """The step of a checkpoint, by its folder's name."""
    return int(checkpoint.name.rpartition("-")[2])


def _by_content(document: dict[str, Any]) -> dict[str, Any]:
    """A run's identity without the paths of inputs that it has hashes of, so that a folder may be moved."""
    config = dict(document.get("config") or {})
    config.pop("data", None)
    if document.get("model_sha256"):
        config["model"] = {key: value for key, value in config.get("model", {}).items() if key != "path"}
    config["grpo"] = {key: value for key, value in config.get("grpo", {}).items() if key != "benchmark"}
    return {**document, "config": config}


def _is_until(line: str, step: int) -> bool:
    """Whether a line is of a step up to this one; one that was cut off when the process was killed is not."""
    try:
        return int(json.loads(line)["step"]) <= step
    except (ValueError, KeyError, TypeError):
        return False


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{path} cannot be read: {error}. Give another --out.") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise TrainingError(f"{path} is of another version of this program. Give another --out.")
    return document


def _differences(name: str, old: Any, new: Any) -> list[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            found
            for key in sorted(old.keys() | new.keys())
            for found in _differences(f"{name}.{key}".removeprefix("config."), old.get(key), new.get(key))
        ]
    return [] if old == new else [(name, old, new)]


def _hashes(model: Path) -> dict[str, str]:
    """The hashes of a local model's files, of an adapter with those of its base; a name on the hub has none."""
    found = {}
    for path in sorted(each for pattern in _MODEL_FILES for each in model.glob(pattern)) if model.is_dir() else ():
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    base = _base_of(model)
    return found if base is None else found | {f"base/{name}": each for name, each in _hashes(base).items()}


def _base_of(adapter: Path) -> Path | None:
    """The base of an adapter; None: it is no adapter that can be read, or its base is gone."""
    try:
        base = Path(find_base(adapter))
    except TrainingError:
        return None
    return None if base == adapter.resolve() else base


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
