"""What is stored of a run beside its checkpoints, typed; `codec` makes bytes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.models.vllm_name import anchored
from afterburner.agent.options import RunSettings  # noqa: TC001 - read when a stored text is
from afterburner.agent.usage import NOTHING_USED

if TYPE_CHECKING:
    from afterburner.agent.types import Machine, Target, Workload
    from afterburner.agent.usage import Usage

FORMAT = 4  # one higher with every change of `LoopState`, `Prepared` or `RunResult` that older runs cannot live with
Output = bool | str | None
MEMBER = "."  # between the id of a run over many targets and the number of the run of one of them


def owner_of(run_id: str) -> str:
    """The id of the run over many targets that a run belongs to; of every other run, its own."""
    return run_id.partition(MEMBER)[0]


class RunState(StrEnum):
    """Whether a run is over."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class StoredRequest:
    """What the user asked for, as JSON on the disk: no key of a model, and the words of a command in clear."""

    settings: RunSettings
    outputs: dict[str, Output]  # what the command line was to write, by option
    folder: str  # what relative paths are relative to

    def settings_from(self, folder: Path) -> RunSettings:
        """The settings for a process that works in another folder."""
        if str(folder) == self.folder:
            return self.settings
        settings = self.settings
        python = settings.inputs.python
        return replace(
            settings,
            file=self.place_of(settings.file),
            inputs=replace(
                settings.inputs,
                calls=settings.inputs.calls and self.place_of(settings.inputs.calls),
                cases=settings.inputs.cases and self.place_of(settings.inputs.cases),
                python=self.place_of(python) if python and "/" in python else python,
                environment_from=self._file_or_name(settings.inputs.environment_from),
            ),
            models=replace(
                settings.models,
                record=settings.models.record and self.place_of(settings.models.record),
                model=",".join(self._anchored(model) for model in settings.models.model.split(",")),
            ),
        )

    def place_of(self, path: str) -> str:
        """The absolute path of what was named when the run was started."""
        return str(Path(self.folder) / Path(path).expanduser())

    def _file_or_name(self, named: str | None) -> str | None:
        """A Dockerfile by its absolute path; the name of an image, or a path from the project's root, as it is."""
        return self.place_of(named) if named and Path(self.place_of(named)).is_file() else named

    def _anchored(self, model: str) -> str:
        kind, colon, rest = model.partition(":")
        if colon and kind == "replay":
            return f"{kind}:{self.place_of(rest)}"
        return f"{kind}:{anchored(rest, self.place_of)}" if colon and kind == "vllm" else model


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was found out before the loop began."""

    settings: RunSettings  # with the minimum effect that holds
    target: Target  # with the function that was chosen
    workload: Workload
    machine: Machine
    used_s: float  # of the time budget
    used_before: Usage = NOTHING_USED  # of language models, by runs before this one that it shares a budget with


@dataclass(frozen=True, slots=True)
class KeptRun:
    """A run of the list. `function`, `decision` and `gain` are None as long as nobody knows."""

    run_id: str
    state: RunState
    begun_s: float  # since 1970
    file: str
    function: str | None
    model: str
    decision: str | None
    gain: float | None
    format: int
    is_many: bool = False  # over many targets; `file` may be a folder then
