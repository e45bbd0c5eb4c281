"""The one comment on a pull request that every run updates, and what it remembers where nobody sees it."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afterburner.ci_action.github.errors import GitHubError, NotAllowedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from afterburner.ci_action.github.client import GitHub
    from afterburner.ci_action.github.event import Job
    from afterburner.ci_action.report.document import Mode

_STATE = re.compile(r"\n<!-- afterburner-agent: state ([A-Za-z0-9+/=]*) -->\s*\Z")  # a report cannot come behind it
_KEY = re.compile(r"[0-9a-f]{24}")
_MOST_KEYS = 150
_BOT = "github-actions[bot]"


@dataclass(frozen=True, slots=True)
class StickyComment:
    """The comment as it is now.

    Attributes:
        id: of it; None: there is none yet.
        suggested: the keys of the functions for which a suggestion was made, by any run before.
    """

    id: int | None = None
    suggested: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StickyText:
    """What the comment says.

    Attributes:
        mode: of the report.
        summary: for everyone.
        suggested: the keys to remember, the latest last.
    """

    mode: Mode
    summary: str
    suggested: tuple[str, ...]


def mark_of(mode: Mode) -> str:
    """What a comment begins with, unseen: each mode has a comment of its own."""
    return f"<!-- afterburner-agent: {mode.value} -->"


def own_login(github: GitHub) -> str:
    """Who writes with this token: a person, or where it may not ask, the bot of GitHub Actions."""
    try:
        return str(github.get("/user")["login"])
    except NotAllowedError:
        return _BOT


def find_sticky(github: GitHub, job: Job, number: int, login: str, mode: Mode) -> StickyComment:
    """Find the comment among all comments of a pull request. Only a comment of our own counts.

    Raises:
        NotAllowedError, GitHubError: the comments cannot be read.
    """
    for each in github.pages(f"{job.repository_path}/issues/{number}/comments"):
        body, author = str(each.get("body") or ""), (each.get("user") or {}).get("login")
        if author == login and body.startswith(mark_of(mode)):
            return StickyComment(int(each["id"]), tuple(_remembered(body)))
    return StickyComment()


def write_sticky(
    github: GitHub, job: Job, number: int, *, login: str, comment: StickyComment, text: StickyText
) -> None:
    """Update the comment, or make it.

    Args:
        github: with a token that may comment.
        job: whose repository it is.
        number: of the pull request.
        login: who writes.
        comment: as it is now.
        text: what it is to say.

    Raises:
        NotAllowedError: the token may not comment.
        GitHubError: GitHub refuses, or cannot be reached.
    """
    body = {"body": f"{mark_of(text.mode)}\n{text.summary}\n{_state_of(text.suggested)}"}
    if comment.id is not None and _updated(github, job, comment.id, body):
        return
    try:
        github.send("POST", f"{job.repository_path}/issues/{number}/comments", body)
    except GitHubError as error:
        is_certain = isinstance(error, NotAllowedError) or error.status == 422
        if is_certain or find_sticky(github, job, number, login, text.mode).id is None:
            raise  # otherwise it was made, and only the answer was lost


def _updated(github: GitHub, job: Job, comment: int, body: dict[str, str]) -> bool:
    """Update the comment; False: somebody has deleted it meanwhile."""
    try:
        github.send("PATCH", f"{job.repository_path}/issues/comments/{comment}", body)
    except NotAllowedError as error:
        if error.status != 404:
            raise
        return False
    return True


def _state_of(suggested: Iterable[str]) -> str:
    kept = list(dict.fromkeys(suggested))[-_MOST_KEYS:]
    data = base64.b64encode(json.dumps({"suggested": kept}).encode()).decode()
    return f"<!-- afterburner-agent: state {data} -->\n"


def _remembered(body: str) -> list[str]:
    """The keys that a comment remembers; none where somebody has changed it."""
    found = _STATE.search(body)
    try:
        state: Any = json.loads(base64.b64decode(found[1], validate=True)) if found else {}
    except ValueError:
        return []
    keys = state.get("suggested", []) if isinstance(state, dict) else []
    return [key for key in keys if isinstance(key, str) and _KEY.fullmatch(key)] if isinstance(keys, list) else []
