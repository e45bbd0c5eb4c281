"""`--record FILE`: each answer as one JSON line, from which `--model replay:FILE` repeats the run."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from afterburner.sandbox import AfterburnerError

if TYPE_CHECKING:
    from afterburner.agent.proposers.asking.answers import ModelAnswer


class Recording:
    """A file that answers are appended to as they come; any thread may do so.

    Lines say to which iteration and candidate they belong, for answers come in any order. A run that begins anew
    replaces what was there, with its first answer; one that is resumed goes on.
    """

    def __init__(self, path: str | Path, *, resumed: bool = False) -> None:
        """Nothing is opened before the first answer."""
        self._path = Path(path)
        self._goes_on = resumed
        self._lock = threading.Lock()

    def append(self, iteration: int, candidate: int, answer: ModelAnswer, usage: dict[str, Any] | None) -> None:
        """Write one line, whole: a reader, or a resumed run, never meets half of one.

        Raises:
            AfterburnerError: the file cannot be written.
        """
        line = {
            "iteration": iteration,
            "candidate": candidate,
            "model": answer.model,
            "content": answer.content,
            **({"reasoning": answer.reasoning} if answer.reasoning else {}),
            "finish_reason": answer.finish_reason,
            **({"error": answer.error} if answer.error else {}),
            **({"usage": usage} if usage is not None else {}),
        }
        data = json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n"
        with self._lock:
            try:
                self._write(data)
            except OSError as error:
                raise AfterburnerError(f"The recording {self._path} cannot be written: {error}.") from error

    def _write(self, data: bytes) -> None:
        begin = 0 if self._goes_on else os.O_TRUNC
        handle = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | begin, 0o666)
        try:
            os.write(handle, data)
        finally:
            os.close(handle)
        self._goes_on = True
