"""The hook that decides whether code of a project may run, and its answers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from afterburner.agent.errors import NotTrustedError
from afterburner.agent.job.arguments import shown
from afterburner.sandbox import UsageError

if TYPE_CHECKING:
    from afterburner.sandbox import CancelToken


class TrustQuestion(StrEnum):
    """What would happen."""

    RUN_CODE = "run_code"  # code of the project runs in the sandbox, under the interpreter that the project names
    USE_SETTINGS = "use_settings"  # its pyproject.toml chooses a model, a file, a program or modules


@dataclass(frozen=True, slots=True)
class TrustRequest:
    """A question about trust. A session asks it once for each project, before anything happens.

    Attributes:
        question: what would happen.
        folder: the project's root, absolute.
        detail: in words for a person.
    """

    question: TrustQuestion
    folder: str
    detail: str


Trust = Callable[[TrustRequest], bool]
_Key = tuple[
    TrustQuestion, str, str, tuple[int, int] | None
]  # a question about a folder, what of it, and which one that is
TRUST_VARIABLE = "AFTERBURNER_TRUSTED_PROJECTS"
RUNS_CODE = (
    "code of {root} runs in the sandbox, to judge a rewrite of it; where it runs in an image, the packages that it "
    "declares are installed before, in a container that has a network"
)  # what is asked, in words for a person


def trust_named_projects(request: TrustRequest) -> bool:
    """The command line's answer about settings: whether AFTERBURNER_TRUSTED_PROJECTS names the folder or one above."""
    folder = Path(request.folder)
    named = [Path(each).expanduser() for each in os.environ.get(TRUST_VARIABLE, "").split(os.pathsep) if each]
    return any(folder.resolve().is_relative_to(each.resolve()) for each in named if each.is_absolute())


def trust_caller(request: TrustRequest) -> bool:
    """The answer of whoever named the file, which was the decision; the project's settings are another question."""
    return request.question is TrustQuestion.RUN_CODE or trust_named_projects(request)


class TrustAnswers:
    """The trust hook's answers in a session. Each question about a project is asked once.

    The hook runs in a thread of its own, so that jobs can be cancelled while they wait for the answer.
    """

    def __init__(self, trust: Trust) -> None:
        """Store the hook that decides."""
        self._trust = trust
        self._lock = threading.Lock()
        self._answers: dict[_Key, Future[bool]] = {}

    def require(self, request: TrustRequest, cancel: CancelToken) -> None:
        """Ask, unless the question was answered before.

        Raises:
            NotTrustedError: the answer is no.
            CancelledError, UsageError, Exception: as `allows`.
        """
        if not self.allows(request, cancel):
            raise NotTrustedError(
                f"{request.folder} is not trusted: the trust hook of this session refused it. Nothing of it was run."
            )

    def allows(self, request: TrustRequest, cancel: CancelToken) -> bool:
        """Ask, unless the question was answered before, and give the answer.

        Raises:
            CancelledError: the job was cancelled before there was an answer.
            UsageError: the hook returned something other than True or False.
            Exception: whatever the caller's own hook raises, for all that wait; the next job asks again.
        """
        about = request.detail if request.question is TrustQuestion.USE_SETTINGS else ""  # other settings are new ones
        key = (request.question, request.folder, about, _identity(request.folder))
        with self._lock:
            answer = self._answers.get(key)
            if answer is None:
                answer = self._answers[key] = Future()
                asking = partial(copy_context().run, self._ask, request, key, answer)
                threading.Thread(target=asking, name="trust", daemon=True).start()
        return cancel.wait_for(answer)

    def _ask(self, request: TrustRequest, key: _Key, answer: Future[bool]) -> None:
        try:
            answer.set_result(_decided(self._trust(request)))
        except BaseException as error:  # noqa: BLE001 - raised in each job that waits
            with self._lock:
                del self._answers[key]
            answer.set_exception(error)


def _decided(said: object) -> bool:
    """What a hook returned, which has to be a decision: a coroutine, say, would count as True and be none.

    Raises:
        UsageError: it is no bool.
    """
    if isinstance(said, Coroutine):
        said.close()
    if not isinstance(said, bool):
        raise UsageError(f"trust returned {shown(said)}. Give a function that returns True or False, not an async one.")
    return said


def _identity(folder: str) -> tuple[int, int] | None:
    """Which folder this is now: a link may be turned, or another folder be put in its place."""
    try:
        status = Path(folder).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
