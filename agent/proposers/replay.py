"""A proposer that gives the answers of a recording: no model, no key, the same every time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import ProposerError
from afterburner.agent.proposers.from_answer import proposal_from

if TYPE_CHECKING:
    from afterburner.agent.proposers.base import Proposal, ProposalRequest


class ReplayProposer:
    """Gives a recording's answers in order, `count` in each iteration; afterwards nothing.

    A recording holds one JSON object a line, `{"content": "…"}`; further keys are left alone. Where it stands follows
    from the iteration, so a resumed run goes on in the right place.
    """

    def __init__(self, path: str | Path) -> None:
        """Read the recording.

        Raises:
            ProposerError: the file cannot be read, or a line of it is no recorded answer.
        """
        self.name = f"replay:{Path(path).name}"
        self._answers = _read(Path(path))

    def propose(self, request: ProposalRequest) -> list[Proposal]:
        """Give this iteration's answers."""
        start = (request.iteration - 1) * request.count
        return [
            proposal_from(answer, request.target, self.name) for answer in self._answers[start : start + request.count]
        ]


def _read(path: Path) -> list[str]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise ProposerError(f"No such recording: {path}") from None
    except UnicodeDecodeError as error:
        raise ProposerError(f"The recording {path} is not UTF-8: {error}.") from None
    except (OSError, ValueError) as error:
        raise ProposerError(f"The recording {path} cannot be read: {error}.") from None
    return [_content(line, path, number) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def _content(line: str, path: Path, number: int) -> str:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProposerError(f"{path}, line {number}, is not JSON: {error}.") from None
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(content, str):
        raise ProposerError(f'{path}, line {number}, is not of the form {{"content": "…"}}.')
    return content
