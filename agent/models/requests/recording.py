"""`--record FILE`: each answer as one JSON line, from which `--model replay:FILE` repeats the run."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from afterburner.agent.models.prompts.proposer import ProposalRequest
    from afterburner.agent.models.requests.model_answers import ModelAnswer
    from afterburner.agent.types import Target


@dataclass(frozen=True, slots=True)
class RecordedTarget:
    """A target as a recording names it: the same on every machine that has the project."""

    file: str  # from the top of the project, with /
    function: str | None  # None: the whole program

    @classmethod
    def of(cls, target: Target) -> RecordedTarget:
        """Name a target."""
        path, root = Path(target.path), Path(target.project_root)
        return cls(path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name, target.function)

    def __str__(self) -> str:
        """As it is written in messages."""
        return f"{self.function} in {self.file}" if self.function is not None else self.file


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer belongs, beside its number: several models may answer in one iteration, for several targets."""

    target: RecordedTarget
    iteration: int  # of the run; 0: before the first
    asked: str  # the model that was asked first; a fallback may have answered
    doubted: str = ""  # the candidate that a sceptic's calls are for; empty: it is a rewrite's answer
    is_workload: bool = False  # whether it is the answer with calls of a function that nothing calls

    @classmethod
    def of(cls, request: ProposalRequest, asked: str) -> Place:
        """The place of the answers to a request."""
        return cls(RecordedTarget.of(request.target), request.run_iteration, asked)


class Recording:
    """A file that answers are appended to as they come; any thread may do so.

    Lines say where they belong, for answers come in any order. A run that begins replaces what was there; one that is
    resumed goes on behind what it has written.
    """

    def __init__(self, path: str | Path) -> None:
        """Nothing is opened before the run begins."""
        self._path = Path(path)
        self._begun = False
        self._lock = threading.Lock()

    def begin(self, *, resuming: bool = False) -> None:
        """Empty the file, the first time: whatever happens from now on, it holds nothing of an earlier run.

        A run that is resumed, or that shares the file with another one of the session, leaves in it what is there.

        Raises:
            AfterburnerError: the file cannot be written.
        """
        if resuming:
            self._begun = True
        self._write(b"")

    def append(self, place: Place, candidate: int, answer: ModelAnswer, usage: dict[str, Any] | None) -> None:
        """Write one line, whole: a reader, or a resumed run, never meets half of one.

        Raises:
            AfterburnerError: the file cannot be written.
        """
        line = {
            "file": place.target.file,
            "function": place.target.function,
            "iteration": place.iteration,
            "asked": place.asked,
            "candidate": candidate,
            **({"doubted": place.doubted} if place.doubted else {}),
            **({"workload": True} if place.is_workload else {}),
            "model": answer.model,
            "content": answer.content,
            **({"reasoning": answer.reasoning} if answer.reasoning else {}),
            "finish_reason": answer.finish_reason,
            **({"error": answer.error} if answer.error else {}),
            **({"hidden": True} if answer.hidden else {}),
            **({"usage": usage} if usage is not None else {}),
        }
        self._write(json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n")

    def _write(self, data: bytes) -> None:
        with self._lock:
            try:
                begin = 0 if self._begun else os.O_TRUNC
                handle = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | begin, 0o666)
                try:
                    _append(handle, data)
                finally:
                    os.close(handle)
                self._begun = True
            except OSError as error:
                raise AfterburnerError(f"The recording {self._path} cannot be written: {error}.") from error


def _append(handle: int, data: bytes) -> None:
    """Write all of it or, where the disk is full, nothing: half a line would make the whole file unreadable."""
    length = os.fstat(handle).st_size
    try:
        while data:
            data = data[os.write(handle, data) :]
    except OSError:
        with suppress(OSError):  # no file, but a pipe
            os.ftruncate(handle, length)
        raise
