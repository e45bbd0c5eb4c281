"""Who decides whether anything of a project may run, and how that is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class TrustQuestion(StrEnum):
    """What would happen."""

    RUN_CODE = "run_code"  # code of the project runs in the sandbox, under the interpreter that the project names
    USE_SETTINGS = "use_settings"  # its pyproject.toml chooses a model, a file, a program or modules


@dataclass(frozen=True, slots=True)
class TrustRequest:
    """Asked once for each project and question of a session, before it happens.

    Attributes:
        question: what would happen.
        folder: the project's root, absolute.
        detail: in words for a person.
    """

    question: TrustQuestion
    folder: str
    detail: str


Trust = Callable[[TrustRequest], bool]


def trust_caller(_request: TrustRequest) -> bool:
    """The answer of whoever named the file on a command line, or in Python: that was the decision."""
    return True
