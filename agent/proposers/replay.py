"""A proposer that gives the answers of a recording: no model, no key, the same every time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError, UnknownModelError
from afterburner.agent.proposers.asking.answers import ModelAnswer, proposal_of
from afterburner.agent.proposers.asking.secrets import Scrubber

if TYPE_CHECKING:
    from afterburner.agent.proposers.base import Proposal, ProposalRequest


class ReplayProposer:
    """Gives a recording's answers in order, `count` in each iteration; afterwards nothing.

    A recording holds one JSON object a line, `{"content": "…"}`. What `--record` wrote says with `iteration` and
    `candidate` where each answer belongs, with `reasoning` what was thought apart from it, with `finish_reason` how it
    ended, and with `error` why there is none; further keys are left alone. Where a replay stands follows from the
    iteration, so a resumed run goes on in the right place.
    """

    def __init__(self, path: str | Path, scrub: Scrubber | None = None) -> None:
        """Read the recording; `scrub` knows the values that were hidden in it (None: those of this environment).

        Raises:
            UnknownModelError: there is no such file.
            ProposerError: the file cannot be read, or a line of it is no recorded answer.
        """
        self.name = f"replay:{Path(path).name}"
        self._scrub = scrub or Scrubber()
        self._lines = _read(Path(path))

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give this iteration's answers."""
        # of two answers in one place, which a resumed run may have written, the later counts
        placed = {line.candidate: line.answer for line in self._lines if line.iteration == request.iteration}
        answers = [placed[candidate] for candidate in sorted(placed)]
        if all(line.iteration is None for line in self._lines):
            start = (request.iteration - 1) * request.count
            answers = [line.answer for line in self._lines[start : start + request.count]]
        return [proposal_of(answer, request.target, self.name, self._scrub) for answer in answers]


@dataclass(frozen=True, slots=True)
class _Line:
    """An answer and its place; without an iteration it follows the line before."""

    answer: ModelAnswer
    iteration: int | None
    candidate: int


def _read(path: Path) -> list[_Line]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise UnknownModelError(f"No such recording: {path}") from None
    except UnicodeDecodeError as error:
        raise ProposerError(f"The recording {path} is not UTF-8: {error}.") from None
    except (OSError, ValueError) as error:
        raise ProposerError(f"The recording {path} cannot be read: {error}.") from None
    lines = [_line(line, path, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len({line.iteration is None for line in lines}) > 1:
        raise ProposerError(f"In {path} some lines name their iteration and some do not; all or none of them have to.")
    return lines


def _line(line: str, path: Path, number: int) -> _Line:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProposerError(f"{path}, line {number}, is not JSON: {error}.") from None
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(content, str):
        raise ProposerError(f'{path}, line {number}, is not of the form {{"content": "…"}}.')
    answer = ModelAnswer(
        content, *(str(record.get(key, "")) for key in ("model", "finish_reason", "error", "reasoning"))
    )
    iteration = record.get("iteration")
    candidate = record.get("candidate", number)
    if not isinstance(iteration, int | None) or not isinstance(candidate, int):
        raise ProposerError(f"{path}, line {number}: iteration and candidate have to be integers.")
    return _Line(answer, iteration, candidate)
